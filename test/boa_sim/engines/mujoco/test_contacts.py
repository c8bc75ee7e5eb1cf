# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Merging MuJoCo's contact points into one contact per pair of link and obstacle."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.plant import TruthColumns
from boa_sim.engines.contact_columns import merged, tangents
from boa_sim.engines.mujoco.contacts import ContactPoints

UP = np.array([0.0, 1.0, 0.0])
Point = tuple[int, int, float, np.ndarray]


def points(*given: Point, force: list[float], rubbing: list[float] | None = None) -> TruthColumns:
    """Points of one instant, given by link, obstacle, x and normal."""
    link, obstacle, x, normal = zip(*given, strict=True)
    place, normals = np.zeros((len(given), 3)), np.array(normal)
    place[:, 0] = x
    sliding = np.array(rubbing or [0.0] * len(given))[:, None] * tangents(normals)
    return TruthColumns(
        np.zeros(len(given), int),
        np.array(link),
        np.array(obstacle),
        place,
        normals,
        np.array(force),
        sliding,
    )


def test_pairs_stay_apart_and_come_in_order() -> None:
    contacts = merged(
        points(
            (2, 0, 0.0, UP),
            (1, 5, 0.1, UP),
            (1, 3, 0.2, UP),
            force=[1.0, 2.0, 3.0],
            rubbing=[0.1, 0.2, 0.3],
        )
    )
    assert (contacts.link.tolist(), contacts.obstacle.tolist()) == ([1, 1, 2], [3, 5, 0])
    assert contacts.normal_force.tolist() == [3.0, 2.0, 1.0]
    assert contacts.tangential_force.tolist() == [0.3, 0.2, 0.1]


def test_instants_stay_apart() -> None:
    first = points((0, 0, 0.0, UP), force=[1.0])
    both = TruthColumns(*(np.concatenate((column, column)) for column in first))
    contacts = merged(both._replace(report=np.array([1, 0])))
    assert contacts.report.tolist() == [0, 1]
    assert contacts.normal_force.tolist() == [1.0, 1.0]


def test_points_of_one_pair_add_up_at_their_centre_of_pressure() -> None:
    contacts = merged(
        points(
            (0, 0, 0.0, UP),
            (1, 0, 0.7, UP),
            (0, 0, 0.4, UP),
            force=[1.0, 2.0, 3.0],
            rubbing=[0.1, 0.2, 0.3],
        )
    )
    assert contacts.link.tolist() == [0, 1]
    assert contacts.normal_force == pytest.approx([4.0, 2.0])
    assert contacts.tangential_force == pytest.approx([0.4, 0.2])
    assert contacts.point[0] == pytest.approx([0.3, 0.0, 0.0])
    assert contacts.normal[0] == pytest.approx(UP)


def test_different_normals_add_as_vectors() -> None:
    sideways = np.array([1.0, 0.0, 0.0])
    contacts = merged(points((0, 0, 0.0, UP), (0, 0, 0.0, sideways), force=[3.0, 4.0]))
    assert contacts.normal_force == pytest.approx([5.0])
    assert contacts.normal[0] == pytest.approx([0.8, 0.6, 0.0])


def test_what_carries_no_force_is_no_contact() -> None:
    contacts = merged(points((0, 0, 0.0, UP), (0, 1, 0.0, UP), force=[0.0, 0.0]))
    assert all(column.size == 0 for column in contacts)


def test_points_of_a_pair_are_numbered() -> None:
    link, number = np.array([0, 1, 0]), np.arange(3)
    given = ContactPoints(number, number, link, 0 * link, np.zeros((3, 3)), np.tile(UP, (3, 1)))
    assert given.keys() == [(0, 0, 0), (1, 0, 0), (0, 0, 1)]
