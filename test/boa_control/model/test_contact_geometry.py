# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaps against brute force over sampled outlines, Jacobians against finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.model.contact_geometry import LinkContacts, ObstacleMap, chain_pose, gap_jacobian
from boa_control.model.contact_geometry import find_contacts as find_in_map
from boa_control.model.contact_geometry import measure_contacts as measure_in_map
from boa_description.load import load_robot
from boa_description.scene import Box, Circle, Obstacle, Wall

ROBOT = load_robot("boa13", links=5)
PITCH, RADIUS = ROBOT.link.pitch, ROBOT.link.radius
SAMPLES = 2000  # along a link
angles = st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4).map(np.array)
places = st.tuples(st.floats(-0.2, 0.8), st.floats(-0.4, 0.4))


def find_contacts(
    base: np.ndarray, joints: np.ndarray, shapes: list[Obstacle], within: float = 10.0
) -> LinkContacts:
    return find_in_map(chain_pose(ROBOT, base, joints), ObstacleMap.of(shapes), within)


def spine_points(base: np.ndarray, joints: np.ndarray) -> np.ndarray:
    """Points on every spine, shape (links, samples, 2)."""
    axes = chain_pose(ROBOT, base, joints).axes
    share = np.linspace(0, 1, SAMPLES + 1)[None, :, None]
    return axes[:-1, None, :] * (1 - share) + axes[1:, None, :] * share


def distance_to_rectangle(points: np.ndarray, box: Box) -> np.ndarray:
    """Distance by clamping into the rectangle; zero inside."""
    local = points - [box.x, box.y]
    cos, sin = math.cos(box.heading), math.sin(box.heading)
    local = np.stack(
        (cos * local[..., 0] + sin * local[..., 1], -sin * local[..., 0] + cos * local[..., 1]), -1
    )
    beyond = np.maximum(np.abs(local) - [box.length / 2, box.width / 2], 0)
    return np.hypot(beyond[..., 0], beyond[..., 1])


@given(angles, places)
def test_circle_gap_is_the_smallest_sampled_distance(
    joints: np.ndarray, place: tuple[float, float]
) -> None:
    base, post = np.array([0.1, -0.05, 0.3]), Circle(x=place[0], y=place[1], radius=0.03)
    sampled = np.hypot(*np.moveaxis(spine_points(base, joints) - place, -1, 0)).min(axis=1)
    contacts = find_contacts(base, joints, [post])
    # the nearest point lies within half a spacing of a sample, and Pythagoras says how much further
    # that is
    further = sampled[contacts.link] ** 2 - (contacts.gap + 0.03 + RADIUS) ** 2
    assert np.all((further > -1e-12) & (further < (PITCH / SAMPLES / 2) ** 2 + 1e-12))
    # shares its start sphere with the link before
    for left_out in set(range(5)) - set(contacts.link.tolist()):
        assert sampled[left_out] == pytest.approx(sampled[left_out - 1], abs=1e-6)


@given(angles, places, st.floats(-3, 3))
def test_box_gap_is_the_smallest_sampled_distance(
    joints: np.ndarray, place: tuple[float, float], heading: float
) -> None:
    base = np.array([0.1, -0.05, 0.3])
    box = Box(x=place[0], y=place[1], length=0.2, width=0.1, heading=heading)
    sampled = distance_to_rectangle(spine_points(base, joints), box).min(axis=1)
    contacts = find_contacts(base, joints, [box])
    # also where both ends are outside
    assert (contacts.gap[sampled[contacts.link] == 0.0] <= -RADIUS).all()
    outside = sampled[contacts.link] > 1e-3  # a spine inside the box is no contact but a wreck
    np.testing.assert_allclose(
        contacts.gap[outside] + RADIUS, sampled[contacts.link][outside], atol=1e-5
    )


@given(angles, places, st.sampled_from(["circle", "box", "wall"]))
def test_jacobian_is_the_derivative_of_the_gaps(
    joints: np.ndarray, place: tuple[float, float], kind: str
) -> None:
    x, y = place
    shape = {
        "circle": Circle(x=x, y=y, radius=0.03),
        "box": Box(x=x, y=y, length=0.2, width=0.1, heading=0.4),
        "wall": Wall(x1=x, y1=y, x2=x + 0.2, y2=y + 0.1),
    }[kind]
    base = np.array([0.1, -0.05, 0.3])
    contacts = find_contacts(base, joints, [shape])
    contacts = contacts.select(contacts.gap > 0)
    q, step = np.concatenate((base, joints)), 1e-6
    numeric = np.zeros((len(contacts), q.size))
    for column in range(q.size):
        moved = [q + sign * step * np.eye(q.size)[column] for sign in (1, -1)]
        posts = ObstacleMap.of([shape])
        up, down = (
            measure_in_map(chain_pose(ROBOT, at[:3], at[3:]), posts, contacts).gap for at in moved
        )
        numeric[:, column] = (up - down) / (2 * step)
    np.testing.assert_allclose(
        gap_jacobian(chain_pose(ROBOT, base, joints), contacts), numeric, atol=2e-4
    )


@given(angles, st.floats(-3, 3), st.floats(-1, 1), st.floats(-1, 1))
def test_link_frame_description_does_not_depend_on_where_the_scene_is(
    joints: np.ndarray, turn: float, dx: float, dy: float
) -> None:
    posts = [(0.1, 0.12), (0.3, -0.1), (0.5, 0.2)]
    here = find_contacts(np.zeros(3), joints, [Circle(x=x, y=y, radius=0.03) for x, y in posts])
    cos, sin = math.cos(turn), math.sin(turn)
    moved = [(cos * x - sin * y + dx, sin * x + cos * y + dy) for x, y in posts]
    there = find_contacts(
        np.array([dx, dy, turn]),
        joints,
        [Circle(x=x, y=y, radius=0.03) for x, y in moved],
        within=10.0,
    )
    # rounding may decide otherwise at a shared sphere
    if here.link.tolist() == there.link.tolist():
        np.testing.assert_allclose(here.offset, there.offset, atol=1e-9)
        np.testing.assert_allclose(here.normal, there.normal, atol=1e-7)


def test_post_beside_a_link_by_hand() -> None:
    """Straight chain along x, post of 30 mm on the left of link 2's middle, 5 mm clear."""
    post = Circle(x=1.5 * PITCH, y=RADIUS + 0.03 + 0.005, radius=0.03)
    contacts = find_contacts(np.zeros(3), np.zeros(4), [post], 0.006)
    assert contacts.link.tolist() == [1]
    assert contacts.gap == pytest.approx([0.005])
    assert contacts.offset == pytest.approx([PITCH / 2])
    assert contacts.side.tolist() == [1]
    np.testing.assert_allclose(contacts.normal, [[0, -1]], atol=1e-12)
    np.testing.assert_allclose(contacts.point, [[PITCH / 2, RADIUS]], atol=1e-12)


def test_post_at_a_joint_counts_once() -> None:
    post = Circle(x=2 * PITCH, y=RADIUS + 0.03, radius=0.03)
    contacts = find_contacts(np.zeros(3), np.zeros(4), [post], 1e-3)
    assert contacts.link.tolist() == [1]


def test_nothing_near_is_an_empty_set() -> None:
    contacts = find_contacts(np.zeros(3), np.zeros(4), [Circle(x=9, y=9, radius=0.1)], 0.01)
    assert len(contacts) == 0
    assert gap_jacobian(chain_pose(ROBOT, np.zeros(3), np.zeros(4)), contacts).shape == (0, 7)


def test_points_lie_outside_or_inside_of_the_nearest_obstacle() -> None:
    there = ObstacleMap.of(
        [
            Circle(x=1.0, y=0.0, radius=0.1),
            Box(x=0.0, y=0.0, length=0.4, width=0.2, heading=np.pi / 2),
        ]
    )
    points = np.array([[0.1, 0.3], [0.4, 0.6], [0.0, 0.15], [1.0, 0.05]])
    assert there.gaps(points) == pytest.approx([0.1, 0.5, -0.05, -0.05])
    assert ObstacleMap.of([]).gaps(points).tolist() == [np.inf] * 4
