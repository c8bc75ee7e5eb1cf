# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A body whose torque was away for long, on a floor that does not stop it: it drifts between its
posts, and its joints do not tell. A robot that stiffens then strikes a post with its whole mass;
one without torque gives way. So it stays without torque until it has been laid back.
"""

import numpy as np

from boa_control.controller import ControlOutput
from boa_control.controllers.hoal.law.tuning import LawTuning
from boa_control.events import Event, EventKind, Refused
from boa_control.plant import SensorFrame
from boa_description.scene import GroundFriction

LAY_BACK = (
    "the robot has coasted while its torque was away, on a floor without friction; lay it back on "
    "its path and begin again (~/reset)"
)


class Stranding:
    """Remembers whether the robot has to be laid back.

    Attributes:
        stranded: it has to.
    """

    def __init__(self, ground: GroundFriction, tuning: LawTuning) -> None:
        self._slides = ground.model == "none"
        self._drift = 2 * tuning.still_rate  # no further than it is measured
        self.reset()

    def reset(self) -> None:
        """It lies on its path."""
        self.stranded = self._told = False

    def released(self, speed: float) -> None:
        """The posts were released by a robot that went at `speed`, m/s, when it lost its torque."""
        self.stranded = self.stranded or (self._slides and speed > self._drift)

    def waiting(self, frame: SensorFrame) -> ControlOutput:
        """The output while it is stranded: no torque; told once."""
        told, self._told = self._told, True
        event = Event(kind=EventKind.START_REFUSED, reason=Refused.COASTED, note=LAY_BACK)
        return ControlOutput(
            np.zeros(frame.position.size), ready=False, events=() if told else (event,)
        )
