# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Poses in frames of /tf, compared with products of 4 x 4 matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from boa_control.messages.cdr import header, message, quaternion, serialize, vector
from boa_control.messages.frame_tree import HERE, FrameTree, Pose, UnknownFrameError

NUMBER = st.floats(-3.0, 3.0)


def tf(parent: str, child: str, pose: Pose) -> bytes:
    transform = message(
        "geometry_msgs/msg/Transform",
        translation=vector(pose.position),
        rotation=quaternion(pose.rotation),
    )
    stamped = message(
        "geometry_msgs/msg/TransformStamped",
        header=header(0, parent),
        child_frame_id=child,
        transform=transform,
    )
    return serialize(message("tf2_msgs/msg/TFMessage", transforms=[stamped]))


def matrix(pose: Pose) -> np.ndarray:
    whole = np.eye(4)
    whole[:3, :3] = Rotation.from_quat(pose.rotation).as_matrix()
    whole[:3, 3] = pose.position
    return whole


@st.composite
def poses(draw) -> Pose:
    turn = Rotation.from_rotvec([draw(NUMBER), draw(NUMBER), draw(NUMBER)]).as_quat()
    return Pose(np.array([draw(NUMBER), draw(NUMBER), draw(NUMBER)]), turn)


def tree(*transforms: tuple[str, str, Pose]) -> FrameTree:
    frames = FrameTree()
    for parent, child, pose in transforms:
        frames.take(tf(parent, child, pose))
    return frames


@given(poses(), poses(), poses(), poses())
def test_a_pose_is_found_through_the_common_root(a, b, c, goal):
    frames = tree(("room", "world", a), ("room", "odom", b), ("odom", "base_link", c))
    there = frames.in_world("base_link", goal)
    expected = np.linalg.inv(matrix(a)) @ matrix(b) @ matrix(c) @ matrix(goal)
    np.testing.assert_allclose(matrix(there), expected, atol=1e-9)


def test_the_newest_transform_counts():
    ahead = Pose(np.array([1.0, 0.0, 0.0]), HERE.rotation)
    frames = tree(("world", "odom", HERE), ("world", "odom", ahead))
    assert frames.in_world("odom", HERE).position.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("rotation", [np.zeros(4), np.full(4, np.nan), np.full(4, 2.0)])
def test_what_is_no_transform_does_not_count(rotation):
    wrong = ("world", "camera", Pose(np.zeros(3), rotation))
    assert tree(("world", "camera", HERE), wrong).in_world("camera", HERE).position[0] == 0.0
    nowhere = ("world", "camera", Pose(np.array([np.nan, 0.0, 0.0]), HERE.rotation))
    with pytest.raises(UnknownFrameError, match="'camera' is not known"):
        tree(wrong, nowhere).in_world("camera", HERE)


def test_the_map_is_the_world_where_nobody_says_otherwise():
    ahead = Pose(np.array([1.0, 0.0, 0.0]), HERE.rotation)
    assert tree().in_world("map", ahead).position[0] == 1.0
    assert tree(("map", "odom", ahead)).in_world("odom", HERE).position[0] == 1.0
    assert tree(("map", "world", ahead)).in_world("map", HERE).position[0] == -1.0


def test_a_frame_that_leads_nowhere_is_refused_with_those_that_are_known():
    with pytest.raises(UnknownFrameError, match="'odm' is not known to tf; did you mean 'odom'"):
        tree(("world", "odom", HERE)).in_world("odm", HERE)
    with pytest.raises(UnknownFrameError, match="in a circle"):
        tree(("a", "b", HERE), ("b", "a", HERE)).in_world("a", HERE)
