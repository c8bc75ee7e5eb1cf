# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Guard before every controller: it sees complete frames only; where a joint gives no reading there
is no torque.
"""

from typing import Protocol

import numpy as np

from boa_control.controller import Controller, ControlOutput
from boa_control.events import Event, EventKind
from boa_control.plant import SensorFrame
from boa_control.safety.controller_error import Shapes, answer


class Reduction(Protocol):
    """Reduces the torques of a controller by what the robot measures."""

    def reset(self) -> None:
        """The next frame is the first of a new run."""

    def reduced(self, output: ControlOutput, frame: SensorFrame, /) -> ControlOutput:
        """The output with torques that are nowhere larger."""


class Unreduced:
    """Leaves the torques as they are."""

    def reset(self) -> None:
        """Nothing to forget."""

    def reduced(self, output: ControlOutput, _frame: SensorFrame, /) -> ControlOutput:
        """The output itself."""
        return output


class FrameGuard:
    """Steps a controller, itself one.

    A frame that lacks a reading of some joint is answered by zero torque, without a step of the
    controller: its observers and integrals would carry the gap on. It goes on with the next whole
    frame; the stamps tell it for how long torque was away.

    Attributes:
        incomplete: frames without a reading of some joint so far; a reset keeps the count.
    """

    def __init__(
        self,
        controller: Controller,
        joint_names: tuple[str, ...],
        reduction: Reduction | None = None,
    ) -> None:
        """`joint_names`: for the events. `reduction` of the torques; None: they stay."""
        self._controller = controller
        self._reduction = Unreduced() if reduction is None else reduction
        self._joint_names = joint_names
        self._missed = 0  # frames in a row
        self._shapes: Shapes = {}
        self.incomplete = 0

    def reset(self) -> None:
        """Forget everything; the next step starts a new run."""
        self._missed = 0
        self._reduction.reset()
        self._controller.reset()

    def step(self, frame: SensorFrame) -> ControlOutput:
        """The controller's answer, or zero torque where there is nothing to answer; never raises
        for missing values.

        Raises:
            ControllerError: the controller raised, or gave no answer.
        """
        if not frame.complete:
            self._missed += 1
            self.incomplete += 1
            events = (
                (Event(kind=EventKind.READINGS_MISSING, subject=self._silent(frame)),)
                if self._missed == 1
                else ()
            )
            return ControlOutput(np.zeros(frame.position.size), events=events, ready=False)
        output = self._reduction.reduced(answer(self._controller, frame, self._shapes), frame)
        if self._missed:
            event = Event(kind=EventKind.READINGS_AGAIN, count=self._missed)
            self._missed = 0
            return output._replace(events=(event, *output.events))
        return output

    def _silent(self, frame: SensorFrame) -> str:
        missing = ~np.isfinite(frame.position + frame.velocity + frame.effort)
        return ", ".join(
            name for name, gone in zip(self._joint_names, missing, strict=True) if gone
        )
