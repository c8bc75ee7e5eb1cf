# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A learned policy as a controller."""

from pathlib import Path

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.policy.file import PolicyFile
from boa_control.controllers.policy.interface import Translator
from boa_control.plant import SensorFrame
from boa_description.robot import Block


class Policy:
    """Asks a network for an action every few ticks; the action's torques are worked out at every
    tick. It measures what its file says, and knows nothing of map or path.
    """

    class Parameters(Block):
        """The file; everything else is in it."""

        file: str = Field(description="ONNX file with metadata; relative to the scenario's")

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        """Raises BoaError for a file that cannot be used, or not for this robot."""
        self._policy = PolicyFile(Path(parameters.file))
        self._translator = Translator(self._policy.record.interface, briefing)
        self._policy.require(self._translator.width, briefing.robot.joints)
        self.reset()

    def reset(self) -> None:
        """The next frame is the first of a new run."""
        self._translator.reset()
        self._ticks = 0
        self._action = np.zeros(0)

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Torques for one frame, after a new decision where it is time for one."""
        translator = self._translator
        if self._ticks % translator.every == 0:
            self._action = self._policy(translator.observe(frame))
            translator.decide(self._action)
        self._ticks += 1
        return ControlOutput(translator.torque(frame), debug={"action": self._action})
