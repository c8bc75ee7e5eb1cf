# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contacts over time: which were held, lost and regained, and how far their forces were from the
reference.

Everything works on dense arrays of shape (T, K): T ticks, K contacts. A contact is an obstacle;
where an obstacle can be touched by several links at once (box, wall) it is a pair of obstacle and
link; where the controller has no map it is a link. Definitions in docs/metrics.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boa_control.experiments.experiment import Experiment
from boa_control.paths.path import PlannedPath
from boa_description.arrays import Array, Flags, Integers
from boa_description.scene import Circle, Obstacle
from boa_tools.evaluation.body import link_points_in_world
from boa_tools.runs.runlog import NO_OBSTACLE, EstimatedContacts, RunLog, TrueContacts

Obstacles = Sequence[Obstacle]

NOTHING = np.zeros(0, dtype=np.int64)
CHATTER_TIME = 0.020  # a contact regained within this time chatters, s
# m of the body, at head and tail, in which a planned contact is not yet established
END_ZONE = 0.030
# s; without controller or plan, a touch held this long is an established contact
TOUCH_TIME = 0.050


@dataclass(frozen=True, slots=True)
class ContactHistory:
    """Contacts of one run, dense.

    Attributes:
        obstacle: shape (K,), obstacle of each contact; `NO_OBSTACLE` where contacts are told apart
            by link.
        force: shape (T, K), true normal force, N, 0 where there is no touch; None on a robot.
        established: shape (T, K), the controller says that the contact is established.
        reference, estimate: shape (T, K), feasible reference and estimated normal force, N; NaN
            where unknown.
    """

    obstacle: Integers
    force: Array | None
    established: Flags
    reference: Array
    estimate: Array


@dataclass(frozen=True, slots=True)
class ContactKeys:
    """Which column every contact belongs to.

    Attributes:
        estimated, true: columns of the rows of `RunLog.contacts` and `RunLog.true_contacts` (empty
            without).
        obstacle: shape (K,), obstacle of each column; `NO_OBSTACLE` where columns are links.
    """

    estimated: Integers
    true: Integers
    obstacle: Integers


def contact_keys(log: RunLog, obstacles: Obstacles, planned: Integers = NOTHING) -> ContactKeys:
    """Number the contacts of a run; obstacles in `planned` get a column even if nobody ever touches
    them.
    """
    links = log.joints + 1
    by_link = bool((log.contacts.obstacle == NO_OBSTACLE).any())
    shared = np.array([not isinstance(obstacle, Circle) for obstacle in obstacles], dtype=bool)
    estimated = _keys(log.contacts, by_link, shared, links)
    true = (
        NOTHING if log.true_contacts is None else _keys(log.true_contacts, by_link, shared, links)
    )
    expected = NOTHING if by_link else planned * links
    names, columns = np.unique(np.concatenate((estimated, true, expected)), return_inverse=True)
    owner = np.full(names.size, NO_OBSTACLE) if by_link else names // links
    ends = estimated.size, estimated.size + true.size
    return ContactKeys(columns[: ends[0]], columns[ends[0] : ends[1]], owner)


def _keys(
    table: EstimatedContacts | TrueContacts, by_link: bool, shared: Flags, links: int
) -> Integers:
    if by_link:
        return table.link
    mapped = (table.obstacle < shared.size) & (table.obstacle >= 0)  # others are round posts
    several = np.zeros(table.tick.size, bool)
    several[mapped] = shared[table.obstacle[mapped]]
    return table.obstacle * links + np.where(several, table.link, 0)


def contact_history(
    log: RunLog, obstacles: Obstacles, planned: Integers = NOTHING
) -> ContactHistory:
    """Lay the contacts of a run out as dense arrays; `established` is what the controller says."""
    keys = contact_keys(log, obstacles, planned)
    shape = (log.ticks, keys.obstacle.size)
    force = None
    if log.true_contacts is not None:
        force = np.zeros(shape)
        np.add.at(force, (log.true_contacts.tick, keys.true), log.true_contacts.normal_force)
    rows = (log.contacts.tick, keys.estimated)
    established = np.zeros(shape, dtype=bool)
    np.logical_or.at(established, rows, log.contacts.established)
    reference, estimate = (
        _sums(shape, rows, values) for values in (log.contacts.reference, log.contacts.force)
    )
    return ContactHistory(keys.obstacle, force, established, reference, estimate)


def _sums(shape: tuple[int, int], rows: tuple[Integers, Integers], values: Array) -> Array:
    """Values of all rows that belong to one tick and contact added up; NaN where there is none."""
    total, known = np.zeros(shape), np.zeros(shape, dtype=bool)
    np.add.at(total, rows, values)
    known[rows] = True
    return np.where(known, total, np.nan)


def planned_obstacles(path: PlannedPath, tail: Array, head: Array) -> Integers:
    """Indices of the path's posts that the robot passed, or stood at, on its way."""
    if not tail.size:
        return NOTHING
    s = np.array([contact.s for contact in path.contacts])
    first, last = float(tail.min()), float(head.max())
    if path.curve.closed:
        ahead = np.mod(s - first, path.curve.length)
        return _posts_of(path, ahead <= last - first)
    return _posts_of(path, (s >= first) & (s <= last))


def _posts_of(path: PlannedPath, contacts: Flags) -> Integers:
    """The posts of chosen contacts, each once."""
    return np.unique(np.array(path.post_of, dtype=np.int64)[contacts])


def established_by_path(path: PlannedPath, tail: Array, head: Array, obstacle: Integers) -> Flags:
    """Contacts that the path plans: the post lies between tail and head, 30 mm away from either.

    Args:
        tail, head: shape (T,), arc lengths of the ends of the robot, m.
        obstacle: shape (K,), which obstacle each column is.

    Returns:
        Shape (T, K); obstacles that are not the path's own are never established.
    """
    planned = np.zeros((tail.size, obstacle.size), dtype=bool)
    for contact, post in zip(path.contacts, path.post_of, strict=True):
        ahead = contact.s - tail
        if path.curve.closed:
            ahead = np.mod(ahead, path.curve.length)
        inside = (ahead >= END_ZONE) & (ahead <= head - tail - END_ZONE)
        planned[:, obstacle == post] |= inside[:, None]
    return planned


def established_by_touch(force: Array, period: float) -> Flags:
    """Contacts that count as established when nobody says so: touches of 50 ms or more, gaps up to
    20 ms filled.
    """
    touching = force > 0
    for start, stop, column in _runs(~touching):
        inside = start > 0 and stop < len(force)
        if inside and (stop - start) * period <= CHATTER_TIME:
            touching[start:stop, column] = True
    for start, stop, column in _runs(touching):
        if (stop - start) * period < TOUCH_TIME:
            touching[start:stop, column] = False
    return touching


@dataclass(frozen=True, slots=True)
class Chatter:
    """How well established contacts were held; all None when there were none.

    Attributes:
        fraction: share of established contact time in which the contact was lost and regained
            within 20 ms.
        rate: number of such losses per second of established contact.
        lost: share of established contact time without any force.
    """

    fraction: float | None
    rate: float | None
    lost: float | None


def chatter(force: Array, established: Flags, period: float) -> Chatter:
    """Count losses of established contacts.

    Args:
        force: shape (T, K), true normal force, N.
        established: shape (T, K).
        period: time per row, s.
    """
    total = int(established.sum())
    if total == 0:
        return Chatter(None, None, None)
    lost = established & (force <= 0)
    ticks = events = 0
    for start, stop, column in _runs(lost):
        held_before = start > 0 and established[start - 1, column] and force[start - 1, column] > 0
        regained = stop < len(force) and established[stop, column]
        if held_before and regained and (stop - start) * period <= CHATTER_TIME * (1 + 1e-9):
            ticks += stop - start
            events += 1
    return Chatter(ticks / total, events / (total * period), float(lost.sum()) / total)


def force_errors(force: Array, reference: Array, established: Flags) -> tuple[Array, Array]:
    """Errors of the true forces against the reference, over established contacts.

    The torque computed at tick k - 1 shows in the contact force seen at tick k, so the reference of
    tick k - 1 is compared with the force of tick k.

    Returns:
        Errors and the references they belong to, both shape (M,), N.
    """
    usable = established[1:] & established[:-1] & np.isfinite(reference[:-1])
    references = reference[:-1][usable]
    return force[1:][usable] - references, references


def point_errors(log: RunLog, experiment: Experiment, window: Flags) -> Array:
    """Distances of estimated and true points, shape (M,), m, of established contacts that touch.

    Where two neighbouring links touch one post, the true point is the mean weighted by force.
    """
    truth, true, estimates = log.truth, log.true_contacts, log.contacts
    if truth is None or true is None:
        return np.zeros(0)
    keys = contact_keys(log, experiment.obstacles)
    columns = max(keys.obstacle.size, 1)
    at, inverse = np.unique(true.tick * columns + keys.true, return_inverse=True)
    weight = np.bincount(inverse, true.normal_force, at.size)
    moment = np.stack(
        [np.bincount(inverse, true.normal_force * true.point[:, i], at.size) for i in (0, 1)],
        axis=1,
    )
    point = moment / np.where(weight > 0, weight, np.nan)[:, None]
    pair = estimates.tick * columns + keys.estimated
    place = np.minimum(np.searchsorted(at, pair), max(at.size - 1, 0))
    usable = estimates.established & window[estimates.tick] & np.isfinite(estimates.offset)
    if at.size == 0 or not usable.any():
        return np.zeros(0)
    usable &= (at[place] == pair) & (weight[place] > 0)
    radius, pitch = experiment.robot.link.radius, experiment.robot.link.pitch
    local = np.column_stack((estimates.offset, estimates.side * radius))[usable]
    tick, link = estimates.tick[usable], estimates.link[usable]
    believed = link_points_in_world(truth.base, truth.joint_position, pitch, tick, link, local)
    return np.linalg.norm(believed - point[place[usable]], axis=1)


def _runs(mask: Flags) -> list[tuple[int, int, int]]:
    """Runs of True in every column: (first row, row after the last, column)."""
    rows, columns = mask.shape
    padded = np.zeros((columns, rows + 2), dtype=np.int8)
    padded[:, 1:-1] = mask.T
    edges = np.diff(padded, axis=1)
    column, start = np.nonzero(edges == 1)
    _, stop = np.nonzero(edges == -1)
    return list(zip(start.tolist(), stop.tolist(), column.tolist(), strict=True))
