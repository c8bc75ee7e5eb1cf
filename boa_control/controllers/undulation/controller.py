# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Partial feedback linearisation with a serpenoid gait (Wang, sections III-A to III-C)."""

from typing import Literal

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.base_estimate import BaseEstimate, BaseMotion, Source
from boa_control.controllers.closing_speed import LimitsAmongPosts, closing_limit
from boa_control.controllers.common import check_gait
from boa_control.controllers.gaits import JointReference, Wave, joint_reference, ramped
from boa_control.controllers.link_speed import drive_share
from boa_control.controllers.pace import Pace, at_pace
from boa_control.controllers.undulation.steering import Steering, SteeringSettings
from boa_control.model.dynamics import PlanarChain
from boa_control.model.linearisation import floor_load, linearising_torque
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Second, require_planar
from boa_description.scene import SMOOTH


class Undulation:
    """Swims by a wave of the joints, steered to targets or along a guide.

    phi_ref,i = A sin(w t + (i - 1) delta) + beta (eq. 31), and torques with which

        phi'' = k_p (phi_ref - phi) - k_d phi'                                    (eq. 32), or
        phi'' = phi_ref'' + k_p (phi_ref - phi) + k_d (phi_ref' - phi')    with feedforward,

    on a floor as briefed. Posts are not in the model: the joints yield to them like springs.
    """

    class Parameters(LimitsAmongPosts):
        """Law, gait and steering."""

        law: Literal["linearised", "joint_pd"] = Field(
            default="linearised", description="joint_pd: the same gains as torques, N m"
        )
        feedforward: bool = Field(default=True, description="of the rates of the gait")
        kp: float = Field(default=100.0, ge=0, description="1/s2; with joint_pd N m/rad")
        kd: float = Field(default=20.0, ge=0, description="1/s; with joint_pd N m s/rad")
        gait: Wave = Wave()
        ramp: Second = Field(default=0.0, ge=0, description="time in which the gait begins")
        floor: bool = Field(default=True, description="compensate the friction of the floor")
        steering: SteeringSettings = SteeringSettings()
        position: Source = "tracker"
        bandwidth: float = Field(
            default=4.0, gt=0, description="of corrections by the tracker, rad/s"
        )

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        """Raises BoaError for a robot that leaves the plane, a gait of another robot, an unknown
        start, or a missing tracker.
        """
        robot = briefing.robot
        require_planar(robot, "controller undulation")
        check_gait(parameters.gait, robot, "controller undulation: gait")
        self._p = parameters
        self._chain = PlanarChain(robot)
        self._ground = briefing.ground if parameters.floor else SMOOTH
        self._estimate = BaseEstimate(
            briefing, self._chain, parameters.position, parameters.bandwidth, "undulation"
        )
        self._steering = Steering(briefing.goal, parameters.steering, briefing.period)
        self._straight = np.zeros(robot.joints)
        self._pace = Pace(robot.limits.torque, parameters.joint_force, briefing.period)
        self._closing = closing_limit(parameters, briefing, self._chain, parameters.position)
        self.reset()

    def reset(self) -> None:
        """The next frame is the first of a new run."""
        self._estimate.reset()
        self._steering.reset()
        self._pace.reset()
        self._start_joints: Array | None = None

    def look_on(self, frame: SensorFrame) -> None:
        """Follow the robot by a frame that another controller answers."""
        self._estimate.update(frame)

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Torques for one frame."""
        if self._start_joints is None:
            self._start_joints = frame.position
        pace = self._pace
        pace.update(frame)
        motion = self._estimate.update(frame)
        offset = self._steering.update(motion.centre, motion.heading)
        gait = joint_reference(self._p.gait, pace.time, self._straight)
        wave = at_pace(ramped(gait, self._start_joints, pace.time, self._p.ramp), pace)
        reference = JointReference(
            wave.position + offset.value,
            wave.velocity + offset.rate,
            wave.acceleration + offset.acceleration,
        )
        aim = self._steering.aim
        load = self._p.speed_load(self._chain, motion)
        floor = floor_load(self._chain, self._ground, motion.posture, motion.qd)
        torque = self._torque(frame, motion, floor, reference, drive_share(load))
        torque = self._closing.kept(torque, floor, motion)
        pace.record_command(torque, load)
        return ControlOutput(
            torque,
            events=self._steering.events,
            debug={
                "reference_rad": reference.position,
                "offset_rad": offset.value,
                "pace": pace.rate,
                "position_m": motion.centre,
                "heading_rad": motion.heading,
                "aim_m": np.full(2, np.nan) if aim is None else aim,
            },
        )

    def _torque(
        self,
        frame: SensorFrame,
        motion: BaseMotion,
        floor: Array,
        reference: JointReference,
        share: float,
    ) -> Array:
        """On what the floor does, with `share` of the drive towards the reference and all of the
        damping.
        """
        p = self._p
        error = reference.position - frame.position
        if p.feedforward:
            rate = reference.velocity - frame.velocity
            desired = p.kp * error + p.kd * rate
        else:
            desired = p.kp * error - p.kd * frame.velocity
        if share < 1.0:
            desired = share * desired - (1.0 - share) * p.kd * frame.velocity
        if p.law == "joint_pd":
            torque: Array = desired
            return torque
        if p.feedforward:
            desired = desired + share * reference.acceleration
        return linearising_torque(self._chain, floor, motion.posture, motion.qd, desired)
