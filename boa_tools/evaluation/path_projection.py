# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where points are along a path: orthogonal projection, continuous from tick to tick. The paths of
a run one after the other: that of the scenario, and those that the robot went over to.

Runs of a controller that knows its place only up to a repeat of the path, told in the numbers of
the map.

Where the path is symmetric, a controller that was not told its start cannot know, and need not,
which of several equivalent repeats it is in. Its path coordinate may then be off by whole repeats,
and its posts are those of another one. For evaluation both are moved to the repeat where the robot
really is.
"""

from dataclasses import dataclass, replace

import numpy as np

from boa_control.controllers.new_path import NewPath, recorded_new_path
from boa_control.experiments.experiment import Experiment
from boa_control.paths.named import segment_curve
from boa_control.paths.path import Curve, PlannedPath
from boa_description.arrays import Array, Integers
from boa_tools.runs.runlog import RunLog

NEAR = 0.01  # m along the path, within which a post has its counterpart in another repeat
SPACING = 0.002  # of the sampled curve that brackets the foot point, m
WINDOW = 0.06  # how far the foot point may move between two updates, m
FIRST_WINDOW = 0.5  # how wrong the first guess may be, m
STRIDE = 5  # ticks between two bracketing searches


def in_true_repeat(log: RunLog, path: PlannedPath, true_s: Array) -> RunLog:
    """Log with believed path coordinate and posts moved by whole repeats to where the robot was.

    Args:
        true_s: shape (T,), path coordinate of the middle joint, m.
    """
    believed, repeat = log.debug.get("progress_m"), path.curve.repeat
    if believed is None or repeat is None:
        return log
    known = np.isfinite(believed)
    shift = np.where(known, np.round(np.where(known, believed - true_s, 0.0) / repeat.length), 0.0)
    if not shift.any():
        return log
    contacts, per_row = log.contacts, shift[log.contacts.tick].astype(np.int64)
    obstacle = contacts.obstacle.copy()
    for turns in np.unique(per_row[per_row != 0]).tolist():
        rows = per_row == turns
        obstacle[rows] = counterparts(path, -turns * repeat.length)[obstacle[rows]]
    debug = {**log.debug, "progress_m": believed - shift * repeat.length}
    return replace(log, contacts=replace(contacts, obstacle=obstacle), debug=debug)


def counterparts(path: PlannedPath, ahead: float) -> Integers:
    """For every post of a path (by its first contact) the one that stands `ahead` (m) of it, on the
    same side if there is one there.

    Where none stands, past an end of an open path, the post itself.
    """
    s = np.array([post.s for post in path.obstacles])
    side = np.array([post.side for post in path.obstacles])
    apart = np.abs(s[:, None] + ahead - s[None, :])
    if path.curve.closed:
        apart = np.mod(apart, path.curve.length)
        apart = np.minimum(apart, path.curve.length - apart)
    other_side = (side[:, None] != side[None, :]) * NEAR
    nearest = np.argmin(apart + other_side, axis=1)
    exists = apart[np.arange(s.size), nearest] < NEAR
    post = np.array(path.post_of, dtype=np.int64)
    _, first = np.unique(post, return_index=True)
    return np.where(exists[first], post[nearest[first]], post[first])


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


@dataclass(frozen=True, slots=True)
class Projection:
    """Foot points of a moving point.

    Attributes:
        s: shape (T,), arc length of the foot point, m; keeps counting over laps on a closed path.
        offset: shape (T,), signed distance from the path, left positive, m.
    """

    s: Array
    offset: Array


class PathTracker:
    """Follows one point along a curve, from a first guess of its arc length. Accurate to the
    sampling (2 mm).
    """

    def __init__(self, curve: Curve, guess: float) -> None:
        self._curve = curve
        self._count = max(8, int(np.ceil(curve.length / SPACING)))
        self._spacing = curve.length / self._count
        self._s = guess
        self._samples = curve.position(
            self._spacing * np.arange(self._count + (not curve.closed), dtype=np.float64)
        )
        self._first = True

    def update(self, point: Array) -> float:
        """Return the arc length nearest to `point`, shape (2,), near the last one."""
        window = FIRST_WINDOW if self._first else WINDOW
        self._first = False
        reach = int(np.ceil(window / self._spacing))
        middle = round(self._s / self._spacing)
        index = np.arange(middle - reach, middle + reach + 1)
        if not self._curve.closed:
            index = index[(index >= 0) & (index < len(self._samples))]
        distance = np.sum((self._samples[index % len(self._samples)] - point) ** 2, axis=1)
        self._s = float(index[np.argmin(distance)] * self._spacing)
        return self._s


def project(curve: Curve, points: Array, guess: float) -> Projection:
    """Project a moving point on a curve.

    Args:
        points: shape (T, 2), m, in order of time; moving less than 10 mm per tick.
        guess: arc length of the first foot point, to within 0.5 m.

    Returns:
        The foot points, where the offset is orthogonal to the curve: (p - c(s)) . c'(s) = 0.
    """
    if not len(points):
        return Projection(np.zeros(0), np.zeros(0))
    tracker = PathTracker(curve, guess)
    coarse = np.unique(np.append(np.arange(0, len(points), STRIDE), len(points) - 1))
    s = np.interp(np.arange(len(points)), coarse, [tracker.update(points[k]) for k in coarse])
    for _ in range(8):  # Newton on the orthogonality condition; quadratic away from curvature jumps
        tangent, normal = _frame(curve, s)
        error = points - curve.position(s)
        lateral = np.sum(error * normal, axis=1)
        slope = np.maximum(1 - curve.curvature(s) * lateral, 0.2)
        step = np.sum(error * tangent, axis=1) / slope
        s = s + np.clip(step, -WINDOW, WINDOW)
    _, normal = _frame(curve, s)
    return Projection(s, np.sum((points - curve.position(s)) * normal, axis=1))


def _frame(curve: Curve, s: Array) -> tuple[Array, Array]:
    heading = curve.heading(s)
    tangent = np.column_stack((np.cos(heading), np.sin(heading)))
    return tangent, np.column_stack((-tangent[:, 1], tangent[:, 0]))
