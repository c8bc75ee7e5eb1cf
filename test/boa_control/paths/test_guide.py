# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Guides as curves, and the foot points on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.paths.guide import Guide, circle, figure_eight
from boa_description.errors import BoaError

coordinates = st.floats(-5, 5)
points = st.tuples(coordinates, coordinates)


@settings(max_examples=60)
@given(corners=st.lists(points, min_size=2, max_size=6, unique=True), point=points)
def test_the_foot_point_is_the_nearest_of_all(
    corners: list[tuple[float, float]], point: tuple[float, float]
) -> None:
    """Against a fine sampling of the guide and of its straight ends."""
    guide = Guide(np.array(corners))
    foot = guide.nearest(np.array(point))
    samples = guide.position(np.linspace(-15, guide.length + 15, 20_001))
    nearest = np.hypot(*(samples - point).T).min()
    assert abs(foot.offset) <= nearest + 1e-9
    assert abs(foot.offset) >= nearest - (guide.length + 30) / 20_000
    at = guide.position(np.array(foot.s))
    assert np.hypot(*(at - point)) == pytest.approx(abs(foot.offset), abs=1e-9)


@given(s=st.floats(0.1, 4.9), offset=st.floats(-1, 1), turn=st.floats(-3, 3))
def test_offsets_count_to_the_left(s: float, offset: float, turn: float) -> None:
    along = np.array([np.cos(turn), np.sin(turn)])
    left = np.array([-along[1], along[0]])
    guide = Guide(np.array([[0.0, 0.0], 5 * along]))
    foot = guide.nearest(s * along + offset * left)
    assert foot == pytest.approx((s, offset), abs=1e-9)
    assert guide.heading(np.array(s)) == pytest.approx(turn)


def test_open_guides_go_on_straight() -> None:
    guide = Guide(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]))
    assert guide.position(np.array([-0.5, 2.5])) == pytest.approx(np.array([[-0.5, 0], [1, 1.5]]))
    assert guide.nearest(np.array([1.2, 3.0])) == pytest.approx((4.0, -0.2))


def test_laps_are_counted_on() -> None:
    """Twice around a circle of 1 m, 0.1 m to its left (inside)."""
    guide = circle(1.0)
    s = 0.0
    for angle in np.linspace(0, 4 * np.pi, 200):
        foot = guide.nearest(0.9 * np.array([np.sin(angle), -np.cos(angle)]) + [0, 1], near=s)
        s = foot.s
        assert foot.offset == pytest.approx(0.1, abs=1e-3)
    assert s == pytest.approx(2 * guide.length, rel=1e-3)
    assert guide.length == pytest.approx(2 * np.pi, rel=1e-4)


def test_a_figure_eight_is_followed_through_its_crossing() -> None:
    """Length 6.0972 r of Gerono's lemniscate; branches are told apart by what was before."""
    guide = figure_eight(2.0)
    assert guide.length == pytest.approx(2 * 6.0972, rel=1e-4)
    s = 0.0
    for true in np.linspace(0, guide.length, 400):
        s = guide.nearest(guide.position(np.array(true)), near=s).s
        assert s == pytest.approx(true, abs=1e-6)


@pytest.mark.parametrize("closed", [False, True])
def test_a_guide_leads_somewhere(closed: bool) -> None:
    with pytest.raises(BoaError, match=r"all points of its guide are at \(1, 2\) m.*elsewhere"):
        Guide(np.array([[1.0, 2.0], [1.0, 2.0]]), closed)
