# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where on the path a run begins: one interface for all variants, and the start that is briefed."""

from typing import Protocol

import numpy as np

from boa_control.controller import ControlOutput
from boa_control.events import Event
from boa_control.plant import SensorFrame
from boa_description.arrays import Array


class StartPlace(Protocol):
    """How the controller gets to know its place. A new variant is a class with these members.

    Attributes:
        located: `place` is known, or supposed and on trial.
        place: path coordinate at which the run begins, m.
        on_trial: whether posts stand there as the map has them has still to be detected; the robot
            must not move on.
    """

    @property
    def located(self) -> bool: ...
    @property
    def place(self) -> float: ...
    @property
    def on_trial(self) -> bool: ...

    def reset(self) -> None:
        """Forget everything."""

    def search(self, frame: SensorFrame) -> None:
        """Use one sample of a robot that stands still; called until `located`."""

    def waiting(self, frame: SensorFrame) -> ControlOutput:
        """The output while not `located`: no torque, not ready."""

    def update_trial(self, forces: Array | None, torque_seen: bool) -> None:
        """Confirm or refute the place by the measured forces of the planned contacts, shape (nc,),
        N; NaN where unknown, None without sensors. A refuted place is no longer `located`.
        """

    def restart_trial(self, frame: SensorFrame) -> None:
        """The torque was away, so nothing could be detected."""

    def hold(self, frame: SensorFrame) -> Array | float:
        """Torques that keep the shape while the place is on trial; shape (n - 1,), N m."""

    def pop_events(self) -> tuple[Event, ...]:
        """Events since the last call."""


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

    def pop_events(self) -> tuple[Event, ...]:
        """None ever."""
        return ()
