# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where posts repeat with their curve."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.model.pattern import pattern_length, post_period
from boa_control.paths.construct import build_path
from boa_control.paths.path import PlannedPath
from boa_control.paths.settings import StraightPath, WaypointPath
from boa_description.load import load_robot
from test.boa_control.circle import circle

BOA = load_robot("boa13")


def planned(sides: str) -> PlannedPath:
    return build_path(circle(sides), BOA)


@pytest.mark.parametrize(
    ("sides", "period"),
    [
        ("LRRL", 2),
        ("LLRR", 2),
        ("LR", 1),
        ("L", 1),
        ("B", 1),
        ("LRR", 3),
        ("LLLRRR", 3),
        ("LLLLRRRR", 4),
        ("LRRLL", 12),
    ],
)
def test_posts_repeat_with_the_least_common_multiple_of_pattern_and_repeat(
    sides: str, period: int
) -> None:
    """A repeat has two m-lines and the circle 24; a pattern that does not divide 24 never repeats
    before the lap.
    """
    path = planned(sides)
    assert post_period(path) == period
    assert pattern_length(path) == pytest.approx(path.curve.length * period / 12)


@pytest.mark.parametrize(("sides", "period"), [("LRRL", 2), ("LR", 1), ("LRR", 3), ("LRRLLLL", 7)])
@pytest.mark.parametrize("cells", [20, 21])
def test_on_an_open_zigzag_only_posts_that_are_there_count(
    sides: str, period: int, cells: int
) -> None:
    settings = StraightPath(
        kind="straight",
        spacing=0.3,
        attack_angle=np.radians(30),
        half_line=0.13,
        cells=cells,
        sides=sides,
    )
    path = build_path(settings, BOA)
    assert post_period(path) == period
    assert pattern_length(path) == pytest.approx(path.curve.length * 2 * period / cells)


def test_a_path_without_symmetry_repeats_nowhere() -> None:
    points = ((0.0, 0.0), (2.0, 0.3), (4.0, 0.0))
    path = build_path(WaypointPath(kind="waypoints", points=points, minimum_radius=0.3), BOA)
    assert post_period(path) == 1
    assert pattern_length(path) == path.curve.length
