# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The paths of a run one after the other: that of the scenario, and those that the robot went over
to.
"""

from dataclasses import dataclass

import numpy as np

from boa_control.controllers.new_path import NewPath, recorded_new_path
from boa_control.experiments.experiment import Experiment
from boa_control.paths.named import segment_curve
from boa_control.paths.path import Curve
from boa_description.arrays import Array
from boa_tools.runs.runlog import RunLog


@dataclass(frozen=True, slots=True)
class Leg:
    """One of them.

    Attributes:
        curve: the path.
        first, end: ticks on it: from `first` up to, but not with, `end`.
        begins, ends: arc lengths of the middle joint between which it is the robot's path, m.
        shift: arc length on it less that with which the way counts on from the leg before, m.
    """

    curve: Curve
    first: int
    end: int
    begins: float
    ends: float
    shift: float


def legs(log: RunLog, experiment: Experiment) -> tuple[Leg, ...]:
    """The legs of a run; none without a path."""
    path = experiment.path
    if path is None:
        return ()
    changes: list[tuple[int, NewPath]] = []
    for event in log.events:
        new = recorded_new_path(event.event)
        if new is not None:
            changes.append((int(np.searchsorted(log.stamp_ns, event.stamp_ns)), new))
    earlier = []
    curve, first, begins, shift = path.curve, 0, 0.0, 0.0
    for tick, new in changes:
        earlier.append(Leg(curve, first, tick, begins, new.leaves, shift))
        curve, first, begins = segment_curve(new.path), tick, new.progress
        shift += new.progress - new.leaves
    return (*earlier, Leg(curve, first, log.ticks, begins, curve.length, shift))


def way(parts: tuple[Leg, ...], spacing: float) -> Array:
    """Points of the whole way, shape (m, 2), m, about `spacing` apart."""
    lines = [np.zeros((0, 2))]
    for leg in parts:
        count = max(2, int((leg.ends - leg.begins) / spacing))
        lines.append(leg.curve.position(np.linspace(leg.begins, leg.ends, count)))
    return np.concatenate(lines)


def counted_on(progress: Array, parts: tuple[Leg, ...]) -> Array:
    """Arc lengths on the path of every tick, shape (T,), m, as one way that counts on."""
    counted = np.array(progress, float)
    for leg in parts:
        counted[leg.first : leg.end] -= leg.shift
    return counted
