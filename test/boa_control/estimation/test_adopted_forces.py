# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A force on a link that no post is planned to touch is that of a post that may stand there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from boa_control.estimation.adopted_forces import WITHIN, adopted
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array

from .test_end_forces import LINKS, PITCH, contacts, pressed

# the start of `boa_moved_40mm`, seed 75: post 1 planned on link 10, 52 mm from its axis, pressed
# link 9 at 93 mm; with three of five measured the robot gave up
START = contacts([1, 9, 12], [0.085, 0.052, 0.02], [-1, -1, 1], [0.2, 0.4, 0.1])
MEASURED = np.array([4.0, 0.0, 5.0])
FAR, NEAR = 0.028, 0.007  # m, standard deviations


def shared(
    places: list[tuple[int, float, int, float]], std: float, planned: ContactSet = START
) -> Array:
    across, moment = pressed(places)

    def moments() -> Array:
        return moment

    deviations = np.full(planned.link.size, std)
    return adopted(MEASURED, planned, across, moments, deviations, PITCH)


def test_a_post_that_may_stand_so_far_off_presses_on_the_link_beside() -> None:
    assert shared([(8, 0.093, -1, 2.0)], FAR).tolist() == [4.0, 2.0, 5.0]


def test_one_that_cannot_does_not() -> None:
    """Nor may the array with the forces be another one: good runs keep every bit."""
    assert shared([(8, 0.093, -1, 2.0)], 0.089 / WITHIN * 0.99).tolist() == MEASURED.tolist()
    assert shared([(8, 0.093, -1, 2.0)], NEAR).tolist() == MEASURED.tolist()
    across, moment = pressed([(8, 0.093, -1, 2.0)])
    known = np.full(3, 0.004)
    assert adopted(MEASURED, START, across, lambda: moment, known, PITCH) is MEASURED


@pytest.mark.parametrize(
    "place",
    [
        (8, 0.093, 1, 2.0),  # from the other side
        (7, 0.12, -1, 2.0),  # two links away
        (8, 0.093, -1, 0.3),  # no touch
        (1, 0.01, -1, 3.0),  # where one is planned
    ],
)
def test_other_forces_are_none_of_its(place: tuple[int, float, int, float]) -> None:
    assert shared([place], FAR).tolist() == MEASURED.tolist()


def test_of_two_posts_the_likelier_one_adopts_it() -> None:
    both = contacts([7, 9, 12], [0.1, 0.052, 0.02], [-1, -1, 1], [0.6, 0.4, 0.1])
    across, moment = pressed([(8, 0.093, -1, 2.0)])
    force = adopted(np.zeros(3), both, across, lambda: moment, np.full(3, FAR), PITCH)
    assert force.tolist() == [0.0, 2.0, 0.0]


def test_moments_are_worked_out_only_where_a_force_has_no_post() -> None:
    def never() -> Array:
        raise AssertionError("every force is that of a planned post")

    moments: Callable[[], Array] = never
    across = np.zeros(LINKS)
    assert adopted(MEASURED, START, across, moments, np.full(3, FAR), PITCH) is MEASURED
