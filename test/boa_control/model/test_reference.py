# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The chain on the curve: joints on the path, constant pitch, derivatives, symmetry."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.model.dynamics import PlanarChain
from boa_control.model.reference import ReferenceTable, place_chain
from boa_control.paths.construct import build_path
from boa_control.paths.settings import StraightPath, WaypointPath
from boa_description.errors import BoaError
from boa_description.load import load_robot
from test.boa_control.circle import circle

BOA = load_robot("boa13")
LINKS, PITCH = BOA.links, BOA.link.pitch
CIRCLE = build_path(circle(), BOA).curve
STRAIGHT = build_path(
    StraightPath(
        kind="straight", spacing=0.3, attack_angle=np.radians(30), half_line=0.13, cells=20
    ),
    BOA,
).curve


@pytest.mark.parametrize("curve", [CIRCLE, STRAIGHT])
def test_joint_axes_lie_on_the_curve_one_pitch_apart(curve) -> None:
    s = np.linspace(1.0, 1.7, 50)
    placed = place_chain(curve, LINKS, PITCH, s, LINKS // 2)
    points = curve.position(placed.sigma)
    np.testing.assert_allclose(np.linalg.norm(np.diff(points, axis=1), axis=-1), PITCH, atol=1e-11)
    np.testing.assert_allclose(placed.sigma[:, LINKS // 2], s)
    chain = PlanarChain(BOA)
    for k in (0, 20, 49):
        axes = chain.joint_axes(placed.q[k], chain.posture(placed.q[k]))
        np.testing.assert_allclose(axes, points[k], atol=1e-10)


@pytest.mark.parametrize("curve", [CIRCLE, STRAIGHT])
def test_derivatives(curve) -> None:
    step, anchor = 1e-5, LINKS // 2
    s = np.linspace(1.0, 1.7, 100) + 1.23e-4
    at, after, before = (
        place_chain(curve, LINKS, PITCH, s + d, anchor) for d in (0.0, step, -step)
    )
    first = np.abs((after.q - before.q) / (2 * step) - at.dq).max(axis=1)
    second = np.abs((after.dq - before.dq) / (2 * step) - at.ddq).max(axis=1)
    assert np.quantile(first, 0.9) < 1e-5
    assert np.quantile(second, 0.9) < 1e-3  # the second derivative jumps where lines meet arcs


@pytest.mark.parametrize("curve", [CIRCLE, STRAIGHT])
def test_table_agrees_with_direct_placement_over_many_repeats(curve) -> None:
    table = ReferenceTable(curve, LINKS, PITCH)
    for s in (0.9, 1.234, 3.21, 4.0):
        point = table.at(s)
        direct = place_chain(curve, LINKS, PITCH, np.array([s]), LINKS // 2)
        np.testing.assert_allclose(point.phi, direct.q[0, 3:], atol=5e-5)
        np.testing.assert_allclose(table.shapes(np.array([s]))[0], point.phi, atol=1e-12)
        many = table.placement(np.array([0.95, s]))
        for name in ("sigma", "q", "dq", "ddq"):
            np.testing.assert_allclose(getattr(many, name)[1], getattr(point, name), atol=1e-12)
        base = table.world_base(point)
        np.testing.assert_allclose(base[:2], direct.q[0, :2], atol=1e-5)
        assert np.cos(base[2] - direct.q[0, 2]) == pytest.approx(1.0, abs=1e-8)


def test_points_go_to_the_pattern_frame_and_back() -> None:
    for curve in (CIRCLE, STRAIGHT):
        table = ReferenceTable(curve, LINKS, PITCH)
        s = 3.3
        point = table.at(s)
        tail_in_world = curve.position(point.sigma[:1])
        np.testing.assert_allclose(
            table.to_pattern(tail_in_world, point.turn)[0], point.q[:2], atol=1e-6
        )


def test_a_joint_beside_a_post_is_straight() -> None:
    """Half line >= pitch: both links at a joint that passes a post lie on the m-line, so contact
    passes smoothly.
    """
    middle_of_m_line, anchor = np.array([0.13]), LINKS // 2
    placed = place_chain(CIRCLE, LINKS, PITCH, middle_of_m_line, anchor)
    assert abs(placed.q[0, 3 + anchor - 1]) < 1e-9


def test_short_open_path_is_refused() -> None:
    points = ((0.0, 0.0), (0.5, 0.0), (1.0, 0.0))
    curve = build_path(WaypointPath(kind="waypoints", points=points, minimum_radius=0.2), BOA).curve
    with pytest.raises(BoaError, match="shorter than the robot"):
        ReferenceTable(curve, LINKS, PITCH)


def test_the_table_of_an_open_path_reaches_a_link_beyond_the_places_of_a_whole_chain() -> None:
    """Where no link lies on the curve any more there are no rows; the end values stand for them."""
    points = tuple((0.3 * k, 0.06 * (-1) ** k) for k in range(12))
    curve = build_path(WaypointPath(kind="waypoints", points=points, minimum_radius=0.1), BOA).curve
    table = ReferenceTable(curve, LINKS, PITCH)
    start, end = table.extent
    assert len(table.nodes) < 0.7 * curve.length / table.spacing
    places = np.linspace(start - PITCH, end + PITCH, 40)
    placed, found = (
        place_chain(curve, LINKS, PITCH, places, LINKS // 2),
        table.placement(places),
    )
    np.testing.assert_allclose(found.sigma, placed.sigma, atol=1e-5)
    np.testing.assert_allclose(found.q, placed.q, atol=1e-5)
    assert placed.sigma[0, 0] < 0.0 and placed.sigma[-1, -1] > curve.length
    np.testing.assert_array_equal(table.at(0.0).q, table.at(table.nodes[0]).q)
