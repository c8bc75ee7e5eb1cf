"""Merging MuJoCo's contact points into one contact per pair of link and obstacle."""

from __future__ import annotations

import numpy as np
import pytest

from boa_sim.engines.mujoco.contacts import ContactPoints, merge_points

UP = np.array([0.0, 1.0, 0.0])
Point = tuple[int, int, float, np.ndarray]


def points(*given: Point) -> ContactPoints:
    """Columns of points given by link, obstacle, x and normal."""
    link, obstacle, x, normal = zip(*given, strict=True)
    place = np.zeros((len(given), 3))
    place[:, 0] = x
    return ContactPoints(
        np.arange(len(given)), np.array(link), np.array(obstacle), place, np.array(normal)
    )


def test_pairs_stay_apart_and_come_in_order() -> None:
    merged = merge_points(
        points((2, 0, 0.0, UP), (1, 5, 0.1, UP), (1, 3, 0.2, UP)),
        np.array([1.0, 2.0, 3.0]),
        np.array([0.1, 0.2, 0.3]),
    )
    assert [(c.link, c.obstacle, c.normal_force, c.tangential_force) for c in merged] == [
        (1, 3, 3.0, 0.3),
        (1, 5, 2.0, 0.2),
        (2, 0, 1.0, 0.1),
    ]
    assert merged.tangential_force.tolist() == [0.3, 0.2, 0.1]


def test_points_of_one_pair_add_up_at_their_centre_of_pressure() -> None:
    merged, other = merge_points(
        points((0, 0, 0.0, UP), (1, 0, 0.7, UP), (0, 0, 0.4, UP)),
        np.array([1.0, 2.0, 3.0]),
        np.array([0.1, 0.2, 0.3]),
    )
    assert merged.normal_force == pytest.approx(4.0)
    assert merged.tangential_force == pytest.approx(0.4)
    assert merged.point == pytest.approx([0.3, 0.0, 0.0])
    assert merged.normal == pytest.approx(UP)
    assert (other.link, other.normal_force, other.tangential_force) == (1, 2.0, 0.2)


def test_different_normals_add_as_vectors() -> None:
    sideways = np.array([1.0, 0.0, 0.0])
    (merged,) = merge_points(
        points((0, 0, 0.0, UP), (0, 0, 0.0, sideways)), np.array([3.0, 4.0]), np.zeros(2)
    )
    assert merged.normal_force == pytest.approx(5.0)
    assert merged.normal == pytest.approx([0.8, 0.6, 0.0])


def test_what_carries_no_force_is_no_contact() -> None:
    assert not len(merge_points(points((0, 0, 0.0, UP)), np.zeros(1), np.zeros(1)))


def test_points_of_a_pair_are_numbered() -> None:
    given = points((0, 0, 0.0, UP), (1, 0, 0.7, UP), (0, 0, 0.4, UP))
    assert [point.key for point in given.each()] == [(0, 0, 0), (1, 0, 0), (0, 0, 1)]
