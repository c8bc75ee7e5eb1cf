# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The track of the head, and the body on it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controllers.feeling.track import STEP, laid

PITCH, LINKS = 0.13, 13
BODY = PITCH * LINKS
ANGLES = st.lists(st.floats(-1.0, 1.0), min_size=LINKS - 1, max_size=LINKS - 1)


@given(ANGLES)
def test_a_body_lies_on_its_own_track(joints: list[float]) -> None:
    track, s = laid(np.array(joints), PITCH)
    assert track.angles(s, LINKS, PITCH) == pytest.approx(joints, abs=1e-9)


@given(st.floats(-8.0, 8.0))
def test_on_a_circle_all_joints_bend_by_its_curvature(curvature: float) -> None:
    """Chords of an arc of k pitch turn by k pitch from one to the next."""
    track, s = laid(np.zeros(LINKS - 1), PITCH)
    track = track.led_on(s, curvature, BODY + 0.2, BODY)
    angles = track.angles(s + BODY + 0.1, LINKS, PITCH)
    assert angles == pytest.approx(curvature * PITCH, abs=1e-9)


@given(ANGLES)
def test_joints_follow_the_one_before_them(joints: list[float]) -> None:
    """A link further on each joint is bent as the one before it was."""
    track, s = laid(np.array(joints), PITCH)
    track = track.led_on(s, 4.0, 0.3, BODY)
    assert track.angles(s + PITCH, LINKS, PITCH)[:-1] == pytest.approx(joints[1:], abs=1e-9)


def test_it_tells_how_it_came_and_bends() -> None:
    track, s = laid(np.zeros(LINKS - 1), PITCH)
    track = track.led_on(s, 4.0, 0.3, BODY)
    assert track.before(s, 0.2) == pytest.approx(np.zeros(20))
    before = track.before(s + 0.2, 0.2)
    assert before == pytest.approx(4.0 * STEP * np.arange(-19, 1), abs=1e-9)
    assert [track.bend(s - 0.1), track.bend(s + 0.1)] == pytest.approx([0.0, 4.0], abs=1e-9)


def test_what_is_far_behind_is_forgotten_and_the_body_stays() -> None:
    track, s = laid(np.linspace(-0.5, 0.5, LINKS - 1), PITCH)
    for k in range(80):
        track = track.led_on(s, 4.0 * (-1) ** k, 0.12, BODY)
        before = track.angles(s, LINKS, PITCH)
        assert track.led_on(s, 0.0, 0.12, BODY).angles(s, LINKS, PITCH) == pytest.approx(before)
        s += 0.1
    assert STEP * track.heading.size < BODY + 2.3 and track.end > s
