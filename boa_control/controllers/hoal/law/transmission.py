# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From the torque that a joint shall pass on to that of its motor.

A gearbox eats a share of the torque that depends on the load and on who drives whom. Contact forces
are torques over short arms: a joint that passes on 1 N m more or less moves the force of a post by
8 N. So what the joints really pass on is measured, from the joint force sensors and the places of
the contacts, and controlled:

    u = T + f(T, d) + z,    z' = w (u_sent - L - p' - f_sent - z),

with the torque T that the QP wants, the model f of the gearbox in the direction d in which the path
turns the joint (`GearboxLosses`, learnt on the way), and the rest z, which follows the measured
loss as fast as the age of the samples allows. L is what balances the links at rest, p the angular
momentum of links and rotors, whose rate needs no differentiation in a low-pass (a momentum
observer, De Luca and Mattone, ICRA 2005). Leaving it out feeds accelerations back, and the body
swings at 8 Hz on posts that give way. Everything that is fed forward is subtracted in the loop, so
nothing is compensated twice.

Derivation: docs/mathematics.md, section 9.3.
"""

import math
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from boa_control.compiled import transmission as kernels
from boa_control.controllers.hoal.parameters import TransmissionSettings
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.estimation.friction import TransmittedTorques
from boa_control.estimation.gearbox_losses import GearboxLosses, LossEstimate, nominal_losses
from boa_control.estimation.link_forces import LinkForces
from boa_control.estimation.sideways_balance import JOINT_ZONE
from boa_control.estimation.touch_points import PassedOn
from boa_control.model.contact_set import ContactSet
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.arrays import Array, Flags, Indices
from boa_description.errors import BoaError
from boa_description.robot import Robot


class _Sent(NamedTuple):
    """What was in force at a frame: stamp, motor torque as measured and what was fed forward, (n -
    1,), N m, and the rates of the joints, (n - 1,), rad/s.
    """

    stamp_ns: int
    effort: Array
    fed_forward: Array
    velocity: Array


class PassedOnTorques:
    """What the joints passed on, by the moments on the links: each link is a free body between its
    joints and the post that touches it. What turns the links faster is left out: it is the rate of
    `spin`.

    Attributes:
        friction: coefficient of the posts, which may change. armature: of the rotors, kg m2.
    """

    def __init__(self, robot: Robot, contact_friction: float) -> None:
        self._pitch = robot.link.pitch
        self._inertia = robot.link.yaw_inertia
        self.armature = robot.actuator.armature
        self._radius = robot.link.radius
        self.friction = contact_friction
        self._torques = TransmittedTorques(robot.links)
        self._no_gyroscopes = np.full(robot.links, math.nan)

    def __call__(self, across: Array, moment: Array, contacts: ContactSet, rate: float) -> Array:
        """Torques, shape (n - 1,), N m; NaN where a sensor is silent.

        Args:
            across: force of the posts on every link, moment: of the joint forces about its middle,
                (n,), N and N m, see `measured_loads`.
            contacts: that carry. rate: along the path, m/s; friction of the posts is against it.
        """
        middle = self._pitch / 2 + math.copysign(self.friction * self._radius, rate)
        turning, at = np.empty(across.size), (contacts.link, contacts.offset)
        kernels.turning_moments(turning, (across, moment), at, JOINT_ZONE, self._pitch, middle)
        return self._torques(turning)

    def spin(self, velocity: Array, imu: ImuSample | None) -> Array:
        """Angular momentum of links and rotors as an impulse of the joints, (n - 1,), N m s, whose
        rate a motor gives beside what its joint passes on.

        Without gyroscopes the tail counts as not turning.

        Args:
            velocity: of the joints, (n - 1,), rad/s. imu: of about the same time.
        """
        impulse: Array = self.armature * velocity - self.turning(velocity, imu)
        return impulse

    def turning(self, velocity: Array, imu: ImuSample | None) -> Array:
        """The part of the links, taken from that of the rotors; as `spin`."""
        measured = self._no_gyroscopes if imu is None else imu.yaw_rate
        momentum = np.empty(measured.size)
        kernels.angular_momenta(momentum, velocity, measured, self._inertia)
        return self._torques(momentum)


class Transmission:
    """The gearboxes of all joints, as this robot's sensors know them.

    Attributes:
        asked: torque that the joints shall pass on, (n - 1,), N m.
        passed_on: what they passed on at the newest sample, (n - 1,), N m.
        rest: z, (n - 1,), N m.
    """

    def __init__(
        self,
        robot: Robot,
        settings: TransmissionSettings,
        contact_friction: float,
        period: float,
        tuning: Tuning = SHIPPED,
    ) -> None:
        """`contact_friction`: coefficient of the posts. `period`: of the control ticks, s.

        Raises:
            BoaError: settings of another number of joints.
        """
        self._tuning, self._times = tuning.law, tuning.steering
        self._history = tuning.contacts.memory  # s, the oldest sample that is used
        self._loop_ns = round(tuning.law.loop_time * 1e9)
        self._torques = PassedOnTorques(robot, contact_friction)
        self._period = period
        self._joints = robot.joints
        self._damping = robot.actuator.damping
        self._limit = robot.limits.torque
        self._most = tuning.law.largest * robot.limits.torque
        self._share = settings.loop
        briefed = nominal_losses(robot) if settings.prior is None else settings.prior
        prior = _of_each(briefed, robot.joints, "prior")
        doubt = _of_each(settings.doubt, robot.joints, "doubt")
        self._estimate = LossEstimate(robot.joints, prior, doubt)
        self.reset()

    def reset(self) -> None:
        """Back to the prior."""
        self._estimate.reset()
        self.release()

    def release(self) -> None:
        """Nothing is measured any more of what the joints pass on; what was learnt stays."""
        self.rest = self.passed_on = self.asked = self._direction = np.zeros(self._joints)
        self._fed = np.zeros(self._joints)
        self._slow: kernels.Slow | None = None
        self._sent: deque[_Sent] = deque()
        self._seen_ns = -1
        self._learnt = self._solved = 0.0  # s since

    @property
    def losses(self) -> GearboxLosses:
        """Of every gearbox, as known now."""
        return self._estimate.losses

    @property
    def sound(self) -> bool:
        """No joint is `insensible`."""
        return self._estimate.sound and not kernels.reaches(self.rest, self._most)

    @property
    def insensible(self) -> Flags:
        """Joints that seem to lose what no gearbox in order does, (n - 1,)."""
        bounded: Flags = np.abs(self.rest) >= self._most
        return bounded | self._estimate.at_bound

    @property
    def excess(self) -> Array:
        """Losses above those that were believed at first, (n - 1,), N m."""
        direction, torque = self._direction, self.asked
        known = self.losses.motor_torque(torque, direction)
        more = known + self.rest - self._estimate.prior.motor_torque(torque, direction)
        against: Array = np.where(direction == 0.0, np.abs(more), more * np.sign(direction))
        return against

    @property
    def debug(self) -> dict[str, float | Array]:
        """The present knowledge, for the log."""
        return {
            "transmission_asked_nm": self.asked,
            "transmitted_nm": self.passed_on,
            "transmission_rest_nm": self.rest,
            **self._estimate.debug,
        }

    def motor_torque(self, torque: Array, direction: Array, rate: Array) -> Array:
        """Torques of the motors, (n - 1,), N m, with which the joints pass on `torque`.

        Args:
            direction: in which the path turns the joints, -1 to 1, (n - 1,); 0 at rest.
            rate: at which it does, (n - 1,), rad/s.
        """
        self.asked, self._direction = torque, direction
        motor, self._fed = np.empty(torque.size), np.empty(torque.size)
        wish = torque, direction, rate, self.rest
        kernels.motor_torques(motor, self._fed, wish, self.losses, self._damping, self._limit)
        return motor

    def passed_on_with(self, sample: ForceSample | None) -> PassedOn:
        """What the joints passed on at a sample of the joint forces, by the model alone: z stands
        on where contacts are planned, and this shall tell where they are. Without a sample, now.
        """
        sent = None if sample is None else self._at(sample.stamp_ns)
        if sent is None:
            sent = self._sent[-1]
        torque = sent.effort - sent.fed_forward
        return PassedOn(torque, self._estimate.doubt(torque, self._direction))

    def record(self, frame: SensorFrame) -> None:
        """Remember what acted when the joints were measured; once a tick, first."""
        self._sent.append(_Sent(frame.stamp_ns, frame.effort, self._fed, frame.velocity))
        while self._sent[0].stamp_ns < frame.stamp_ns - self._history * 1e9:
            self._sent.popleft()

    def due(self, frame: SensorFrame) -> bool:
        """Whether the frame has a sample of the joint forces that tells more."""
        sample = frame.joint_force
        return sample is not None and sample.stamp_ns - self._seen_ns >= self._loop_ns

    def rub(self, friction: float) -> None:
        """Take another friction of the posts for the true one."""
        self._torques.friction = friction

    def measured(
        self, loads: tuple[LinkForces, Array] | None, contacts: ContactSet, rate: float
    ) -> Array:
        """What the joints pass on by `measured_loads`, see `PassedOnTorques`."""
        assert loads is not None  # a sample is `due`
        outside, moment = loads
        return self._torques(outside.across, moment, contacts, rate)

    def update(
        self, frame: SensorFrame, passed_on: Array, reference_rate: Array, moves: bool
    ) -> None:
        """Use one sample.

        Args:
            passed_on: torques by the newest joint forces, (n - 1,), N m; NaN where a sensor is
                silent, which tells nothing of any joint.
            reference_rate: of the joints on the path, (n - 1,), rad/s. moves: the robot travels.
        """
        sample = frame.joint_force
        assert sample is not None
        since = (sample.stamp_ns - self._seen_ns) * 1e-9 if self._seen_ns >= 0 else 0.0
        self._seen_ns = sample.stamp_ns
        since = min(since, self._history)
        sent = self._at(sample.stamp_ns)
        if sent is None or not self._observe(frame, sent, passed_on, since):
            self.rest, self._slow = self.rest * (1.0 - since / self._tuning.fade_time), None
            return
        self.passed_on = passed_on
        if moves:
            self._learn(frame, sent, reference_rate, since)

    def _observe(self, frame: SensorFrame, sent: _Sent, passed_on: Array, since: float) -> bool:
        """Compare what acted at a sample with what was passed on; False where that is not known."""
        sample = frame.joint_force
        assert sample is not None
        age = (frame.stamp_ns - sample.stamp_ns) * 1e-9
        loop = min(self._share / max(since + age, self._period), self._tuning.fastest)
        torques, share = self._torques, min(loop * since, 1.0)
        turning = torques.turning(sent.velocity, frame.imu)
        if self._slow is None:
            spin = torques.spin(sent.velocity, frame.imu)
            self._slow = kernels.Slow(self.rest.copy(), spin)
        rest = np.empty(self._joints)
        given = sent.effort, sent.fed_forward, passed_on, sent.velocity, turning
        known: bool = kernels.observe_losses(
            rest, self._slow, given, torques.armature, loop, share, self._most
        )
        if known:
            self.rest = rest
        return known

    def _learn(self, frame: SensorFrame, sent: _Sent, reference_rate: Array, since: float) -> None:
        self._learnt += since
        self._solved += since
        if self._learnt < self._times.update_time:
            return
        moving = np.abs(reference_rate) > self._tuning.turned_rate
        moving &= np.sign(reference_rate) * frame.velocity > self._tuning.moving_rate
        motor = sent.effort - self._damping * reference_rate
        self._estimate.add(motor, self.passed_on, reference_rate, moving, self._learnt)
        self._learnt = 0.0
        if self._solved >= self._times.solve_time:
            self._solved = 0.0
            self._estimate.solve()

    def _at(self, stamp_ns: int) -> _Sent | None:
        """What acted at a time, ns; None where that is too long ago."""
        if not self._sent or stamp_ns < self._sent[0].stamp_ns - self._period * 1e9:
            return None
        nearest = self._sent[-1]
        for sent in reversed(self._sent):  # it is one of the newest as a rule
            if abs(sent.stamp_ns - stamp_ns) > abs(nearest.stamp_ns - stamp_ns):
                break
            nearest = sent
        return nearest


def _of_each(values: Sequence[float | tuple[float, ...]], joints: int, name: str) -> Array:
    """The values of every joint, shape (3, n - 1), of those of all, or of each."""
    for value, what in zip(values, GearboxLosses._fields, strict=True):
        if isinstance(value, tuple) and len(value) != joints:
            raise BoaError(
                f"transmission.{name}: {len(value)} values of {what}, the robot has {joints} "
                "joints; give one value for all, or one of each joint"
            )
    return np.array([np.broadcast_to(value, joints) for value in values], float)


def lever_arms(link: Indices, offset: Array, links: int, pitch: float) -> Array:
    """Where posts touch each of the `links`, from its tail-side axis, shape (n,), m; the middle
    where there is none.

    A post near a joint may still, or already, touch the neighbour there.

    Args:
        link, offset: of the contacts, shape (nc,); index, and place along that link from its
            tail-side axis, m.
    """
    arm = np.empty(links)
    kernels.lever_arms(arm, link, offset, JOINT_ZONE, pitch)
    return arm
