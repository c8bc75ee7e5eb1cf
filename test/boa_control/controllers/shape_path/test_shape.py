# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shape curve, virtual robot and compliance by hand and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.interpolate import PchipInterpolator

from boa_control.controllers.shape_path.compliance import (
    ComplianceSettings,
    moved,
    shares,
    spring,
)
from boa_control.controllers.shape_path.curve import derivative, joints_on_curve, pchip, positions
from boa_control.controllers.shape_path.virtual_robot import GaitSegment, VirtualRobot

LINKS, PITCH, PERIOD = 11, 0.16, 0.004
points_of_curves = arrays(np.float64, (8, 2), elements=st.floats(-2, 2, width=32))


@given(points=points_of_curves, share=st.floats(0, 1))
def test_the_curve_is_scipy_s(points: np.ndarray, share: float) -> None:
    """Monotone cubic Hermite interpolation of x and of y over the index, to 1e-12."""
    curve = pchip(points)
    s = np.linspace(0, 7, 50)
    expected = PchipInterpolator(np.arange(8), points)
    assert positions(curve, s) == pytest.approx(expected(s), abs=1e-12)
    at = 7 * share
    assert derivative(curve, at) == pytest.approx(expected(at, 1), abs=1e-10)


def wave_points() -> np.ndarray:
    steps = np.vstack((np.zeros(2), GaitSegment().steps, GaitSegment().steps, GaitSegment().steps))
    return np.cumsum(steps, axis=0)


@settings(max_examples=25, deadline=None)
@given(
    bend=arrays(np.float64, (25, 2), elements=st.floats(-0.0625, 0.0625, width=32)),
    head=st.floats(15.0, 23.5),
)
def test_joints_lie_on_the_curve_a_link_apart(bend: np.ndarray, head: float) -> None:
    """Also on curves that forces have bent; distances to 1e-9."""
    curve = pchip(wave_points() + bend)
    joints, axes = joints_on_curve(curve, head, LINKS, PITCH)
    assert (np.diff(joints) > 0).all() and joints[-1] == head
    assert axes == pytest.approx(positions(curve, joints), abs=1e-12)
    assert np.hypot(*np.diff(axes, axis=0).T) == pytest.approx(np.full(LINKS, PITCH), abs=1e-9)
    between = positions(curve, np.linspace(joints[-2], head, 200)[1:])
    assert np.hypot(*(between - axes[-1]).T).max() <= PITCH + 1e-6, "the first crossing"


def test_a_point_settles_where_its_spring_holds_the_force() -> None:
    """f / k with k = 130 N/m forward (beta = 0) and 38.5 N/m sideways (beta = pi / 2)."""
    p = ComplianceSettings()
    for force, stiffness in [
        ((13.0, 0.0), 130.0),
        ((0.0, 3.85), 30 + 100 * np.exp(-(np.pi**2) / 4)),
    ]:
        at, speed = np.zeros((1, 2)), np.zeros((1, 2))
        for _ in range(1000):
            at, speed = moved(at, speed, np.array([force]), 0.0, p, PERIOD)
        assert at[0] == pytest.approx(np.array(force) / stiffness, rel=1e-3)
    assert spring(np.array([[0.0, 0.1]]), 0.0, p) == pytest.approx(38.48, abs=0.01)


def test_springs_turn_with_the_shape_frame() -> None:
    p = ComplianceSettings()
    turned = np.array([[np.cos(2.5), np.sin(2.5)]])
    assert spring(0.1 * turned, 2.5, p) == pytest.approx(130.0)
    assert spring(-0.1 * turned, 2.5, p) == pytest.approx(30 + 100 * np.exp(-(np.pi**2)))


def test_the_largest_share_is_behind_the_contact() -> None:
    """At s_c - delta / k_a: 0.714 points behind."""
    p = ComplianceSettings()
    fine = shares(20, np.array([10.0 + 0.714, 10.0]), p)
    assert fine[:, 0].argmax() == 10 and fine[10, 0] == pytest.approx(1.0, abs=1e-3)
    assert fine[9, 1] > fine[10, 1] > fine[11, 1], "nearer the tail, not the head"


def robot(compliance: ComplianceSettings | None) -> VirtualRobot:
    virtual = VirtualRobot(LINKS, PITCH, GaitSegment(), compliance, 1)
    virtual.reset(np.zeros(2), 0.3)
    return virtual


def test_it_begins_straight_and_takes_the_shape_of_the_gait() -> None:
    virtual = robot(None)
    assert virtual.shape.angles == pytest.approx(np.zeros(LINKS - 1), abs=1e-9)
    assert virtual.shape.headings == pytest.approx(np.full(LINKS, 0.3), abs=1e-9)
    for _ in range(700):
        virtual.step(0.2, 0.0, np.zeros(LINKS), 0.02)
    assert 0.4 < np.abs(virtual.shape.angles).max() < 1.2
    assert len(virtual.points) < 30, "points behind the tail are dropped"


def test_new_points_lead_to_the_side_of_the_turn() -> None:
    headings = []
    for turn in (0.2, -0.2):
        virtual = robot(None)
        for _ in range(700):
            virtual.step(0.2, turn, np.zeros(LINKS), 0.02)
        headings.append(virtual.shape.headings.mean())
    assert headings[0] > 0.5 > 0.1 > headings[1]


def test_without_forces_the_compliant_curve_is_the_rigid_one() -> None:
    rigid, soft = robot(None), robot(ComplianceSettings())
    for _ in range(300):
        a = rigid.step(0.2, 0.1, np.zeros(LINKS), PERIOD)
        b = soft.step(0.2, 0.1, np.zeros(LINKS), PERIOD)
        assert np.array_equal(a.angles, b.angles)


def test_a_post_on_the_left_bends_the_links_behind_it_to_the_right() -> None:
    """It presses link 6 of a straight body to the right: the curve gives way behind it more than
    before it (the sign of delta is the law).
    """
    virtual = robot(ComplianceSettings())
    force = np.zeros(LINKS)
    force[5] = -10.0
    for _ in range(100):
        virtual.step(0.0, 0.0, force, PERIOD)
    across = np.array([-np.sin(0.3), np.cos(0.3)])
    away = positions(pchip(virtual.points), virtual.shape.joints) @ across
    assert away[4] < -0.02 and away[4] < away[7]
