# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps and gaps: the slabs by hand, what overlaps, and the floor of the MuJoCo model."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from pydantic import ValidationError

from boa_description.load import load_robot
from boa_description.mjcf import build_spec
from boa_description.scene import Scene
from boa_description.terrain import Gap, Slab, Step, Terrain, raised, slabs

INFINITE = math.inf
STEP, GAP = Step(x=2.0, height=0.05), Gap(x=2.5, width=0.15, depth=0.3)


@pytest.mark.parametrize(
    ("terrain", "expected"),
    [
        ((), [(-INFINITE, INFINITE, 0.0)]),
        ((STEP,), [(-INFINITE, 2.0, 0.0), (2.0, INFINITE, 0.05)]),
        ((GAP,), [(-INFINITE, 2.5, 0.0), (2.5, 2.65, -0.3), (2.65, INFINITE, 0.0)]),
        (
            (STEP, GAP),
            [(-INFINITE, 2.0, 0.0), (2.0, 2.5, 0.05), (2.5, 2.65, -0.25), (2.65, INFINITE, 0.05)],
        ),
    ],
)
def test_slabs_by_hand(terrain: Terrain, expected: list[tuple[float, float, float]]) -> None:
    assert slabs(terrain) == tuple(Slab(*each) for each in expected)


@pytest.mark.parametrize(
    ("terrain", "low", "high", "top"),
    [
        ((STEP,), 0.0, 1.99, None),
        ((STEP,), 0.0, 2.01, 0.05),
        ((STEP,), 50.0, 51.0, 0.05),
        ((GAP,), 2.0, 3.0, None),
        ((STEP, GAP), 2.51, 2.64, None),
    ],
)
def test_where_the_floor_is_raised(
    terrain: Terrain, low: float, high: float, top: float | None
) -> None:
    piece = raised(terrain, low, high)
    assert (None if piece is None else piece.top) == top


def test_features_that_overlap_are_refused() -> None:
    with pytest.raises(ValidationError, match=r"step at x = 2\.6 m begins before gap"):
        Scene(terrain=(GAP, Step(x=2.6, height=0.1)))


@pytest.mark.parametrize(
    ("terrain", "x", "height"),
    [
        ((STEP,), 1.99, 0.0),
        ((STEP,), 2.01, 0.05),
        ((GAP,), 2.4, 0.0),
        ((GAP,), 2.6, -0.3),
        ((GAP,), 2.7, 0.0),
        ((Step(x=100.0, height=0.05),), 99.0, 0.0),
        ((Step(x=100.0, height=0.05),), 101.0, 0.05),
        ((Step(x=-100.0, height=0.05),), -101.0, 0.0),
        ((Gap(x=50.0, width=0.15),), 51.0, 0.0),
    ],
)
def test_a_ray_from_above_meets_the_floor_at_its_height(
    terrain: Terrain, x: float, height: float
) -> None:
    cobra = load_robot("cobra12")
    model = build_spec(cobra, base="free", terrain=terrain).compile()
    data = mujoco.MjData(model)
    data.qpos[1] = 3.0  # out of the way
    mujoco.mj_forward(model, data)
    geom = np.zeros(1, np.int32)
    away = mujoco.mj_ray(
        model, data, np.array([x, 0.0, 2.0]), np.array([0.0, 0.0, -1.0]), None, 1, -1, geom
    )
    assert 2.0 - away == pytest.approx(height, abs=1e-9)
