# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where on the path a run begins: one interface for all variants, and the start that is briefed."""

from typing import Protocol

import numpy as np

from boa_control.controller import ControlOutput
from boa_control.events import EventQueue
from boa_control.plant import SensorFrame
from boa_description.arrays import Array


class StartPlace(Protocol):
    """How the controller gets to know its place. A new variant derives from this class, and
    may leave out what has a body here: then nothing is searched or tried.

    Attributes:
        located: `place` is known, or supposed and on trial.
        place: path coordinate at which the run begins, m.
        on_trial: whether posts stand there as the map has them has still to be detected; the robot
            must not move on.
        events: not told yet.
    """

    located: bool
    place: float
    on_trial: bool
    events: EventQueue

    def reset(self) -> None:
        """Forget everything."""
        return

    def search(self, frame: SensorFrame) -> None:
        """Use one sample of a robot that stands still; called until `located`."""
        return

    def waiting(self, frame: SensorFrame) -> ControlOutput:
        """The output while not `located`: no torque, not ready."""
        return ControlOutput(np.zeros(frame.position.size), ready=False)

    def update_trial(self, forces: Array | None, torque_seen: bool) -> None:
        """Confirm or refute the place by the measured forces of the planned contacts, shape (nc,),
        N; NaN where unknown, None without sensors. A refuted place is no longer `located`.
        """
        return

    def restart_trial(self, frame: SensorFrame) -> None:
        """The torque was away, so nothing could be detected."""
        return

    def hold(self, frame: SensorFrame) -> Array | float:
        """Torques that keep the shape while the place is on trial; shape (n - 1,), N m."""
        return 0.0


class KnownStart(StartPlace):
    """The start that is briefed."""

    located = True
    on_trial = False

    def __init__(self, place: float) -> None:
        """`place`: path coordinate at which the run begins, m."""
        self.place = place
        self.events = EventQueue()
