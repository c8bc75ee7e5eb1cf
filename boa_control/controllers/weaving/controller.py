# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A wave about a path: on a floor that grips across the links it carries the robot to a place among
posts, where it comes to rest with its body on the path.
"""

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.base_estimate import BaseEstimate, BaseMotion, base_of
from boa_control.controllers.closing_speed import LimitsAmongPosts, closing_limit
from boa_control.controllers.link_speed import drive_share
from boa_control.controllers.pace import Pace
from boa_control.controllers.weaving.waving_path import Laid, WavingPath, amplitudes
from boa_control.model.dynamics import PlanarChain
from boa_control.model.linearisation import floor_load, linearising_torque
from boa_control.model.reference import ReferenceTable
from boa_control.plant import SensorFrame
from boa_description.angles import wrapped
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Metre, NewtonMetreSecond, RadianPerSecond, Second, require_planar

NEAR_END, OFF_END = 0.01, 0.02  # m before the end, where the wave ends, and where it begins again
LARGEST_STEP = 0.02  # m by which the estimated place changes in a tick, at most
TURN = 0.4  # rad, that a joint is bent at most to lead the body back to its path
AHEAD = 0.05  # s, over which the rates of the wave are taken


class Weaving:
    """Joint angles of the chain on a waving path at the place s where the tracker has the robot,

        phi_ref = phi(s + lead, t) + g_i (-atan(e_i / lookahead) - psi_i),
        phi'' = k_p (phi_ref - phi) + k_d (phi_ref' - phi'),

    with e_i and psi_i what link i is off its place there, to the left and in heading, and g_i from
    0 amid the body to 1 at the head: the head leads the body back. At the end the wave fades and
    the joints grow stiff, so that posts on both sides push the body to its place.
    """

    class Parameters(LimitsAmongPosts):
        """Wave and gains."""

        frequency: RadianPerSecond = Field(default=0.576, gt=0, description="of the wave")
        wavelength: Metre = Field(default=1.17, gt=0)
        most: Metre = Field(default=0.12, gt=0, description="amplitude where there is room")
        least: Metre = Field(default=0.07, ge=0, description="amplitude between posts")
        lead: Metre = Field(default=0.1, ge=0, description="of the shape before the robot")
        lookahead: Metre = Field(default=0.3, gt=0, description="in which it comes back")
        gain: float = Field(default=1.3, ge=0, description="of the head, see `Weaving`")
        kp: float = Field(default=20.0, ge=0, description="1/s2")
        kd: float = Field(default=40.0, ge=0, description="1/s")
        stiffness: float = Field(default=20.0, ge=0, description="at the end, N m/rad")
        damping: NewtonMetreSecond = Field(default=5.0, ge=0, description="at the end")
        ramp: Second = Field(
            default=3.0, gt=0, description="in which the wave begins, ends, and joints grow stiff"
        )
        bandwidth: float = Field(
            default=4.0, gt=0, description="of corrections by the tracker, rad/s"
        )

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        """Raises BoaError for a robot that leaves the plane, no path or one that is closed, an
        unknown start, or a missing tracker.
        """
        robot, path = briefing.robot, briefing.path
        require_planar(robot, "controller weaving")
        if path is None or path.curve.closed or briefing.start_progress is None:
            raise BoaError("controller weaving: it follows an open path from a known place on it")
        p = self._p = parameters
        self._chain = PlanarChain(robot)
        self._ground = briefing.ground
        self._estimate = BaseEstimate(
            briefing, self._chain, "tracker", parameters.bandwidth, "weaving"
        )
        wide = amplitudes(path.curve, robot.link.radius, briefing.obstacles, p.least, p.most)
        self._path = WavingPath(path.curve, robot.links, robot.link.pitch, wide, p.wavelength)
        self._end = ReferenceTable(path.curve, robot.links, robot.link.pitch).end
        self._gains = p.gain * np.clip(np.linspace(-0.5, 1.0, robot.joints), 0.0, 1.0)
        self._pace = Pace(robot.limits.torque, p.joint_force, briefing.period)
        self._closing = closing_limit(p, briefing, self._chain, "tracker")
        self._start, self._period = briefing.start_progress, briefing.period
        self.reset()

    def reset(self) -> None:
        """The next frame is the first of a new run."""
        self._estimate.reset()
        self._pace.reset()
        self._s = self._start
        self._share = self._stiff = 0.0
        self._arrived = False

    def look_on(self, frame: SensorFrame) -> None:
        """Follow the robot by a frame that another controller answers."""
        self._estimate.update(frame)

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Torques for one frame."""
        p, pace = self._p, self._pace
        pace.update(frame)
        motion = self._estimate.update(frame)
        axes = self._chain.joint_axes(base_of(self._chain, motion), motion.posture)
        phase = p.frequency * pace.time
        here = self._path.lay(self._s, phase, self._share)
        off = axes - here.axes
        change = float(np.mean(np.sum(off * here.along, axis=1)))
        self._s += min(max(change, -LARGEST_STEP), LARGEST_STEP)
        to_go = self._end - self._s
        self._arrived = to_go < (OFF_END if self._arrived else NEAR_END)
        self._fade()
        ahead = min(self._s + self._share * p.lead, self._end)
        reference, rate = self._shape(ahead, phase)
        reference = reference + (1.0 - self._stiff) * self._turns(motion, here, off)
        load = p.speed_load(self._chain, motion)
        share = drive_share(load)
        desired = share * p.kp * (reference - frame.position)
        desired += p.kd * (share * pace.rate * rate - frame.velocity)
        floor = floor_load(self._chain, self._ground, motion.posture, motion.qd)
        torque = linearising_torque(self._chain, floor, motion.posture, motion.qd, desired)
        if self._stiff > 0.0:
            held = p.stiffness * (reference - frame.position) - p.damping * frame.velocity
            torque = torque + self._stiff * (held - torque)
        torque = self._closing.kept(torque, floor, motion)
        pace.record_command(torque, load)
        return ControlOutput(
            torque,
            debug={
                "reference_rad": reference,
                "pace": pace.rate,
                "position_m": motion.centre,
                "heading_rad": motion.heading,
                "progress_m": self._s,
                "speed_reference_mps": 0.0 if self._stiff == 1.0 else np.nan,
                "path_error_m": np.hypot(off[:, 0], off[:, 1]),
            },
        )

    def _fade(self) -> None:
        """At the end less and less of the wave, then stiffer joints; before it the other way."""
        step = self._period / self._p.ramp
        over = self._arrived and self._share == 0.0
        self._stiff = min(max(self._stiff + (step if over else -step), 0.0), 1.0)
        self._share = min(max(self._share + (-step if self._arrived else step), 0.0), 1.0)

    def _shape(self, s: float, phase: float) -> tuple[Array, Array]:
        """Joint angles at a place, m, and a phase, rad, and their rates, rad and rad/s."""
        angles = np.diff(self._path.lay(s, phase, self._share).headings)
        later = self._path.lay(s, phase + AHEAD * self._p.frequency, self._share)
        return angles, (np.diff(later.headings) - angles) / AHEAD

    def _turns(self, motion: BaseMotion, here: Laid, off: Array) -> Array:
        """By which joints bend more so that the head leads back, shape (n - 1,), rad."""
        left = off[:, 1] * here.along[:, 0] - off[:, 0] * here.along[:, 1]
        back = -np.arctan((left[1:] + left[:-1]) / 2 / self._p.lookahead)
        psi = wrapped(motion.posture.theta - here.headings)
        turns: Array = np.clip(self._gains * (back[1:] - psi[:-1]), -TURN, TURN)
        return turns
