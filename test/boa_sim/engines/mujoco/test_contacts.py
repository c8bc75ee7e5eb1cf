"""Merging MuJoCo's contact points into one contact per pair of link and obstacle."""

from __future__ import annotations

import numpy as np
import pytest

from boa_sim.engines.mujoco.contacts import ContactPoint, merge_points

UP = np.array([0.0, 1.0, 0.0])


def point(
    link: int, obstacle: int, x: float, rank: int = 0, normal: np.ndarray = UP
) -> ContactPoint:
    return ContactPoint(0, link, obstacle, rank, np.array([x, 0.0, 0.0]), normal)


def test_pairs_stay_apart_and_come_in_order() -> None:
    merged = merge_points(
        [point(2, 0, 0.0), point(1, 5, 0.1), point(1, 3, 0.2)], [1.0, 2.0, 3.0], [0.1, 0.2, 0.3]
    )
    assert [(c.link, c.obstacle, c.normal_force, c.tangential_force) for c in merged] == [
        (1, 3, 3.0, 0.3),
        (1, 5, 2.0, 0.2),
        (2, 0, 1.0, 0.1),
    ]


def test_points_of_one_pair_add_up_at_their_centre_of_pressure() -> None:
    (merged,) = merge_points([point(0, 0, 0.0), point(0, 0, 0.4, rank=1)], [1.0, 3.0], [0.1, 0.3])
    assert merged.normal_force == pytest.approx(4.0)
    assert merged.tangential_force == pytest.approx(0.4)
    assert merged.point == pytest.approx([0.3, 0.0, 0.0])
    assert merged.normal == pytest.approx(UP)


def test_different_normals_add_as_vectors() -> None:
    sideways = np.array([1.0, 0.0, 0.0])
    (merged,) = merge_points(
        [point(0, 0, 0.0), point(0, 0, 0.0, 1, sideways)], [3.0, 4.0], [0.0, 0.0]
    )
    assert merged.normal_force == pytest.approx(5.0)
    assert merged.normal == pytest.approx([0.8, 0.6, 0.0])


def test_what_carries_no_force_is_no_contact() -> None:
    assert merge_points([point(0, 0, 0.0)], [0.0], [0.0]) == ()
