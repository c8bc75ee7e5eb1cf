# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Before the start: whether posts hold the robot at all where it lies, and on the path ahead on a
floor that is not level. Where they do not it gets no torque.
"""

import numpy as np

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.hoal.law.gravity import Gravity
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.start.hold_check import HoldCheck
from boa_control.controllers.hoal.start.tilt import TiltCheck
from boa_control.controllers.hoal.tick import Tick
from boa_control.events import Event
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.path_model import PathModel, PathState
from boa_control.paths.path import PlannedPath
from boa_control.plant import SensorFrame


class StartChecks:
    """Measures the tilt of the floor, and asks both checks.

    Attributes:
        gravity: along the floor.
    """

    def __init__(
        self,
        briefing: Briefing,
        path: PlannedPath,
        model: PathModel,
        schedule: ContactSchedule,
        parameters: Parameters,
    ) -> None:
        tuning = parameters.tuning
        ground = briefing.ground
        slides = parameters.map_error == 0.0 and briefing.contact_friction == ground.dry == 0.0
        self._state_at = model.cursor()
        self.gravity = Gravity(briefing.robot, ground, model.reference.curve, tuning)
        self._hold = HoldCheck(path, schedule, slides, tuning.contacts.closure)
        self._tilt = TiltCheck(briefing, path, model, schedule, parameters, self.gravity)
        self._events: tuple[Event, ...] = ()

    def reset(self) -> None:
        """The floor counts as level, and nothing has been judged."""
        self.gravity.reset()
        self._hold.reset()
        self._tilt.reset()
        self._events = ()

    @property
    def refused(self) -> bool:
        """Whether the robot must not start here."""
        return self._hold.refused or self._tilt.refused

    def measure(self, frame: SensorFrame, state: PathState, s: float) -> None:
        """Use one tick without torque at a path coordinate, m."""
        self.gravity.measure(frame, state)
        self._judge(s)

    def weigh(self, tick: Tick) -> None:
        """Use one tick of a robot that begins to take hold of its posts."""
        self.gravity.weigh(tick)
        self._judge(tick.progress.s)

    def _judge(self, s: float) -> None:
        self._events += self._hold.judge(self._state_at, s) + self._tilt.judge(s)

    def waiting(self, frame: SensorFrame) -> ControlOutput:
        """The output where the start is refused: no torque; told once."""
        events, self._events = self._events, ()
        return ControlOutput(np.zeros(frame.position.size), ready=False, events=events)
