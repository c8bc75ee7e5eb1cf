# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When a run has come as far as it should, or comes no further: from the true pose."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from boa_control.controllers.new_path import NewPath, recorded_new_path
from boa_control.events import Event, EventKind, Refused
from boa_control.experiments.arrival import arrival
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.stop import Stop
from boa_control.paths.goals import Pursuit
from boa_control.paths.named import segment_curve
from boa_control.plant import GroundTruth, base_of
from boa_control.safety.ended import Reason
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.link_frames import centre_on_floor

TRAVEL = 0.05  # m; who comes less far stands


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
        self._arrived = False  # at the last target of the tour
        self._over: Reason | None = None  # by what the controller reports
        if scenario.evaluation.stalled is not None:
            standstill = Standstill(scenario.evaluation.stalled)

            def stands(truth: GroundTruth) -> bool:
                centre = centre_on_floor(robot, base_of(truth, robot), truth.joint_position)
                return standstill.update(truth.stamp_ns, centre)

            self._checks.append((Reason.STALLED, stands))
        self._stop = Stop(scenario.evaluation.stop)

    def take(self, events: Iterable[Event]) -> None:
        """Count the distance on the new paths that a controller reports, and note the end of its
        tour, or a floor or posts with which it does not start.
        """
        events = tuple(events)
        kinds = {event.kind for event in events}
        self._arrived = self._arrived or EventKind.TOUR_ARRIVED in kinds
        if EventKind.TOUR_OVER in kinds:
            self._over = Reason.GOAL if self._arrived else Reason.STALLED
        refused = (Refused(str(e.reason)) for e in events if e.kind is EventKind.START_REFUSED)
        if any(reason.lasting for reason in refused):
            self._over = Reason.REFUSED
        if self._way is not None:
            for new in filter(None, map(_new_path, events)):
                self._way.go_on(segment_curve(new.path), new.progress - new.leaves)

    def exceeded(self, truth: GroundTruth) -> Reason | None:
        """The stop condition of the scenario that a tick exceeds; call at every tick."""
        return self._stop.exceeded(truth)

    def reached(self, truth: GroundTruth) -> Reason | None:
        """Take the present pose; call first at the start, then at least every 15 mm of travel."""
        if self._over is not None:
            return self._over
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
