# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When a run has come as far as it should, or comes no further: from the true pose, and the
progress of the robot's middle along the path.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from boa_control.controllers.new_path import NewPath, recorded_new_path
from boa_control.events import Event, EventKind, Refused
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.stop import Stop
from boa_control.paths.goals import Pursuit, tells_arrival
from boa_control.paths.named import segment_curve
from boa_control.paths.path import Curve
from boa_control.plant import GroundTruth, base_of
from boa_control.safety.ended import Reason
from boa_description.arrays import Array
from boa_description.chain import joint_axes
from boa_description.errors import BoaError
from boa_description.link_frames import centre_on_floor

ITERATIONS = 4  # of the foot point; it moves a few millimetres between two searches
STEP = 0.005  # m that the middle joint may come on between two searches
TRAVEL = 0.05  # m; who comes less far stands


@dataclass(slots=True)
class Arrival:
    """Follows the middle joint along the path and says when the distance is reached.

    Attributes:
        curve: the path.
        pitch: length of a link, m.
        middle: index of the joint axis that is followed.
        progress: arc length of its foot point, m; keeps counting over laps. At first where the
            start is planned.
        distance: to go from where the robot stands at the first update, m.
    """

    curve: Curve
    pitch: float
    middle: int
    progress: float
    distance: float
    _start: float | None = field(default=None, init=False)
    _point: Array | None = field(default=None, init=False)  # of the last search

    def reached(self, truth: GroundTruth) -> bool:
        """Take the present pose; call first at the start, then at least every 15 mm of travel."""
        point = joint_axes(self.pitch, truth.base, truth.joint_position)[self.middle]
        if self._point is not None and self._start is not None:
            left = self._start + self.distance - self.progress
            if math.dist(point, self._point) < min(STEP, left / 2):  # it cannot have arrived
                return False
        self._point = point
        # Newton on (p - c(s)) . c'(s) = 0, with c'' left out: near the path it is small
        for _ in range(ITERATIONS):
            heading = self.curve.heading(np.array([self.progress]))[0]
            gap = point - self.curve.position(np.array([self.progress]))[0]
            self.progress += float(gap[0] * np.cos(heading) + gap[1] * np.sin(heading))
        if self._start is None:
            self._start = self.progress
        return self.progress - self._start >= self.distance

    def go_on(self, curve: Curve, shift: float) -> None:
        """Follow another path from here; its arc lengths are greater by `shift`, m."""
        self.curve = curve
        self._point = None
        self.progress += shift
        if self._start is not None:
            self._start += shift


def arrival(experiment: Experiment, distance: float | None) -> Arrival | None:
    """The test for a distance along the path, m; None where there is no distance, or nothing to
    measure it on.
    """
    path, start = experiment.path, experiment.start_progress
    if distance is None or path is None or start is None:
        return None
    robot = experiment.robot
    return Arrival(path.curve, robot.link.pitch, robot.links // 2, start, distance)


class Standstill:
    """Says when the centre of mass has moved less than `TRAVEL` for a given time."""

    def __init__(self, patience: float) -> None:
        """`patience` in s."""
        self._patience_ns = round(patience * 1e9)
        self._where: Array | None = None
        self._since_ns = 0

    def update(self, stamp_ns: int, centre: Array) -> bool:
        """Take the present place (2,), m; whether the robot stands."""
        if self._where is None or np.hypot(*(centre - self._where)) > TRAVEL:
            self._where, self._since_ns = centre, stamp_ns
        return stamp_ns - self._since_ns >= self._patience_ns


class Ending:
    """The conditions under which a run ends before its duration."""

    def __init__(self, experiment: Experiment) -> None:
        """Begins at the start of the run."""
        scenario, robot = experiment.scenario, experiment.robot
        self._checks: list[tuple[Reason, Callable[[GroundTruth], bool]]] = []
        self._way = way = arrival(experiment, scenario.distance)
        if way is not None:
            self._checks.append((Reason.DISTANCE, way.reached))
        if experiment.goal is not None:
            pursuit = Pursuit(experiment.goal)

            def at_goal(truth: GroundTruth) -> bool:
                pursuit.update(centre_on_floor(robot, base_of(truth, robot), truth.joint_position))
                return pursuit.done

            self._checks.append((Reason.GOAL, at_goal))
        self._goal = experiment.goal
        self._at_goal = False  # as the controller tells
        self._arrived = False  # at the last target of the tour
        self._over: Reason | None = None  # by what the controller reports
        if scenario.evaluation.stalled is not None:
            standstill = Standstill(scenario.evaluation.stalled)

            def stands(truth: GroundTruth) -> bool:
                centre = centre_on_floor(robot, base_of(truth, robot), truth.joint_position)
                return standstill.update(truth.stamp_ns, centre)

            self._checks.append((Reason.STALLED, stands))
        self._stop = Stop(scenario.evaluation.stop)

    def take(self, events: Iterable[Event], armed: bool = True) -> None:
        """Count the distance on the new paths that a controller reports, and note the end of its
        tour, or why a robot does not start that is `armed`, or that nobody can lay better.
        """
        events = tuple(events)
        if self._goal is not None:
            told = any(tells_arrival(event, self._goal) for event in events)
            self._at_goal = self._at_goal or told
        kinds = {event.kind for event in events}
        self._arrived = self._arrived or EventKind.TOUR_ARRIVED in kinds
        if EventKind.TOUR_OVER in kinds:
            self._over = Reason.GOAL if self._arrived else Reason.STALLED
        refused = (Refused(str(e.reason)) for e in events if e.kind is EventKind.START_REFUSED)
        if any(reason.lasting(armed) for reason in refused):
            self._over = Reason.REFUSED
        if self._way is not None:
            for new in filter(None, map(_new_path, events)):
                self._way.go_on(segment_curve(new.path), new.progress - new.leaves)

    def exceeded(self, truth: GroundTruth) -> Reason | None:
        """The stop condition of the scenario that a tick exceeds; call at every tick."""
        return self._stop.exceeded(truth)

    def reached(self, truth: GroundTruth | None) -> Reason | None:
        """Take the present pose, which no robot tells: its run ends where the controller tells of
        the goal. Call first at the start, then at least every 15 mm of travel.
        """
        if self._over is not None:
            return self._over
        if truth is None:
            return Reason.GOAL if self._at_goal else None
        for reason, check in self._checks:
            if check(truth):
                return reason
        return None


def _new_path(event: Event) -> NewPath | None:
    """The new path that an event records; one that cannot be read counts for nothing."""
    try:
        return recorded_new_path(event)
    except BoaError:
        return None
