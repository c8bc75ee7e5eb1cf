# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Path and link poses for RViz and friends."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.messages.cdr import MessageError, deserialize
from boa_control.messages.topics import LINK_POSES, PATH
from boa_control.messages.views import LinkPosesCodec, decode_path, encode_path, encode_text
from boa_description.load import load_robot


class Ring:
    """A circle of radius 1 m around the origin, counter-clockwise."""

    length = 2 * np.pi
    closed = True

    def position(self, s):
        return np.stack((np.cos(s), np.sin(s)), axis=-1)

    def heading(self, s):
        return s + np.pi / 2

    def curvature(self, s):
        return np.ones_like(s)


def test_path_runs_along_the_curve_and_ends_where_it_began(same_bytes) -> None:
    content = same_bytes(encode_path(Ring(), 5), PATH.msgtype)
    points = np.array([[p.pose.position.x, p.pose.position.y] for p in content.poses])
    np.testing.assert_allclose(np.hypot(*points.T), 1.0)
    np.testing.assert_allclose(points[0], points[-1], atol=1e-12)
    assert np.hypot(*np.diff(points, axis=0).T).max() < 0.021
    turn = content.poses[0].pose.orientation
    np.testing.assert_allclose([turn.z, turn.w], [np.sqrt(0.5)] * 2)


def test_a_path_is_read_back() -> None:
    raw = encode_path(Ring(), 5)
    points = decode_path(raw)
    arc = np.linspace(0.0, Ring.length, len(points))
    np.testing.assert_allclose(points, Ring().position(arc), atol=1e-12)
    with pytest.raises(MessageError):
        decode_path(raw[:50])


def test_link_poses_form_the_chain(robot, same_bytes) -> None:
    rng = np.random.default_rng(0)
    base, joints = np.array([0.3, -0.2, 0.4]), rng.uniform(-0.5, 0.5, robot.joints)
    content = same_bytes(
        LinkPosesCodec(robot).encode_many((1,), base[None], joints[None])[0], LINK_POSES.msgtype
    )
    x, y, heading = base
    for i, pose in enumerate(content.poses):  # walk along the chain, link by link
        np.testing.assert_allclose([pose.position.x, pose.position.y], [x, y], atol=1e-12)
        np.testing.assert_allclose(
            [pose.orientation.z, pose.orientation.w], [np.sin(heading / 2), np.cos(heading / 2)]
        )
        x, y = x + robot.link.pitch * np.cos(heading), y + robot.link.pitch * np.sin(heading)
        heading += joints[i] if i < robot.joints else 0.0


def test_link_poses_are_read_back(robot) -> None:
    rng = np.random.default_rng(1)
    for heading in (0.4, 9.0, -20.0):
        base, joints = np.array([0.3, -0.2, heading]), rng.uniform(-1.5, 1.5, robot.joints)
        stamp, found, angles = LinkPosesCodec(robot).decode(
            LinkPosesCodec(robot).encode_many((17,), base[None], joints[None])[0]
        )
        assert stamp == 17
        turn = np.exp(1j * (found[2] - heading))
        np.testing.assert_allclose([*found[:2], turn.real], [*base[:2], 1.0], atol=1e-12)
        np.testing.assert_allclose(angles, joints, atol=1e-12)


def test_link_poses_of_another_robot_are_refused(robot) -> None:
    (raw,) = LinkPosesCodec(load_robot("boa3")).encode_many(
        (0,), np.zeros((1, 3)), np.zeros((1, 2))
    )
    with pytest.raises(MessageError, match="13 links of boa13"):
        LinkPosesCodec(robot).decode(raw)


def test_text() -> None:
    assert deserialize(encode_text("<robot/>"), "std_msgs/msg/String").data == "<robot/>"
