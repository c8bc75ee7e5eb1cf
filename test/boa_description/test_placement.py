# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Placement: joints on the curve, one pitch apart, the first such points, and clear errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.placement import (
    BISECTIONS,
    SCAN,
    joints_on_curve,
    next_joint,
    place_on_curve,
    pose_of_points,
)


@dataclass(frozen=True)
class Circle:
    radius: float
    closed: bool = True

    @property
    def length(self) -> float:
        return 2 * np.pi * self.radius

    def position(self, s: Array) -> Array:
        angle = np.asarray(s) / self.radius
        return self.radius * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


@dataclass(frozen=True)
class Arcs:
    """Open curve of equally long arcs with the given curvatures, in exact arc length; end arcs go
    on.
    """

    curvatures: tuple[float, ...]
    piece: float
    closed: bool = False

    @property
    def length(self) -> float:
        return self.piece * len(self.curvatures)

    def position(self, s: Array) -> Array:
        s = np.asarray(s, float)
        index = np.clip((s / self.piece).astype(int), 0, len(self.curvatures) - 1)
        k = np.array(self.curvatures)
        start_heading = np.concatenate([[0.0], np.cumsum(k * self.piece)])
        start = np.concatenate([[0.0], np.cumsum(_arc(start_heading[:-1], k, self.piece))])
        z = start[index] + _arc(start_heading[index], k[index], s - index * self.piece)
        return np.stack([z.real, z.imag], axis=-1)


def _arc(heading: Array, curvature: Array, arc: Array | float) -> NDArray[np.complex128]:
    """End minus start of an arc, as a complex number: chord along the mean heading."""
    half = curvature * arc / 2
    return np.exp(1j * (heading + half)) * arc * np.sinc(half / np.pi)


@dataclass(frozen=True)
class Line:
    length: float
    closed: bool = False

    def position(self, s: Array) -> Array:
        s = np.asarray(s, float)
        return np.stack([0.6 * s, 0.8 * s], axis=-1)


def head_position(base: Array, joints: Array, pitch: float) -> Array:
    """Forward kinematics of the head-side end, written out."""
    heading = base[2] + np.concatenate([[0.0], np.cumsum(joints)])
    return base[:2] + pitch * np.array([np.cos(heading).sum(), np.sin(heading).sum()])


def test_circle_has_its_closed_form() -> None:
    """On a circle of radius R every link spans the angle 2 asin(l / 2R), and so does every
    joint.
    """
    radius, pitch, links = 1.2, 0.13, 13
    span = 2 * np.arcsin(pitch / 2 / radius)
    sigma = joints_on_curve(Circle(radius), links, pitch, anchor_s=0.4, anchor_joint=6)
    np.testing.assert_allclose(sigma, 0.4 + radius * span * (np.arange(14) - 6), atol=1e-11)
    base, joints = place_on_curve(Circle(radius), links, pitch, anchor_s=0.4, anchor_joint=6)
    np.testing.assert_allclose(joints, span, atol=1e-10)
    tail_angle = sigma[0] / radius
    np.testing.assert_allclose(
        base, [*Circle(radius).position(sigma[0]), tail_angle + span / 2 + np.pi / 2], atol=1e-10
    )


@given(
    curvatures=st.lists(st.floats(-6.0, 6.0), min_size=12, max_size=12),
    links=st.integers(2, 7),
    pitch=st.floats(0.05, 0.2),
    data=st.data(),
)
def test_joints_lie_on_the_curve_one_pitch_apart(
    curvatures: list[float], links: int, pitch: float, data: st.DataObject
) -> None:
    curve = Arcs(tuple(curvatures), 0.3)
    anchor = data.draw(st.integers(0, links))
    sigma = joints_on_curve(curve, links, pitch, anchor_s=1.8, anchor_joint=anchor)
    points = curve.position(sigma)
    assert sigma[anchor] == 1.8
    assert np.all(np.diff(sigma) >= pitch * (1 - 1e-9))
    np.testing.assert_allclose(np.hypot(*np.diff(points, axis=0).T), pitch, rtol=1e-10)
    base, joints = place_on_curve(curve, links, pitch, anchor_s=1.8, anchor_joint=anchor)
    np.testing.assert_allclose(head_position(base, joints, pitch), points[-1], atol=1e-10)


@given(
    curvatures=st.lists(st.floats(-6.0, 6.0), min_size=12, max_size=12), pitch=st.floats(0.05, 0.2)
)
def test_the_next_joint_is_the_first_point_one_pitch_away(
    curvatures: list[float], pitch: float
) -> None:
    curve = Arcs(tuple(curvatures), 0.3)
    for direction in (1, -1):
        found = float(next_joint(curve, np.array(1.8), pitch, direction))
        before = curve.position(np.linspace(1.8, found, 400)[:-1])
        assert np.all(np.hypot(*(before - curve.position(np.array(1.8))).T) < pitch)


def test_secants_spare_looking_and_change_no_bit() -> None:
    """46 halvings of a bracket that looks at every middle give the same numbers; by the secants
    half of those looks are not needed.
    """
    curve, pitch = Arcs((3.0, -4.0, 2.0, 0.0, -3.0, 5.0, 1.0, -2.0), 0.4), 0.13
    start, looks = np.linspace(1.0, 2.0, 301), []

    class Watched(Arcs):
        def position(self, s: Array) -> Array:
            looks.append(np.size(s))
            return super().position(s)

    def outside(arc: Array | float) -> Array:
        return np.hypot(*(curve.position(start + arc) - curve.position(start)).T) >= pitch

    arcs = pitch * np.array([1 - 1e-6, *SCAN])
    first = np.argmax([outside(arc) for arc in arcs], axis=0)
    short, long = arcs[first - 1], arcs[first]
    for _ in range(BISECTIONS):
        middle = 0.5 * (short + long)
        short, long = np.where([outside(middle)] * 2, [short, middle], [middle, long])
    found = next_joint(Watched(curve.curvatures, curve.piece), start, pitch, 1)
    assert np.array_equal(found, start + 0.5 * (short + long))
    assert sum(looks) < 0.6 * BISECTIONS * start.size


def test_many_chains_at_once_are_the_single_chains() -> None:
    curve = Arcs((3.0, -4.0, 2.0, 0.0, -3.0, 5.0, 1.0, -2.0), 0.4)
    anchors = np.linspace(1.0, 2.0, 7)
    together = joints_on_curve(curve, 6, 0.13, anchors, 3)
    alone = [joints_on_curve(curve, 6, 0.13, float(anchor), 3) for anchor in anchors]
    np.testing.assert_allclose(together, np.stack(alone), atol=1e-12)


def test_a_closed_curve_is_followed_past_its_seam() -> None:
    curve = Circle(0.5)
    sigma = joints_on_curve(curve, 10, 0.13, anchor_s=0.1, anchor_joint=8)
    assert sigma[0] < 0 < sigma[-1]
    shifted = joints_on_curve(curve, 10, 0.13, anchor_s=0.1 + curve.length, anchor_joint=8)
    np.testing.assert_allclose(curve.position(sigma), curve.position(shifted), atol=1e-10)


def test_a_chain_that_just_fits_on_a_line_fits() -> None:
    base, joints = place_on_curve(Line(1.69), 13, 0.13, anchor_s=0.78, anchor_joint=6)
    np.testing.assert_allclose(base, [0, 0, np.arctan2(0.8, 0.6)], atol=1e-10)
    np.testing.assert_allclose(joints, 0, atol=1e-10)


def test_headings_across_plus_minus_pi_give_small_joint_angles() -> None:
    points = np.array([[0.0, 0.0], [-1.0, 0.05], [-2.0, 0.0]])
    _, joints = pose_of_points(points)
    assert joints[0] == pytest.approx(2 * np.arctan(0.05))


@pytest.mark.parametrize(
    ("curve", "anchor_s", "anchor_joint", "words"),
    [
        (Line(1.5), 0.75, 6, ["does not fit", "end", "fewer links"]),
        (Line(1.69), 0.5, 6, ["does not fit", "beyond its start", "joint 2", "longer path"]),
        (Line(3.0), 3.2, 6, ["3.200 m", "outside", "3.000 m"]),
        (Line(3.0), -0.1, 6, ["-0.100 m", "outside"]),
        (Line(3.0), 1.0, 14, ["anchor joint 14", "0 to 13"]),
        (Circle(0.06), 0.0, 6, ["turns back", "0.130 m", "gentler bends"]),
    ],
)
def test_what_does_not_fit_is_said(
    curve: Line | Circle, anchor_s: float, anchor_joint: int, words: list[str]
) -> None:
    with pytest.raises(BoaError) as caught:
        place_on_curve(curve, 13, 0.13, anchor_s, anchor_joint)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message
