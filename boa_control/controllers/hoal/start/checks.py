# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Before the start: whether the robot lies where the run begins, and whether posts hold it there
at all, and on the path ahead on a floor that is not level. Where not it gets no torque.
"""

import numpy as np

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.hoal.law.gravity import Gravity
from boa_control.controllers.hoal.law.torque_loss import TorqueLoss
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.start.hold_check import HoldCheck
from boa_control.controllers.hoal.start.laid_check import LaidCheck
from boa_control.controllers.hoal.start.tilt import TiltCheck
from boa_control.controllers.hoal.tick import Tick
from boa_control.events import EventQueue
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.path_model import PathModel, PathState
from boa_control.paths.path import PlannedPath
from boa_control.plant import SensorFrame


class StartChecks:
    """Measures the tilt of the floor, and asks all checks.

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
        place = briefing.start_progress
        self._laid: tuple[LaidCheck, ...] = ()
        # no shape is told where the place is searched, or where another law has brought the robot
        if place is not None and briefing.start_joints is not None:
            self._laid = (LaidCheck(briefing.robot, model.reference, place, parameters),)
        self._all = (self._hold, self._tilt, *self._laid)
        self._events = EventQueue()

    def reset(self) -> None:
        """The floor counts as level, and nothing has been judged."""
        self.gravity.reset()
        for check in self._all:
            check.reset()
        self._events.pop()

    @property
    def refused(self) -> bool:
        """Whether the robot must not start here."""
        return any(check.refused for check in self._all)

    def measure(self, frame: SensorFrame, state: PathState, s: float, torque: TorqueLoss) -> None:
        """Use one tick at a path coordinate, m: of the first, and of those without torque."""
        for check in self._laid:
            self._events.add(*check.judge(frame.stamp_ns, frame.position, torque.acted))
        if not (torque.seen or self.refused):
            self.gravity.measure(frame, state)
            self._judge(s)

    def weigh(self, tick: Tick) -> None:
        """Use one tick of a robot that begins to take hold of its posts."""
        self.gravity.weigh(tick)
        self._judge(tick.progress.s)

    def _judge(self, s: float) -> None:
        self._events.add(*self._hold.judge(self._state_at, s), *self._tilt.judge(s))

    def waiting(self, frame: SensorFrame) -> ControlOutput:
        """The output where the start is refused: no torque; told once."""
        torque = np.zeros(frame.position.size)
        return ControlOutput(torque, ready=False, events=self._events.pop())
