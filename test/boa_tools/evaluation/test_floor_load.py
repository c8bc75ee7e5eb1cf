# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forces of a floor over the frames of a film."""

from __future__ import annotations

import numpy as np
import pytest

from boa_tools.evaluation.floor_load import floor_load
from boa_tools.runs.runlog import FloorForces

LINKS = 3


def random_floor(ticks: int, seed: int = 1) -> FloorForces:
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(rng.random(ticks * LINKS) < 0.6)
    force = rng.normal(size=(rows.size, 3))
    force[:, 2] = rng.uniform(1.0, 9.0, rows.size)
    return FloorForces(rows // LINKS, rows % LINKS, rng.normal(size=(rows.size, 3)), force)


def test_no_impulse_is_lost_between_frames() -> None:
    """Forces times the ticks that each frame stands for, against the sum over all ticks after the
    first frame's, link by link.
    """
    floor, frames = random_floor(100), np.array([10, 17, 18, 60, 99])
    load = floor_load(floor, frames, LINKS)
    span = np.diff(frames, prepend=9)
    for link in range(LINKS):
        mine, theirs = load.link == link, (floor.link == link) & (floor.tick >= 10)
        impulse = (load.force[mine] * span[load.frame[mine], None]).sum(axis=0)
        assert impulse == pytest.approx(floor.force[theirs].sum(axis=0))


def test_a_frame_of_one_tick_has_the_forces_of_that_tick() -> None:
    floor = random_floor(20)
    load = floor_load(floor, np.arange(20), LINKS)
    np.testing.assert_array_equal(load.frame, floor.tick)
    np.testing.assert_array_equal(load.link, floor.link)
    np.testing.assert_allclose(load.force, floor.force)
    np.testing.assert_allclose(load.point, floor.point)


def test_the_centre_of_pressure_lies_where_the_load_is() -> None:
    point, force = np.array([[0.0, 0, 0], [1.0, 0, 0]]), np.array([[0, 0, 3.0], [0, 0, 1.0]])
    floor = FloorForces(np.array([1, 2]), np.array([0, 0]), point, force)
    load = floor_load(floor, np.array([0, 2]), LINKS)
    assert load.frame.tolist() == [1]
    np.testing.assert_allclose(load.point, [[0.25, 0.0, 0.0]])
    np.testing.assert_allclose(load.force, [[0.0, 0.0, 2.0]])
