# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Progress of the robot's middle along a path."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.ending import Arrival
from boa_control.plant import GroundTruth, PlanarTruth

LINKS, PITCH, RADIUS = 4, 0.1, 1.0


class Ring:
    """A circle of radius 1 m around the origin, counter-clockwise."""

    length = 2 * np.pi * RADIUS
    closed = True

    def position(self, s):
        return RADIUS * np.stack((np.cos(s / RADIUS), np.sin(s / RADIUS)), axis=-1)

    def heading(self, s):
        return s / RADIUS + np.pi / 2

    def curvature(self, s):
        return np.full_like(s, 1 / RADIUS)


def on_ring(s: float, outwards: float = 0.0) -> GroundTruth:
    """A chain whose middle joint is at arc length s, `outwards` from the circle."""
    turn = 2 * np.arcsin(PITCH / 2 / RADIUS)  # of a chord as long as a link
    angles = s / RADIUS + turn * (np.arange(LINKS + 1) - LINKS // 2)
    points = (RADIUS + outwards) * np.column_stack((np.cos(angles), np.sin(angles)))
    headings = np.unwrap(np.arctan2(*np.diff(points, axis=0).T[::-1]))
    base = np.array([*points[0], headings[0]])
    zeros = np.zeros(LINKS - 1)
    return PlanarTruth(0, base, np.zeros(3), np.diff(headings), zeros)


def follow(goal: float, outwards: float = 0.0) -> tuple[Arrival, float]:
    arrival = Arrival(Ring(), PITCH, LINKS // 2, progress=0.0, distance=goal)
    s = 0.0
    while not arrival.reached(on_ring(s, outwards)):
        assert arrival.progress == pytest.approx(s, abs=1e-6 if not outwards else 2e-3)
        s += 0.01
        assert s < goal + 0.1, "drove past the goal"
    return arrival, s


@pytest.mark.parametrize("goal", [0.505, 3.005, 2.5 * Ring.length])  # between two steps
def test_arrives_where_the_path_says_also_after_laps(goal: float) -> None:
    _, s = follow(goal)
    assert goal <= s < goal + 0.01


def test_counts_the_foot_point_when_beside_the_path() -> None:
    arrival, s = follow(1.005, outwards=0.001)
    assert arrival.progress >= 1.005 and s == pytest.approx(1.005, abs=0.011)


def test_the_distance_counts_from_where_the_robot_really_started() -> None:
    """Posts off their places push the robot off its planned start."""
    late = Arrival(Ring(), PITCH, LINKS // 2, progress=0.0, distance=0.5)
    assert not late.reached(on_ring(-0.02))
    assert not late.reached(on_ring(0.479))
    assert late.reached(on_ring(0.481))


def test_follows_a_robot_that_goes_back_also_behind_its_start() -> None:
    arrival = Arrival(Ring(), PITCH, LINKS // 2, progress=0.0, distance=0.5)
    way = [
        0.0,
        *np.arange(0.01, 0.3, 0.01),
        *np.arange(0.3, -0.4, -0.01),
        *np.arange(-0.4, 0.5, 0.01),
    ]
    for s in way:
        assert not arrival.reached(on_ring(s))
        assert arrival.progress == pytest.approx(s, abs=1e-6)
    assert arrival.reached(on_ring(0.501))
