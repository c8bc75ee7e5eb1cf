# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hand-made run logs with known contents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boa_tools.runs.runlog import (
    EstimatedContacts,
    RunLog,
    SensorSamples,
    TrueContacts,
    Truth,
)

PERIOD = 0.002


def empty_log(ticks: int, joints: int = 2, **changes) -> RunLog:
    """A run in which nothing moved and nothing was touched, in simulation."""
    zero = np.zeros((ticks, joints))
    log = RunLog(
        stamp_ns=np.arange(ticks, dtype=np.int64) * 2_000_000,
        position=zero,
        velocity=zero,
        effort=zero,
        commanded=zero,
        applied=zero,
        sensors={
            "joint_force": nothing(force=(joints, 3)),
            "imu": nothing(heading=(joints + 1,)),
        },
        contacts=estimates([]),
        control_step_us=np.full(ticks, np.nan),
        wall_s=np.full(ticks, np.nan),
        truth=Truth(np.zeros((ticks, 3)), np.zeros((ticks, 3)), zero, zero, zero),
        true_contacts=true_contacts([]),
    )
    return replace(log, **changes)


def nothing(**columns: tuple[int, ...]) -> SensorSamples:
    """The table of a sensor of which no sample came."""
    empty = {name: np.zeros((0, *shape)) for name, shape in columns.items()}
    return SensorSamples(np.zeros(0, np.int64), np.zeros(0, np.int64), empty)


def true_contacts(rows: list[tuple]) -> TrueContacts:
    """Rows of tick, link, obstacle, (x, y), (nx, ny), normal force."""
    count = len(rows)
    tick, link, obstacle, point, normal, force = zip(*rows, strict=True) if rows else ([],) * 6
    return TrueContacts(
        np.array(tick, np.int64),
        np.array(link, np.int64),
        np.array(obstacle, np.int64),
        np.array(point, float).reshape(count, 2),
        np.array(normal, float).reshape(count, 2),
        np.array(force, float),
        np.zeros(count),
    )


def estimates(rows: list[tuple]) -> EstimatedContacts:
    """Rows of tick, obstacle, link, side, established, offset, force, reference."""
    columns = list(zip(*rows, strict=True)) if rows else [[]] * 8
    tick, obstacle, link, side = (np.array(column, np.int64) for column in columns[:4])
    offset, force, reference = (np.array(column, float) for column in columns[5:])
    return EstimatedContacts(
        tick,
        obstacle,
        link,
        side,
        np.array(columns[4], bool),
        offset,
        force,
        np.full(len(rows), np.nan),
        reference,
    )
