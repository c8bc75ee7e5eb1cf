# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the class of a controller may leave out: `Parameters`, of which it then takes none and is
made from the briefing alone, and `reset`: then it is made anew for every run.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from boa_control.controller import Briefing, Controller, ControlOutput
from boa_control.plant import SensorFrame
from boa_description.registry import made
from boa_description.robot import Block


class NoParameters(Block):
    """There are none."""


class MadeAnew:
    """A controller whose class has no `reset`; what else it can it still can."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self.reset()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._controller, name)

    def reset(self) -> None:
        """The next step starts a new run."""
        self._controller = self._make()

    def step(self, frame: SensorFrame) -> ControlOutput:
        """The answer of the present one."""
        output: ControlOutput = self._controller.step(frame)
        return output


def parameters_of(chosen: Any) -> Any:
    """The model of the parameters that a class takes."""
    return getattr(chosen, "Parameters", NoParameters)


def make(name: str, chosen: Any, briefing: Briefing, parameters: Any) -> Controller:
    """A controller of a class. Raises BoaError, which says `name`."""
    given = (briefing, parameters) if hasattr(chosen, "Parameters") else (briefing,)
    making = partial(made, f"controller {name}", chosen, *given)
    controller: Controller = making() if hasattr(chosen, "reset") else MadeAnew(making)
    return controller
