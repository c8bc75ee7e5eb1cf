# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The head's choice of a way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controllers.feeling.track import STEP
from boa_control.controllers.feeling.way import (
    BEFORE,
    PIECE,
    PIECES,
    Head,
    WaySettings,
    costs,
    distances,
    fan,
    next_curvature,
    off_wave,
)

NONE = np.zeros((0, 2))
ORIGIN, STRAIGHT_ON = np.zeros(2), np.zeros(round(BEFORE / STEP))
REACH = 0.09
STRAIGHT = WaySettings(amplitude=0.0)


def test_ways_are_arcs() -> None:
    """All pieces bent alike: a circle of that radius, whose chord and heading are known."""
    ways = fan()
    bent = np.flatnonzero((ways.curvature == 4.0).all(axis=1))[0]
    turned = 4.0 * PIECE * PIECES
    assert ways.heading[bent, -1] == pytest.approx(turned)
    end = np.array([np.sin(turned), 1 - np.cos(turned)]) / 4.0
    assert [ways.x[bent, -1], ways.y[bent, -1]] == pytest.approx(end, abs=1e-4)


@given(st.floats(0.0, 2 * np.pi), st.integers(0, 89))
def test_a_wave_is_no_way_off_itself(phase: float, until: int) -> None:
    """Over whole waves, wherever the way begins; a straight one is off by its mean square."""
    s = STEP * np.arange(1, 91)
    wave = 0.8 * np.sin(2 * np.pi * s / 0.9 + phase)
    assert off_wave(wave[None, until:], wave[:until], 0.8, 0.9) == pytest.approx(0.0, abs=1e-12)
    assert off_wave(np.zeros((1, 90)), NONE[:, 0], 0.8, 0.9) == pytest.approx(0.32)


def test_a_straight_head_begins_its_wave() -> None:
    """And does not put it off for ever: over 3 m it swings, by as much as pieces of the least
    curvature allow.
    """
    tip, heading = ORIGIN, STRAIGHT_ON
    for _ in range(round(3.0 / PIECE)):
        head = Head(tip, float(heading[-1]), heading[-STRAIGHT_ON.size :] - heading[-1])
        bend = next_curvature(head, 0.0, NONE, REACH, WaySettings())
        turned = heading[-1] + bend * STEP * np.arange(1, round(PIECE / STEP) + 1)
        tip = tip + STEP * np.array([np.cos(turned).sum(), np.sin(turned).sum()])
        heading = np.append(heading, turned)
    assert heading[-200:].max() > 0.4 and heading[-200:].min() < -0.4


@given(st.floats(-3.0, 3.0), st.floats(-2.0, 2.0), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_the_choice_turns_with_the_world(turn: float, x: float, ahead: float, left: float) -> None:
    """Costs tell only of where things are from the head."""
    post = np.array([[ahead, left]])
    at = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    here = costs(Head(ORIGIN, 0.2, STRAIGHT_ON), 0.1, post, REACH, WaySettings())
    tip = np.array([x, 1.0])
    there = costs(
        Head(tip, 0.2 + turn, STRAIGHT_ON), 0.1 + turn, tip + post @ at, REACH, WaySettings()
    )
    assert there == pytest.approx(here, abs=1e-6)


def test_without_posts_and_wave_it_goes_straight() -> None:
    assert next_curvature(Head(ORIGIN, 0.0, STRAIGHT_ON), 0.0, NONE, REACH, STRAIGHT) == 0.0


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_it_turns_away_from_a_post(side: float) -> None:
    """The post is a little to one side of the way ahead."""
    post = np.array([[0.2, 0.02 * side]])
    chosen = next_curvature(Head(ORIGIN, 0.0, STRAIGHT_ON), 0.0, post, REACH, STRAIGHT)
    assert chosen * side < 0.0


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_it_turns_to_its_course(side: float) -> None:
    head = Head(ORIGIN, -0.8 * side, STRAIGHT_ON)
    assert next_curvature(head, 0.0, NONE, REACH, STRAIGHT) * side > 0.0


@given(st.floats(0.12, 0.4), st.floats(-0.3, 0.3))
def test_no_way_through_a_post_where_one_past_it_is_left(ahead: float, left: float) -> None:
    head, post = Head(ORIGIN, 0.0, STRAIGHT_ON), np.array([[ahead, left]])
    clear = distances(fan(), head, post) >= REACH
    chosen = int(np.argmin(costs(head, 0.0, post, REACH, WaySettings())))
    assert clear[chosen] or not clear.any()
