# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Paths against their geometry: closure, tangency, arc length, posts beside the m-lines, clear
errors.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from boa_control.paths.construct import build_path
from boa_control.paths.settings import CirclePath, StraightPath, WaypointPath
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import Circle
from test.boa_control.circle import circle

BOA = load_robot("boa13")
BOA_CIRCLE = circle()
THESIS_CIRCLE = CirclePath(
    kind="circle", radius=1.0, segments=12, attack_angle=np.radians(40), half_line=0.2
)
STRAIGHT = StraightPath(
    kind="straight", spacing=0.3, attack_angle=np.radians(30), half_line=0.13, cells=20
)
ALL = [BOA_CIRCLE, THESIS_CIRCLE, STRAIGHT]


@pytest.mark.parametrize("path", ALL)
def test_heading_and_curvature_are_derivatives_of_position(path) -> None:
    curve = build_path(path, BOA).curve
    s = np.linspace(-0.5, 3.0, 400) + 1e-4
    step = 1e-6
    tangent = (curve.position(s + step) - curve.position(s - step)) / (2 * step)
    heading = curve.heading(s)
    np.testing.assert_allclose(
        tangent, np.column_stack([np.cos(heading), np.sin(heading)]), atol=1e-6
    )
    turn = (curve.heading(s + step) - curve.heading(s - step)) / (2 * step)
    smooth = np.abs(turn - curve.curvature(s)) < 1e-6
    assert smooth.mean() > 0.99  # all but samples at the joints of lines and arcs


@pytest.mark.parametrize("path", [BOA_CIRCLE, THESIS_CIRCLE])
def test_circle_closes_after_one_turn(path: CirclePath) -> None:
    curve = build_path(path, BOA).curve
    start, end = np.array(0.0), np.array(curve.length)
    np.testing.assert_allclose(curve.position(end), curve.position(start), atol=1e-12)
    assert curve.heading(end) - curve.heading(start) == pytest.approx(2 * np.pi)


@pytest.mark.parametrize("path", ALL)
def test_posts_stand_beside_the_middle_of_the_m_lines(path) -> None:
    planned = build_path(path, BOA)
    reach = BOA.link.radius + path.obstacle_radius
    for post in planned.contacts:
        s = np.array(post.s)
        p, heading = planned.curve.position(s), planned.curve.heading(s)
        normal = np.array([-np.sin(heading), np.cos(heading)])
        np.testing.assert_allclose([post.x, post.y], p + post.side * reach * normal, atol=1e-12)
        around = planned.curve.curvature(s + np.array([-0.99, 0.99]) * path.half_line)
        assert np.all(around == 0.0)


def test_segmentation_points_lie_on_the_main_circle() -> None:
    planned = build_path(THESIS_CIRCLE, BOA)
    points = planned.curve.position(np.array([post.s for post in planned.contacts]))
    np.testing.assert_allclose(np.hypot(*points.T), THESIS_CIRCLE.radius, atol=1e-12)
    angles = np.unwrap(np.arctan2(points[:, 1], points[:, 0]))
    np.testing.assert_allclose(np.diff(angles), 2 * np.pi / THESIS_CIRCLE.segments, atol=1e-12)


@pytest.mark.parametrize(
    ("sides", "wanted"),
    [("LRRL", [1, -1, -1, 1] * 6), ("LR", [1, -1] * 12), ("B-", [1, -1] * 12), ("-", [])],
)
def test_side_pattern(sides: str, wanted: list[int]) -> None:
    posts = build_path(BOA_CIRCLE.model_copy(update={"sides": sides}), BOA).contacts
    assert [post.side for post in posts] == wanted


@settings(max_examples=40)
@given(
    radius=st.floats(0.5, 5.0),
    half=st.integers(4, 30),
    angle=st.floats(0.1, 1.2),
    half_line=st.floats(0.02, 0.3),
)
def test_any_circle_either_closes_or_is_refused_with_the_remedy(
    radius: float, half: int, angle: float, half_line: float
) -> None:
    path = CirclePath(
        kind="circle",
        radius=radius,
        segments=2 * half,
        attack_angle=angle,
        half_line=half_line,
        obstacle_radius=0.01,
    )
    try:
        curve = build_path(path, BOA).curve
    except BoaError as error:
        assert "use" in str(error)
        return
    s = np.linspace(0, curve.length, 2001)
    chords = np.hypot(*np.diff(curve.position(s), axis=0).T)
    assert chords.max() <= s[1] * (1 + 1e-9)  # a jump would be longer than the arc
    np.testing.assert_allclose(curve.position(s[-1]), curve.position(s[0]), atol=1e-9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"segments": 23}, "even"),
        ({"half_line": 0.4}, "shorter half_line"),
        ({"obstacle_radius": 0.3}, "overlap"),
    ],
)
def test_impossible_circles_are_refused(change: dict, words: str) -> None:
    with pytest.raises(BoaError, match=words):
        build_path(BOA_CIRCLE.model_copy(update=change), BOA)


def test_waypoints_on_a_circle_give_the_circle() -> None:
    angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    points = tuple(zip(np.cos(angle).tolist(), np.sin(angle).tolist(), strict=True))
    path = WaypointPath(kind="waypoints", points=points, closed=True, minimum_radius=0.5)
    curve = build_path(path, BOA).curve
    s = np.linspace(0, curve.length, 500)
    assert curve.length == pytest.approx(2 * np.pi, rel=1e-4)
    np.testing.assert_allclose(np.hypot(*curve.position(s).T), 1.0, atol=1e-4)
    np.testing.assert_allclose(curve.curvature(s), 1.0, atol=0.02)
    assert curve.heading(np.array(curve.length)) - curve.heading(np.array(0.0)) == pytest.approx(
        2 * np.pi
    )


def test_waypoint_path_refuses_tight_bends_and_posts_in_the_way() -> None:
    points = ((0.0, 0.0), (1.0, 0.0), (1.0, 0.2), (0.0, 0.2))
    with pytest.raises(BoaError, match="below minimum_radius"):
        build_path(WaypointPath(kind="waypoints", points=points, minimum_radius=0.3), BOA)
    straight = ((0.0, 0.0), (1.0, 0.0), (2.0, 0.0))
    post = Circle(x=1.0, y=0.05, radius=0.05)
    with pytest.raises(BoaError, match="inside the body's way"):
        build_path(
            WaypointPath(kind="waypoints", points=straight, minimum_radius=0.3, obstacles=(post,)),
            BOA,
        )


def test_posts_of_a_measured_map_that_the_body_does_not_reach_stand_aside() -> None:
    straight = ((0.0, 0.0), (1.0, 0.0), (2.0, 0.0))
    reach = BOA.link.radius + 0.05
    posts = tuple(
        Circle(x=x, y=reach + gap, radius=0.05) for x, gap in ((0.5, 0.3), (1.0, 0.002), (2.5, 0.0))
    )
    path = build_path(
        WaypointPath(kind="waypoints", points=straight, minimum_radius=0.3, obstacles=posts), BOA
    )
    assert [post.x for post in path.contacts] == [1.0]
    assert path.bystanders == (posts[0], posts[2])


@pytest.mark.parametrize(
    ("sides", "words"), [("LRXl", "no side is called 'X', 'l'"), ("", "no side is given")]
)
def test_unknown_sides_are_named_with_the_valid_ones(sides: str, words: str) -> None:
    with pytest.raises(ValidationError, match=f"{words}; per m-line write L left"):
        CirclePath.model_validate(BOA_CIRCLE.model_dump() | {"sides": sides})
