# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One law after the other. The next one takes over once the present one has arrived and the joints
are loaded little; where the robot is and what time it is goes on.
"""

from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from boa_control.controller import Briefing, Controller, ControlOutput, is_onlooker
from boa_control.controllers import controller_class, make_controller
from boa_control.controllers.new_path import NEAR_END, numbered_path
from boa_control.controllers.relief import Relief
from boa_control.controllers.stretches import settings
from boa_control.events import Event, EventKind
from boa_control.model.reference import ReferenceTable
from boa_control.paths.goals import ARRIVALS, Goal, build_goal, tells_arrival
from boa_control.paths.path import Curve, point_at
from boa_control.plant import SensorFrame
from boa_control.safety.frame_guard import Reduction, Unreduced
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.link_frames import centre_on_floor, start_pose

CALM = 20.0  # N; no law takes over from another while a joint is loaded more
STILL_SPEED, STILL_WAY = 2e-3, 4e-3  # m/s, desired, and m of way within `REST`, of one that stands
REST = 0.8  # s
TRAVEL = 0.05  # m, by less of which within its patience a law comes no further


class Arrival(Protocol):
    """Says when a stretch is over."""

    def reset(self) -> None:
        """The next output is the first of the stretch."""

    def reached(self, output: ControlOutput) -> bool:
        """Whether the law has arrived with this output, and rests where it can."""


class AtEnd:
    """At rest at the end of a path, by the progress that the law tells. Its rate says little of
    rest: on a floor that rubs a robot rocks where it stands.
    """

    def __init__(self, end: float, period: float) -> None:
        """`end`: arc length of the middle joint, m. `period`: of control, s."""
        self._near = end - NEAR_END
        self._ticks = round(REST / period)
        self.reset()

    def reset(self) -> None:
        """Not there yet."""
        self._rested, self._at = 0, -np.inf

    def reached(self, output: ControlOutput) -> bool:
        """Whether it rests there."""
        told = output.debug
        progress = float(told.get("progress_m", -np.inf))
        stops = abs(float(told.get("speed_reference_mps", np.inf))) < STILL_SPEED
        if stops and progress >= self._near and abs(progress - self._at) < STILL_WAY:
            self._rested += 1
        else:
            self._rested, self._at = 0, progress
        return self._rested >= self._ticks


class AtGoal:
    """At the goal, as the law tells."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self.reset()

    def reset(self) -> None:
        """Not there yet."""
        self._there = False

    def reached(self, output: ControlOutput) -> bool:
        """Whether it has told so."""
        told = any(tells_arrival(event, self._goal) for event in output.events)
        self._there = self._there or told
        return self._there


class Advance:
    """Whether the progress along a path that a law tells still grows."""

    def __init__(self, curve: Curve | None, patience: float | None, period: float) -> None:
        """`patience`: s without getting on; None, or without a curve: for ever. `period`: of
        control, s.
        """
        self._curve, self._period = curve, period
        self._patience = np.inf if patience is None else patience
        self.reset()

    def reset(self) -> None:
        """Nothing has been told yet."""
        self._ticks, self._best = 0, -np.inf

    def standstill(self, output: ControlOutput, then: str) -> Event | None:
        """What is told of a robot that has come no further for long, by this output; `then`: the
        law that takes over.
        """
        progress = float(output.debug.get("progress_m", -np.inf))
        self._ticks += 1
        if progress > self._best + TRAVEL:
            self._ticks, self._best = 0, progress
        if self._curve is None or self._ticks * self._period < self._patience:
            return None
        place = point_at(self._curve, self._best)
        note = f"less than {TRAVEL:g} m in {self._patience:g} s; {then} goes on from here"
        return Event(kind=EventKind.STANDSTILL, place=place, s=self._best, note=note)


class _Stretch(NamedTuple):
    """A law, what reduces its torques, when it has arrived, and when it comes no further."""

    number: int
    name: str
    law: Controller
    reduction: Reduction
    arrival: Arrival
    advance: Advance


class Stretches:
    """Steps the law of the present stretch. Laws that go by the place of the robot look on all the
    while, so that each begins where the robot is.
    """

    Parameters = settings.Parameters

    def __init__(self, briefing: Briefing, parameters: settings.Parameters) -> None:
        """Make all laws (hoal: a few tenths of a second each).

        Raises:
            BoaError: an unknown law, or one that cannot be made for its stretch, with its number.
        """
        every = [*parameters.stretches]
        if parameters.otherwise is not None:
            every.append(parameters.otherwise)
        made = []
        for number, one in enumerate(every, 1):
            try:
                made.append(_stretch(briefing, number, one))
            except BoaError as error:
                raise BoaError(f"controller stretches: stretch {number}: {error}") from error
        self._made = tuple(made)
        self._planned = len(parameters.stretches)
        self._begin()

    def reset(self) -> None:
        """Forget everything; the next step starts with the first stretch."""
        for stretch in self._made:
            stretch.law.reset()
            stretch.reduction.reset()
            stretch.arrival.reset()
            stretch.advance.reset()
        self._begin()

    def _begin(self) -> None:
        self._present, *self._coming = self._made[: self._planned]
        self._spare = [*self._made[self._planned :]]
        self._over = self._stuck = False
        self._told: list[Event] = [self._phase()]

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Torques of the present law for one frame."""
        if self._over and self._coming and _calm(frame):
            self._present, *self._coming = self._coming
            self._stuck = False
            self._told.append(self._phase())
        for later in (*self._coming, *self._spare):
            if is_onlooker(later.law):
                later.law.look_on(frame)
        number, _, law, reduction, arrival, advance = self._present
        output = reduction.reduced(law.step(frame), frame)
        told, self._told = self._told, []
        stands = advance.standstill(output, self._spare[0].name) if self._spare else None
        if stands is not None:
            self._coming, self._spare, self._stuck = self._spare, [], True
            told.append(stands)
        self._over = self._stuck or arrival.reached(output)
        debug = {"stretch": float(number), **output.debug}
        # an arrival is that of the whole way: the goal of a stretch before is nobody's concern
        told += (e for e in output.events if not self._coming or e.kind not in ARRIVALS)
        return output._replace(events=tuple(told), debug=debug)

    def _phase(self) -> Event:
        return Event(kind=EventKind.PHASE, state=f"{self._present.number}, {self._present.name}")


def _stretch(briefing: Briefing, number: int, one: settings.StretchSettings) -> _Stretch:
    """A stretch with its law. Raises BoaError: it cannot be made."""
    robot, period = briefing.robot, briefing.period
    reduction: Reduction = Unreduced()
    if one.relief is not None:
        reduction = Relief(one.relief, robot.joints, robot.limits.torque, period)
    arrival: Arrival
    if one.path is not None:
        path = numbered_path(one.path, robot.link.radius, briefing.obstacles)
        table = ReferenceTable(path.curve, robot.links, robot.link.pitch)
        start = table.start if one.progress is None else one.progress
        told = replace(briefing, path=path, start_progress=start, goal=None)
        arrival, advance = AtEnd(table.end, period), Advance(path.curve, one.patience, period)
    else:
        assert one.goal is not None  # its own validation
        goal = build_goal(one.goal, _start(briefing))
        told = replace(briefing, path=None, start_progress=None, goal=goal)
        arrival = AtGoal(goal)
        advance = Advance(None, one.patience, period)
    if number > 1 and not is_onlooker(controller_class(one.controller)):
        told = replace(told, start_base=None, start_joints=None)  # it begins where another has come
    law = make_controller(one.controller, one.parameters, told)
    return _Stretch(number, one.controller, law, reduction, arrival, advance)


def _start(briefing: Briefing) -> Array:
    """Centre of mass where the run begins, shape (2,), m. Raises BoaError: that is not known."""
    if briefing.start_base is None or briefing.start_joints is None:
        raise BoaError("a goal needs a known start; leave disturbance.unknown_start out")
    pose = start_pose(briefing.robot, briefing.start_base)
    return centre_on_floor(briefing.robot, pose, briefing.start_joints)


def _calm(frame: SensorFrame) -> bool:
    """Whether no joint is loaded more than a little; a robot without force sensors is."""
    sample = frame.joint_force
    return sample is None or float(np.nanmax(np.abs(sample.force), initial=0.0)) < CALM
