# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint PD control of a gait (thesis eq. 2.2)."""

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.common import check_gait
from boa_control.controllers.gait_limits import GaitLimits
from boa_control.controllers.gaits import Gait, Hold, joint_reference, ramped
from boa_control.controllers.open_loop_clock import open_loop_clock
from boa_control.controllers.space_gaits import SpaceGait
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import NewtonMetre, NewtonMetreSecond, Second


class JointPd:
    """tau_i = K_P (phi_ref,i - phi_i) + K_D (phi_dot_ref,i - phi_dot_i).

    Eq. 2.2 is printed with both signs turned, tau_i = -K_P (..) - K_D (..), which drives every
    joint away from its reference for positive gains and joint angles that grow with positive
    torque; the sign here is the stable one (Transeth et al. 2008 and thesis 4.3.2 have it too).
    """

    class Parameters(GaitLimits):
        """Gains, gait, and optional limits."""

        kp: float = Field(default=20.0, ge=0, description="N m/rad")
        kd: NewtonMetreSecond = Field(default=1.0, ge=0)
        torque_limit: NewtonMetre | None = Field(default=None, gt=0)
        gait: Gait = Hold()
        ramp: Second = Field(
            default=0.0, ge=0, description="from the joint angles at the start to the gait"
        )

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        """Raises BoaError for a gait of another robot, or limits of speed that this robot or its
        start does not allow.
        """
        check_gait(parameters.gait, briefing.robot, "controller joint_pd: gait")
        gait, robot = parameters.gait, briefing.robot
        self._gait = (
            gait.motion(robot.joints, robot.pitch_joints) if isinstance(gait, SpaceGait) else gait
        )
        self._parameters = parameters
        self._clock = open_loop_clock(parameters, briefing, "joint_pd")
        self._briefed_start = briefing.start_joints
        self.reset()

    def reset(self) -> None:
        """The next frame starts the gait anew."""
        self._clock.reset()
        self._start_joints: Array | None = None

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Torques towards the gait at the time since the first frame."""
        if self._start_joints is None:
            self._start_joints = (
                frame.position.copy() if self._briefed_start is None else self._briefed_start
            )
        p, clock = self._parameters, self._clock
        clock.update(frame)
        reference = ramped(
            joint_reference(self._gait, clock.time, self._start_joints),
            self._start_joints,
            clock.time,
            p.ramp,
        )
        torque = pd_torque(
            clock.drive * p.kp,
            p.kd,
            reference.position - frame.position,
            clock.drive * clock.rate * reference.velocity - frame.velocity,
            p.torque_limit,
        )
        clock.record_command(torque)
        return ControlOutput(
            torque, debug={"reference_rad": reference.position, "pace": clock.rate}
        )


def pd_torque(
    kp: float, kd: float, error: Array, error_rate: Array, limit: float | None = None
) -> Array:
    """PD law, each joint cut to +-`limit` (N m) where given."""
    torque: Array = kp * error + kd * error_rate
    return torque if limit is None else np.clip(torque, -limit, limit)
