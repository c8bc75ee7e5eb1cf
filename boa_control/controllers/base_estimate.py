# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Heading and place of the robot for controllers that go somewhere: from IMUs, and from a tracker
or by dead reckoning. Never from ground truth.
"""

from collections import deque
from typing import Literal, NamedTuple

import numpy as np

from boa_control.controller import Briefing
from boa_control.estimation.dead_reckoning import MEMORY_NS, DeadReckoning, newest_until
from boa_control.estimation.link_forces import link_forces
from boa_control.messages.tracker import TrackerSample
from boa_control.model.dynamics import PlanarChain, Posture
from boa_control.model.path_model import Sideways
from boa_control.plant import SensorFrame
from boa_description.angles import wrapped
from boa_description.arrays import Array
from boa_description.chain import centre_of_mass, first_link_rates, link_headings
from boa_description.errors import BoaError

Source = Literal["tracker", "dead_reckoning"]


class BaseMotion(NamedTuple):
    """The motion of the chain as a whole.

    Attributes:
        posture: headings of all links, not wrapped, and what follows from them.
        qd: rates of x, y, heading of link 1 and the joint angles, shape (n + 2,), m/s and rad/s.
        centre: estimated centre of mass, shape (2,), m.
        velocity: its velocity, shape (2,), m/s.
    """

    posture: Posture
    qd: Array
    centre: Array
    velocity: Array

    @property
    def heading(self) -> float:
        """Of the robot: the mean over its links, rad."""
        return float(self.posture.theta.mean())


def base_of(chain: PlanarChain, motion: BaseMotion) -> Array:
    """x, y of the tail-side end of link 1 and its heading, shape (3,), m and rad, where the centre
    of mass is estimated.
    """
    theta = motion.posture.theta
    base = np.array([0.0, 0.0, theta[0]])
    base[:2] = motion.centre - centre_of_mass(chain.pitch, base, np.diff(theta))
    return base


class HeadingFusion:
    """Heading of link 1 from all IMUs at once: each tells that of its own link, and the joint
    angles tell the rest.
    """

    def __init__(self, start: Array, joints: Array) -> None:
        """`start` (3,) is the base where the IMUs were set to zero, `joints` the angles there."""
        self._start = link_headings(start, joints)
        self.reset()

    def reset(self) -> None:
        """Back to the start."""
        self.heading = float(self._start[0])
        self.rate = 0.0

    def update(self, frame: SensorFrame) -> None:
        """Take the newest samples; without an IMU the heading goes on at the last rate."""
        sample = frame.imu
        if sample is None:
            return
        rates = sample.yaw_rate
        seen = np.isfinite(sample.yaw) & np.isfinite(rates)
        if not seen.any():
            return
        bent = np.concatenate(([0.0], np.cumsum(frame.position)))
        age = max(0, frame.stamp_ns - sample.stamp_ns) * 1e-9
        first = (self._start + sample.yaw + age * rates - bent)[seen]
        self.heading += float(np.mean(wrapped(first - self.heading)))
        self.rate = float(np.mean(first_link_rates(rates, frame.velocity)[seen]))


class BaseEstimate:
    """Motion of the base, tick by tick.

    Attributes:
        pushed: forces on the links from outside that the floor does not explain, along + i across
            the links, shape (n,), N; NaN where not measured. All are NaN unless it goes by forces.
    """

    def __init__(
        self,
        briefing: Briefing,
        chain: PlanarChain,
        source: Source,
        bandwidth: float,
        who: str,
        by_forces: bool = False,
    ) -> None:
        """Begins at the briefed start.

        Args:
            source: of the place.
            bandwidth: of corrections by the tracker, rad/s.
            who: the controller, for errors.
            by_forces: go by joint forces, too, where posts push.

        Raises:
            BoaError: the start is not known, or there is no tracker.
        """
        if briefing.start_base is None or briefing.start_joints is None:
            raise BoaError(
                f"controller {who}: it goes by its start, which this scenario hides "
                "(disturbance.unknown_start); leave that out"
            )
        if source == "tracker" and briefing.tracked_link is None:
            raise BoaError(
                f"controller {who}: position: tracker, but the scenario has no plant.tracker; add "
                "one, or take position: dead_reckoning"
            )
        self._pitch = briefing.robot.link.pitch
        self._chain = chain
        self._base, self._joints = briefing.start_base, briefing.start_joints
        self._link = briefing.tracked_link if source == "tracker" else None
        self._heading = HeadingFusion(self._base, self._joints)
        self._place = DeadReckoning(chain, briefing.ground, bandwidth)
        self._by_forces = by_forces
        self._at_rest = Sideways(np.zeros(chain.links), np.zeros(chain.links))
        self.reset()

    def reset(self) -> None:
        """The next frame is that of the start."""
        self._heading.reset()
        self._place.reset(centre_of_mass(self._pitch, self._base, self._joints))
        self._before_ns: int | None = None
        self._sample_ns: int | None = None
        self._arms: deque[tuple[int, Array]] = deque()
        self.pushed = np.full(self._chain.links, np.nan + 0j)

    def update(self, frame: SensorFrame) -> BaseMotion:
        """Take a frame; the motion at its time."""
        self._heading.update(frame)
        q = np.concatenate(([0.0, 0.0, self._heading.heading], frame.position))
        qd = np.concatenate(([0.0, 0.0], self._turning(frame)))
        posture = self._chain.posture(q)
        relative = self._chain.centre_velocities(posture, qd)
        drift = relative.mean(axis=0)
        before = frame.stamp_ns if self._before_ns is None else self._before_ns
        period = (frame.stamp_ns - before) * 1e-9
        outside = self._outside(frame, posture) if self._by_forces else None
        self._place.move(frame.stamp_ns, period, posture.theta, relative - drift, outside)
        self._before_ns = frame.stamp_ns
        if self._link is not None:
            axes = self._chain.joint_axes(q, posture)
            centre = (axes[1:] + axes[:-1]).mean(axis=0) / 2
            self._correct(frame, centre - axes[self._link])
        qd[:2] = self._place.velocity - drift
        if outside is not None:
            floor = self._place.floor_force(posture.theta, relative + qd[:2])
            x, y = (outside - floor).T
            self.pushed = (x + 1j * y) * np.exp(-1j * posture.theta)
        return BaseMotion(posture, qd, self._place.place, self._place.velocity)

    def _turning(self, frame: SensorFrame) -> Array:
        """Turn rate of link 1 and rates of the joints, shape (n,), rad/s: of the gyroscopes where
        all answer, which resolve a fifteenth of what servos do.
        """
        rates = np.full(1, np.nan) if frame.imu is None else frame.imu.yaw_rate
        if self._by_forces and np.isfinite(rates).all():
            return np.diff(rates, prepend=0.0)
        return np.concatenate(([self._heading.rate], frame.velocity))

    def _outside(self, frame: SensorFrame, posture: Posture) -> Array | None:
        """Measured forces on the links, floor included, shape (n, 2), N; None before the first."""
        forces = link_forces(frame, self._chain, self._at_rest)
        if forces is None:
            return None
        turned = (forces.along + 1j * forces.across) * np.exp(1j * posture.theta)
        return np.column_stack((turned.real, turned.imag))

    def _correct(self, frame: SensorFrame, arm: Array) -> None:
        """Keep the arm (2,) from the tracked link to the centre of mass, m, and use it for a new
        sample of that time.
        """
        self._arms.append((frame.stamp_ns, arm))
        while self._arms[0][0] < frame.stamp_ns - MEMORY_NS:
            self._arms.popleft()
        sample = frame.sample("tracker")
        if not isinstance(sample, TrackerSample) or not sample.seen:
            return
        if sample.stamp_ns == self._sample_ns:
            return
        self._sample_ns = sample.stamp_ns
        then = newest_until(self._arms, sample.stamp_ns)
        if then is not None:
            self._place.correct(sample.stamp_ns, sample.position[:2] + then)
