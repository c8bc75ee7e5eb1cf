# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When a run has come as far as it should: progress of the robot's middle along the path."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from boa_control.experiments.experiment import Experiment
from boa_control.paths.path import Curve
from boa_control.plant import GroundTruth
from boa_description.arrays import Array
from boa_description.chain import joint_axes

ITERATIONS = 4  # of the foot point; it moves a few millimetres between two searches
STEP = 0.005  # m that the middle joint may come on between two searches


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
