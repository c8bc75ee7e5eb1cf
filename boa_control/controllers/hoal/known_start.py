"""A start that the briefing tells."""

from __future__ import annotations

import numpy as np

from boa_control.controller import ControlOutput
from boa_control.plant import SensorFrame
from boa_description.arrays import Array


class KnownStart:
    """The variant of `StartPlace` with nothing to search and nothing to try."""

    located = True
    on_trial = False

    def __init__(self, place: float) -> None:
        """`place`: path coordinate at which the run begins, m."""
        self.place = place

    def reset(self) -> None:
        """Nothing to forget."""

    def search(self, frame: SensorFrame) -> None:
        """Nothing to search."""

    def waiting(self, frame: SensorFrame) -> ControlOutput:
        """No torque; never needed, the place is known."""
        return ControlOutput(np.zeros(frame.position.size), ready=False)

    def update_trial(self, forces: Array | None, torque_seen: bool) -> None:
        """Nothing is on trial."""

    def restart_trial(self, frame: SensorFrame) -> None:
        """Nothing is on trial."""

    def hold(self, frame: SensorFrame) -> Array | float:  # noqa: ARG002
        """No torque: nothing is on trial."""
        return 0.0

    def pop_events(self) -> tuple[str, ...]:
        """None ever."""
        return ()
