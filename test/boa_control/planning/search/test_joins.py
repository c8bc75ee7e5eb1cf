# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ways between lines start and end where they should, without a kink, as gently as told."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from boa_control.planning.search.joins import (
    JoinSettings,
    Pose,
    corner_lengths,
    joins,
    swerve_lengths,
    total_length,
)
from boa_control.planning.search.way import chords, sample

SETTINGS = JoinSettings()
HERE = Pose(np.zeros(2), np.array(0.0))
SMALL = st.floats(-0.4, 0.4)
TURN = st.floats(-math.pi, math.pi)


def there(x: float, y: float, heading: float) -> Pose:
    return Pose(np.array([x, y]), np.array(heading))


@given(st.floats(0.02, 0.5), SMALL, TURN)
def test_every_way_ends_at_the_other_line_in_its_direction(x, y, heading):
    for segments in joins(HERE, there(x, y, heading), SETTINGS):
        way = sample(np.zeros(2), 0.0, segments, step=0.01)
        assert way.points[-1] == pytest.approx([x, y], abs=1e-7)  # pieces below 1e-9 m are left out
        assert math.cos(way.heading[-1] - heading) == pytest.approx(1.0, abs=1e-9)


@given(st.floats(0.02, 0.5), SMALL, TURN)
def test_no_arc_is_sharper_or_turns_further_than_allowed(x, y, heading):
    for segments in joins(HERE, there(x, y, heading), SETTINGS):
        for length, curvature in segments:
            assert length > 0
            assert abs(curvature) <= 1 / SETTINGS.least_radius + 1e-9
            assert abs(curvature) * length <= SETTINGS.largest_turn + 1e-9


@given(st.floats(0.02, 0.5), SMALL, TURN)
def test_guessed_lengths_are_those_of_the_ways(x, y, heading):
    ends = Pose(np.array([[x, y]]), np.array([heading]))
    guessed = np.fmin(corner_lengths(HERE, ends, SETTINGS), swerve_lengths(HERE, ends, SETTINGS))[0]
    lengths = [total_length(way) for way in joins(HERE, there(x, y, heading), SETTINGS)]
    assume(lengths or np.isnan(guessed))
    assert bool(lengths) == (not np.isnan(guessed))
    if lengths:
        assert min(lengths) == pytest.approx(guessed, abs=1e-5)


def test_a_right_angle_is_one_arc_of_the_largest_radius():
    (first, *_) = joins(HERE, there(0.3, 0.3, math.radians(70)), SETTINGS)
    bends = [curvature for _, curvature in first if curvature]
    assert len(bends) == 1 and bends[0] > 0


def test_links_on_a_way_have_the_length_of_the_pitch():
    way = sample(np.zeros(2), 0.3, ((0.2, 0.0), (0.15, 9.0), (0.1, 0.0), (0.2, -8.0), (0.2, 0.0)))
    starts, ends = chords(way, 0.13)
    assert np.hypot(*(ends - starts).T) == pytest.approx(0.13, abs=2e-4)


def test_sampling_agrees_with_the_closed_form_of_a_circle():
    way = sample(np.array([1.0, 2.0]), 0.5, ((1.2, 2.0),), step=0.01)
    heading = 0.5 + 2.0 * way.s
    x = 1.0 + (np.sin(heading) - math.sin(0.5)) / 2.0
    y = 2.0 - (np.cos(heading) - math.cos(0.5)) / 2.0
    assert way.points == pytest.approx(np.column_stack([x, y]), abs=1e-12)
    assert way.heading == pytest.approx(heading)
