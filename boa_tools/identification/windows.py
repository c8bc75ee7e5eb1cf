# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Windows of time in which a joint surely moves, as equations of its gearbox.

In a window in which rate and motor torque keep their signs the law of the gearbox
(`boa_description.gearbox_friction`) is linear in its coefficients, so means over the window obey it
as values at an instant do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array, Flags, Integers
from boa_description.errors import BoaError
from boa_tools.identification.record import Record, integral

WIDTH = 0.1  # s of a window: a joint keeps its direction, noise of ten force samples averages
SLOWEST = 0.05  # rad/s throughout; slower joints may stand, and friction at rest may be anything
LEAST_TORQUE = 0.3  # N m throughout; lighter loads may cross the gap of the gearbox
LATEST = 0.05  # s; no sensor is older
BLOCK = 2.0  # s; errors of map and arms last as long as a post takes to pass a link


FEWEST_BLOCKS = 8  # to fit: standard deviations come from their differences


class Windows(NamedTuple):
    """W windows of all joints; means, shape (W, n - 1).

    Attributes:
        block: number of the stretch of `BLOCK` that a window is in, (W,). time: of it, (W,), s.
        passed_on, motor, size: torque passed on, by the motor's current, and size of the latter,
            N m. shifted: see `Record`, N.
        rate, acceleration: of the joint, rad/s, rad/s2.
        moving: the joint surely moves and its torque keeps its sign.
    """

    block: Integers
    time: Array
    passed_on: Array
    shifted: Array
    motor: Array
    size: Array
    rate: Array
    acceleration: Array
    moving: Flags

    def select(self, rows: Flags) -> Windows:
        """Some of them."""
        return Windows._make(column[rows] for column in self)


def windows_of(record: Record, latency: float = 0.0) -> Windows:
    """The windows of a record, whose force samples are `latency`, s, older than their stamps."""
    step = float(np.median(np.diff(record.time)))
    edges = np.arange(
        np.searchsorted(record.time, record.begin), record.time.size, max(round(WIDTH / step), 1)
    )
    edges = edges[record.time[edges] < record.tick_time[-1] - LATEST]
    begin, end = record.time[edges[:-1]] - latency, record.time[edges[1:]] - latency
    width = (end - begin)[:, None]
    first, last = (np.searchsorted(record.tick_time, time - 1e-9) for time in (begin, end))
    motor = _means(record.tick_time, record.effort, begin, end)
    size = _means(record.tick_time, np.abs(record.effort), begin, end)
    ends = [_between(record.tick_time, record.position, time) for time in (begin, end)]
    rates = [_between(record.tick_time, record.velocity, time) for time in (begin, end)]
    rate = (ends[1] - ends[0]) / width
    passed_on = np.diff(record.passed_on[edges], axis=0) / width
    surely = np.minimum(
        _one_way(record.velocity, np.sign(rate), first, last) / SLOWEST,
        _one_way(record.effort, np.sign(motor), first, last) / LEAST_TORQUE,
    )
    return Windows(
        block=(record.time[edges[:-1]] // BLOCK).astype(np.int64),
        time=record.time[edges[:-1]],
        passed_on=passed_on,
        shifted=np.diff(record.shifted[edges], axis=0) / width,
        motor=motor,
        size=size,
        rate=rate,
        acceleration=(rates[1] - rates[0]) / width,
        moving=(surely > 1.0) & np.isfinite(passed_on),
    )


def joined(runs: Iterable[Windows]) -> Windows:
    """Windows of several runs of one robot, in blocks that none shares with another."""
    parts, next_block = [], 0
    for run in runs:
        parts.append(run._replace(block=run.block + next_block))
        next_block += int(run.block.max(initial=0)) + 1
    return Windows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def parted(runs: Sequence[Windows], share: float) -> tuple[Windows, Windows]:
    """The first `share` of the blocks of every run, to be fitted, and the others, to judge with.

    Raises:
        BoaError: too little motion.
    """
    # a run that ended within its start-up has no window
    limits = [np.quantile(np.unique(run.block), share) if run.block.size else 0.0 for run in runs]
    known, new = (
        joined(run.select(keep(run.block, limit)) for run, limit in zip(runs, limits, strict=True))
        for keep in (np.less_equal, np.greater)
    )
    if np.unique(known.block).size < FEWEST_BLOCKS or not new.time.size:
        raise BoaError(
            f"stretches of {BLOCK:g} s to fit: {np.unique(known.block).size}, at least "
            f"{FEWEST_BLOCKS} are needed; record longer runs"
        )
    return known, new


def _means(time: Array, value: Array, begin: Array, end: Array) -> Array:
    """Means between two times, (W, n - 1)."""
    total = integral(time, value)
    mean: Array = (_between(time, total, end) - _between(time, total, begin)) / (end - begin)[
        :, None
    ]
    return mean


def _one_way(value: Array, sign: Array, first: Integers, last: Integers) -> Array:
    """The least of `value` (T, n - 1) in the direction of `sign`, from the first to the last tick
    of every window, (W, n - 1).
    """
    rows = np.stack((first, np.minimum(last + 1, len(value) - 1)), axis=1).ravel()
    low = np.minimum.reduceat(value, rows)[::2]
    high = np.maximum.reduceat(value, rows)[::2]
    least: Array = np.where(sign > 0, low, -high)
    return least


def _between(known: Array, values: Array, time: Array) -> Array:
    """Columns of `values` at times, straight between those that are known."""
    return np.stack([np.interp(time, known, column) for column in values.T], axis=1)
