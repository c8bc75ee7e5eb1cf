# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""/tf and /tf_static: bytes by the rules of CDR, frames by MuJoCo's forward kinematics and the
URDF.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from boa_control.messages.topics import TF, TF_STATIC
from boa_control.messages.transforms import TransformsCodec, encode_static_transforms
from boa_control.messages.views import LinkPosesCodec
from boa_description.errors import BoaError
from boa_description.frames import WORLD
from boa_description.joint_tree import moving_base
from boa_description.link_frames import link_frames
from boa_description.load import load_robot, robot_names
from boa_description.mjcf import build_spec
from boa_description.robot import Robot
from boa_description.urdf import build_urdf
from boa_sim.posing import set_pose

BOA = load_robot("boa13")
ANGLES = st.lists(st.floats(-1.5, 1.5), min_size=BOA.joints, max_size=BOA.joints).map(np.array)
BASES = st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(-9, 9)).map(np.array)
STAMP = 1_234_567_890_123


class Cdr:
    """Reads plain CDR, little-endian: every field at a multiple of its size, counted from behind
    the 4 byte header.
    """

    def __init__(self, raw: bytes) -> None:
        assert raw[:4] == b"\x00\x01\x00\x00"
        self.body, self.at = raw[4:], 0

    def take(self, kind: str, count: int = 1) -> tuple[float, ...]:
        size = struct.calcsize(kind)
        self.at += -self.at % size
        values = struct.unpack_from(f"<{count}{kind}", self.body, self.at)
        self.at += count * size
        return values

    def text(self) -> str:
        length = int(self.take("I")[0])
        self.at += length
        assert self.body[self.at - 1] == 0
        return self.body[self.at - length : self.at - 1].decode()


def read_transforms(raw: bytes) -> list[tuple[int, str, str, np.ndarray]]:
    """Stamp, parent, child and 4 x 4 matrix of every geometry_msgs/TransformStamped of a
    tf2_msgs/TFMessage.
    """
    cdr, found = Cdr(raw), []
    for _ in range(int(cdr.take("I")[0])):
        (seconds,), (nanoseconds,) = cdr.take("i"), cdr.take("I")
        parent, child = cdr.text(), cdr.text()
        numbers = cdr.take("d", 7)
        matrix = np.eye(4)
        matrix[:3, 3] = numbers[:3]
        matrix[:3, :3] = Rotation.from_quat(numbers[3:]).as_matrix()
        found.append((int(seconds) * 10**9 + int(nanoseconds), parent, child, matrix))
    assert cdr.at == len(cdr.body)
    return found


def all_frames(robot: Robot, base: np.ndarray, joints: np.ndarray) -> dict[str, np.ndarray]:
    """Every frame that is published, in the world, by walking along the tree."""
    moving = read_transforms(TransformsCodec(robot).encode(STAMP, base, joints))
    pending = [*moving, *read_transforms(encode_static_transforms(robot))]
    frames = {WORLD: np.eye(4)}
    while pending:
        ready = [item for item in pending if item[1] in frames]
        pending = [item for item in pending if item[1] not in frames]
        assert ready, f"no way to the world from {[child for _, _, child, _ in pending]}"
        for _, parent, child, matrix in ready:
            assert child not in frames  # one parent each
            frames[child] = frames[parent] @ matrix
    return frames


def simulated(robot: Robot, base: np.ndarray, joints: np.ndarray) -> dict[str, np.ndarray]:
    """Every link and sensor frame in the world, by MuJoCo."""
    model = build_spec(robot, base="planar" if robot.planar else "free").compile()
    data = mujoco.MjData(model)
    set_pose(model, data, base, joints)
    mujoco.mj_kinematics(model, data)
    bodies = {name: data.body(name) for name in robot.link_names}
    sites = {model.site(i).name: data.site(i) for i in range(model.nsite)}
    found = {}
    for name, item in {**bodies, **sites}.items():
        found[name] = np.eye(4)
        found[name][:3, :3], found[name][:3, 3] = item.xmat.reshape(3, 3), item.xpos
    return found


def described(robot: Robot) -> dict[str, str]:
    """Child -> parent of every joint of the URDF."""
    joints = ElementTree.fromstring(build_urdf(robot)).findall("joint")
    return {
        joint.find("child").attrib["link"]: joint.find("parent").attrib["link"] for joint in joints
    }


def test_ros_reads_the_same_bytes(same_bytes: Callable[[bytes, str], Any]) -> None:
    """Also a real tf2_msgs, where there is one."""
    joints = np.linspace(-1, 1, BOA.joints)
    raw = TransformsCodec(BOA).encode(STAMP, np.array([1.0, 2.0, 3.0]), joints)
    content = same_bytes(raw, TF.msgtype)
    children = [each.child_frame_id for each in content.transforms]
    assert children == ["base_x_link", "base_y_link", *BOA.link_names]
    assert {stamp for stamp, *_ in read_transforms(raw)} == {STAMP}
    fixed = same_bytes(encode_static_transforms(BOA), TF_STATIC.msgtype)
    # IMUs, force sensors and the head; map, odom, base_link
    assert len(fixed.transforms) == 2 * BOA.links + 3


@pytest.mark.parametrize("name", robot_names())
def test_every_link_of_the_urdf_has_its_transform(name: str) -> None:
    robot = load_robot(name)
    base = np.zeros(3) if robot.planar else np.array([0.0, 0, 0, 0, 0, 0, 1])
    moving = TransformsCodec(robot).encode(0, base, np.zeros(robot.joints))
    found = [*read_transforms(moving), *read_transforms(encode_static_transforms(robot))]
    parents = {child: parent for _, parent, child, _ in found}
    assert len(parents) == len(found)  # one parent each
    of_rep_105 = {"map": WORLD, "odom": "map", "base_link": robot.link_names[robot.links // 2]}
    moved = {joint.child: "odom" for joint in moving_base(robot)[:1]}
    assert parents == described(robot) | moved | of_rep_105
    links = {link.attrib["name"] for link in ElementTree.fromstring(build_urdf(robot)).iter("link")}
    assert set(parents) == links - {WORLD} | of_rep_105.keys()


def test_base_link_is_the_link_that_was_chosen() -> None:
    for number, link in ((0, "link_07"), (1, "link_01"), (13, "link_13")):
        fixed = read_transforms(encode_static_transforms(BOA, number))
        assert [parent for _, parent, child, _ in fixed if child == "base_link"] == [link]
    for number in (-1, 14):
        with pytest.raises(BoaError, match=f"base_link is {number}; expected 0"):
            encode_static_transforms(BOA, number)


@given(base=BASES, joints=ANGLES)
@settings(max_examples=50)
def test_frames_are_those_of_the_simulation(base: np.ndarray, joints: np.ndarray) -> None:
    shown, true = all_frames(BOA, base, joints), simulated(BOA, base, joints)
    np.testing.assert_array_equal(shown["base_link"], shown["link_07"])
    beside = {WORLD, "map", "odom", "base_link", "base_x_link", "base_y_link"}
    assert set(true) == set(shown) - beside
    for name, pose in true.items():
        np.testing.assert_allclose(shown[name], pose, atol=1e-12)
        assert np.linalg.det(shown[name][:3, :3]) == pytest.approx(1.0)  # right-handed
        np.testing.assert_allclose(shown[name][:3, 2], [0.0, 0.0, 1.0], atol=1e-15)  # z up


@pytest.mark.parametrize("name", robot_names())
def test_frames_of_every_robot_are_those_of_its_simulation(name: str) -> None:
    robot = load_robot(name)
    joints = np.random.default_rng(4).uniform(-1, 1, robot.joints)
    base = np.zeros(3) if robot.mount == "fixed" else np.array([0.4, -0.7, 2.0])
    if not robot.planar:
        base = np.array([0.4, -0.7, 0.3, *Rotation.from_euler("xyz", [0.3, -0.5, 2.0]).as_quat()])
    shown, true = all_frames(robot, base, joints), simulated(robot, base, joints)
    for frame, pose in true.items():
        np.testing.assert_allclose(shown[frame], pose, atol=1e-12)


def test_the_base_alone_leaves_the_joints_to_robot_state_publisher() -> None:
    base = np.array([1.0, 2.0, 0.5])
    joints = np.full(BOA.joints, 0.1)
    part = read_transforms(TransformsCodec(BOA, base_only=True).encode(7, base, joints))
    whole = read_transforms(TransformsCodec(BOA).encode(7, base, joints))
    assert [child for _, _, child, _ in part] == ["base_x_link", "base_y_link", "link_01"]
    for (*ours, matrix), (*theirs, expected) in zip(part, whole, strict=False):
        assert ours == theirs
        np.testing.assert_array_equal(matrix, expected)


def test_link_poses_are_the_same_frames(same_bytes: Callable[[bytes, str], Any]) -> None:
    base, joints = np.array([0.3, -0.2, 0.4]), np.linspace(-0.5, 0.7, BOA.joints)
    frames = all_frames(BOA, base, joints)
    poses = same_bytes(
        LinkPosesCodec(BOA).encode_many((0,), base[None], joints[None])[0],
        "geometry_msgs/msg/PoseArray",
    ).poses
    for name, pose in zip(BOA.link_names, poses, strict=True):
        at, turn = pose.position, pose.orientation
        np.testing.assert_allclose([at.x, at.y, at.z], frames[name][:3, 3], atol=1e-12)
        heading = Rotation.from_quat([turn.x, turn.y, turn.z, turn.w]).as_matrix()
        np.testing.assert_allclose(heading, frames[name][:3, :3], atol=1e-12)


def test_link_poses_in_space_are_those_of_the_simulation_and_give_the_angles_back() -> None:
    robot = load_robot("cobra12")
    joints = np.random.default_rng(5).uniform(-1.4, 1.4, robot.joints)
    base = np.array([0.4, -0.7, 0.3, *Rotation.from_euler("xyz", [0.3, -0.5, 2.0]).as_quat()])
    true, shown = simulated(robot, base, joints), link_frames(robot, base, joints)
    for name, pose in zip(robot.link_names, shown, strict=True):
        np.testing.assert_allclose(pose[:3], true[name][:3, 3], atol=1e-12)
        turn = Rotation.from_quat(pose[3:]).as_matrix()
        np.testing.assert_allclose(turn, true[name][:3, :3], atol=1e-12)
    codec = LinkPosesCodec(robot)
    stamp, read_base, read_joints = codec.decode(*codec.encode_many((7,), base[None], joints[None]))
    assert stamp == 7
    np.testing.assert_allclose(read_base, base, atol=1e-12)
    np.testing.assert_allclose(read_joints, joints, atol=1e-12)
