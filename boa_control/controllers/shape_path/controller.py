# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compliant shape control along a guide (paper, sections IV and V)."""

import math

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.base_estimate import BaseEstimate, BaseMotion, Source
from boa_control.controllers.gait_limits import GaitLimits
from boa_control.controllers.joint_pd import pd_torque
from boa_control.controllers.link_speed import drive_share
from boa_control.controllers.pace import Pace
from boa_control.controllers.shape_path.compliance import ComplianceSettings
from boa_control.controllers.shape_path.virtual_robot import GaitSegment, VirtualRobot
from boa_control.controllers.shape_path.widening import Widening, WideningSettings
from boa_control.estimation.link_forces import lateral_forces
from boa_control.events import Event, EventKind
from boa_control.model.dynamics import PlanarChain
from boa_control.paths.goals import Pursuit, require_course
from boa_control.plant import SensorFrame
from boa_description.angles import wrapped
from boa_description.arrays import Array
from boa_description.robot import (
    Metre,
    NewtonMetre,
    NewtonMetreSecond,
    Radian,
    RadianPerSecond,
    require_planar,
)


class ShapePath:
    """Joints follow a virtual robot on a curve whose new points lead along a guide.

        psi = mean heading of the virtual robot + k_psi (heading_ref - heading)          (eq. 5)
        heading_ref = heading of the guide - atan(offset / lookahead)                    (eq. 4)
        tau = k_p (phi_ref - phi) - k_d phi'                                             (eq. 7)

    Contact forces, from the joint force sensors without a map, bend the curve (`compliance`).
    """

    class Parameters(GaitLimits):
        """Values of the paper, section VI-A, but for kp and lookahead: its own are too small."""

        speed: float = Field(default=0.2, ge=0, le=2, description="of the head on the curve, m/s")
        kp: float = Field(default=20.0, ge=0, description="N m/rad")
        kd: NewtonMetreSecond = Field(default=0.0, ge=0)
        torque_limit: NewtonMetre | None = Field(default=None, gt=0)
        gait: GaitSegment = GaitSegment()
        ahead: int = Field(default=1, ge=0, le=10, description="points kept before the head")
        compliance: ComplianceSettings | None = Field(
            default=ComplianceSettings(), description="null: the curve stays rigid"
        )
        bend: Radian | None = Field(
            default=None, gt=0, description="largest angle that a joint is driven to"
        )
        bend_rate: RadianPerSecond | None = Field(
            default=None, gt=0, description="largest rate at which references of joints change"
        )
        widening: WideningSettings = WideningSettings()
        heading_gain: float = Field(default=1.0, ge=0, description="k_psi")
        lookahead: Metre = Field(default=1.76, gt=0, description="Delta of the line of sight")
        position: Source = "tracker"
        bandwidth: float = Field(
            default=4.0, gt=0, description="of corrections by the tracker, rad/s"
        )

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        """Raises BoaError for a robot that leaves the plane, a goal that is no guide, an unknown
        start, or a missing tracker.
        """
        robot = briefing.robot
        require_planar(robot, "controller shape_path")
        self._goal = require_course(briefing.goal, "controller shape_path")
        self._p = parameters
        self._mass = robot.link.mass
        self._period = briefing.period
        self._pursuit = Pursuit(self._goal)
        self._chain = PlanarChain(robot)
        self._estimate = BaseEstimate(
            briefing, self._chain, parameters.position, parameters.bandwidth, "shape_path"
        )
        self._pace = Pace(robot.limits.torque, parameters.joint_force, briefing.period)
        self._widening = Widening(parameters.widening, briefing.period)
        self._virtual = VirtualRobot(
            robot.links, robot.link.pitch, parameters.gait, parameters.compliance, parameters.ahead
        )
        self.reset()

    def reset(self) -> None:
        """The next frame is the first of a new run."""
        self._estimate.reset()
        self._pursuit.reset()
        self._pace.reset()
        self._widening.reset()
        self._started = False
        self._reference = np.zeros(0)  # angles of the joints, rad

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Torques for one frame."""
        p = self._p
        motion = self._estimate.update(frame)
        if not self._started:
            self._started = True
            self._virtual.reset(np.zeros(2), motion.heading)
            self._reference = self._virtual.shape.angles
        finished = self._pursuit.update(motion.centre)
        force = lateral_forces(frame, self._mass)
        turn = self._turn(motion)
        self._pace.update(frame)
        widened = not self._pursuit.done and self._widening.update(self._pursuit.progress)
        width = self._widening.width
        shape = self._virtual.step(self._pace.rate * p.speed, turn, force, self._period, width)
        self._reference = self._reachable(shape.angles)
        torque = pd_torque(
            p.kp * drive_share(p.speed_load(self._chain, motion)),
            p.kd,
            self._reference - frame.position,
            -frame.velocity,
            p.torque_limit,
        )
        self._pace.record_command(torque)
        return ControlOutput(
            torque,
            events=(
                *((Event(kind=EventKind.GUIDE_ENDED),) if finished else ()),
                *((Event(kind=EventKind.WAVE_WIDENED, value=float(width)),) if widened else ()),
            ),
            debug={
                "reference_rad": self._reference,
                "position_m": motion.centre,
                "heading_rad": motion.heading,
                "offset_m": self._pursuit.offset,
                "turn_rad": turn,
                "width": width,
                "pace": self._pace.rate,
                "link_force_n": force,
            },
        )

    def _reachable(self, angles: Array) -> Array:
        """Angles within `bend`, no further from the reference of before than `bend_rate` allows. A
        curve that is pushed together folds, and joints that follow a fold strike the posts.
        """
        p = self._p
        if p.bend is not None:
            angles = np.clip(angles, -p.bend, p.bend)
        if p.bend_rate is not None:
            step = p.bend_rate * self._period
            angles = np.clip(angles, self._reference - step, self._reference + step)
        return angles

    def _turn(self, motion: BaseMotion) -> float:
        """k_psi (heading_ref - heading), rad."""
        guide = float(self._goal.guide.heading(np.array(self._pursuit.s)))
        desired = guide - math.atan(self._pursuit.offset / self._p.lookahead)
        return self._p.heading_gain * float(wrapped(np.array(desired - motion.heading)))
