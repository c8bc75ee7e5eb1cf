# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a head leaves behind, and what is gone once more of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controllers.feeling.trail import EVERY, Trail, cleared, kept

PITCH = 0.13


def test_ways_back_and_what_they_left_are_not_of_the_trail() -> None:
    """To 1 m along x, back by 0.3 m, and on to 1.5 m a metre aside."""
    forth, back = np.arange(0.0, 1.0, 0.001), np.arange(1.0, 0.7, -0.001)
    on = np.arange(0.7, 1.5, 0.001)
    track = np.concatenate((forth, back, on))
    y = np.concatenate((np.zeros(forth.size + back.size), np.ones(on.size)))
    bend = np.where(y > 0, 4.0, 2.0)
    trail = kept(track, np.column_stack((track, y)), 0.0 * track, bend, PITCH)
    assert np.diff(trail.place.real) == pytest.approx(EVERY)
    assert trail.place.imag == pytest.approx(np.where(trail.place.real < 0.7 - 1e-9, 0.0, 1.0))
    assert trail.bend[:25] == pytest.approx(2.0) and trail.bend[45:] == pytest.approx(4.0)


def test_the_link_at_the_head_lies_on_a_chord_of_the_trail() -> None:
    """On a circle its heading is that of half a pitch before."""
    track = np.arange(0.0, 1.0, 0.001)
    link = 3.0 * (track - PITCH / 2)
    trail = kept(track, np.zeros((track.size, 2)), link, np.full(track.size, 3.0), PITCH)
    s = EVERY * np.arange(trail.heading.size)
    assert trail.heading[10:] == pytest.approx(3.0 * s[10:], abs=2e-3)


def straight() -> Trail:
    s = EVERY * np.arange(100)
    return Trail(s + 0.0j, 0.0 * s, 0.0 * s)


@given(st.floats(0.5, 1.5), st.floats(0.001, 0.1), st.sampled_from([1, -1]), st.floats(0.0, 6.0))
def test_a_trail_passes_posts_at_a_distance(x: float, aside: float, side: int, turn: float) -> None:
    """Wherever they are; smoothing eats 15 mm of 120. The world may be turned."""
    y = side * aside
    turned, post = np.exp(1j * turn), complex(x, y)
    trail, at = straight(), post * np.exp(1j * turn)
    moved = Trail(trail.place * turned, trail.heading + turn, trail.bend)
    clear = cleared(moved, np.array([[at.real, at.imag]]), 0.12)
    assert np.abs(clear.place - at).min() > 0.105
    here = cleared(trail, np.array([[x, y]]), 0.12)
    assert clear.bend == pytest.approx(here.bend, abs=1e-6)


def test_its_bends_lead_where_it_swerves() -> None:
    """Bends, integrated twice over the track, give the places: to 10 mm over 2 m."""
    clear = cleared(straight(), np.array([[1.0, 0.05]]), 0.12)
    heading = np.cumsum(clear.bend) * EVERY
    y = np.cumsum(np.sin(heading)) * EVERY
    assert y == pytest.approx(clear.place.imag, abs=0.01)
    assert clear.heading == pytest.approx(heading, abs=0.1)


def test_without_posts_a_trail_stays() -> None:
    clear = cleared(straight(), np.zeros((0, 2)), 0.12)
    assert clear.place == pytest.approx(straight().place)
    assert clear.bend == pytest.approx(0.0)
