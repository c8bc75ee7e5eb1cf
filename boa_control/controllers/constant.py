# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constant joint torques: the simplest controller, for tests of plants and for statics."""

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.common import per_joint
from boa_control.plant import SensorFrame
from boa_description.robot import Block, NewtonMetre


class ConstantTorque:
    """Gives the same torques at every tick."""

    class Parameters(Block):
        """One torque for all joints, or one per joint."""

        torque: NewtonMetre | tuple[NewtonMetre, ...] = 0.0

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        self._torque = per_joint(
            parameters.torque, briefing.robot.joints, "controller constant: torque"
        )

    def reset(self) -> None:
        """Nothing to forget."""

    def step(self, frame: SensorFrame) -> ControlOutput:  # noqa: ARG002
        """The constant torques."""
        return ControlOutput(self._torque.copy())
