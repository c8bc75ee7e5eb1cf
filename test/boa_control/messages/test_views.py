"""Path, obstacles and link poses for RViz and friends."""

from __future__ import annotations

import numpy as np

from boa_control.messages.cdr import deserialize
from boa_control.messages.topics import LINK_POSES, OBSTACLES, PATH
from boa_control.messages.views import LinkPosesCodec, encode_obstacles, encode_path, encode_text
from boa_description.scene import Box, Circle, Wall


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


def test_obstacles_have_their_place_and_size(same_bytes) -> None:
    shapes = (
        Circle(x=1.0, y=2.0, radius=0.05),
        Box(x=0.0, y=1.0, length=0.4, width=0.2, heading=0.5),
        Wall(x1=0.0, y1=0.0, x2=0.0, y2=3.0, thickness=0.1),
    )
    circle, box, wall = same_bytes(encode_obstacles(shapes), OBSTACLES.msgtype).markers
    assert [m.id for m in (circle, box, wall)] == [0, 1, 2]
    assert (circle.type, box.type, wall.type) == (3, 1, 1)  # cylinder, cubes
    assert (circle.pose.position.x, circle.pose.position.y, circle.scale.x) == (1.0, 2.0, 0.1)
    assert (box.scale.x, box.scale.y) == (0.4, 0.2) and np.isclose(
        box.pose.orientation.z, np.sin(0.25)
    )
    np.testing.assert_allclose([wall.scale.x, wall.scale.y, wall.pose.position.y], [3.0, 0.1, 1.5])


def test_link_poses_form_the_chain(robot, same_bytes) -> None:
    rng = np.random.default_rng(0)
    base, joints = np.array([0.3, -0.2, 0.4]), rng.uniform(-0.5, 0.5, robot.joints)
    content = same_bytes(LinkPosesCodec(robot).encode(1, base, joints), LINK_POSES.msgtype)
    x, y, heading = base
    for i, pose in enumerate(content.poses):  # walk along the chain, link by link
        np.testing.assert_allclose([pose.position.x, pose.position.y], [x, y], atol=1e-12)
        np.testing.assert_allclose(
            [pose.orientation.z, pose.orientation.w], [np.sin(heading / 2), np.cos(heading / 2)]
        )
        x, y = x + robot.link.pitch * np.cos(heading), y + robot.link.pitch * np.sin(heading)
        heading += joints[i] if i < robot.joints else 0.0


def test_text() -> None:
    assert deserialize(encode_text("<robot/>"), "std_msgs/msg/String").data == "<robot/>"
