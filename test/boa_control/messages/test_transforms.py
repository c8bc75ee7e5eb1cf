"""/tf: bytes by the rules of CDR, frames by MuJoCo's forward kinematics and the URDF."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from boa_control.messages.topics import TF
from boa_control.messages.views import LinkPosesCodec, encode_link_transforms
from boa_description.frames import WORLD
from boa_description.load import load_robot
from boa_description.mjcf import build_spec
from boa_description.urdf import build_urdf

BOA = load_robot("boa13")
MODEL: mujoco.MjModel = build_spec(BOA).compile()
ANGLES = st.lists(st.floats(-1.5, 1.5), min_size=BOA.joints, max_size=BOA.joints).map(np.array)
BASES = st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(-9, 9)).map(np.array)


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


def in_world(raw: bytes) -> dict[str, np.ndarray]:
    """Every frame in the world, by walking along the tree."""
    frames = {WORLD: np.eye(4)}
    for _, parent, child, matrix in read_transforms(raw):
        assert child not in frames  # one parent each
        frames[child] = frames[parent] @ matrix
    return frames


def bodies(base: np.ndarray, joints: np.ndarray) -> dict[str, np.ndarray]:
    """Every link in the world, by MuJoCo."""
    data = mujoco.MjData(MODEL)
    data.qpos[:] = np.r_[base, joints]
    mujoco.mj_kinematics(MODEL, data)
    found = {}
    for name in BOA.link_names:
        found[name] = np.eye(4)
        found[name][:3, :3], found[name][:3, 3] = (
            data.body(name).xmat.reshape(3, 3),
            data.body(name).xpos,
        )
    return found


def test_ros_reads_the_same_bytes(same_bytes: Callable[[bytes, str], Any]) -> None:
    raw = encode_link_transforms(
        BOA, 1_234_567_890_123, np.array([1.0, 2.0, 3.0]), np.linspace(-1, 1, BOA.joints)
    )
    content = same_bytes(raw, TF.msgtype)
    assert [each.child_frame_id for each in content.transforms] == list(BOA.link_names)
    assert {stamp for stamp, *_ in read_transforms(raw)} == {1_234_567_890_123}


@given(base=BASES, joints=ANGLES)
def test_frames_are_those_of_the_simulated_links(base: np.ndarray, joints: np.ndarray) -> None:
    shown, true = in_world(encode_link_transforms(BOA, 0, base, joints)), bodies(base, joints)
    for name in BOA.link_names:
        np.testing.assert_allclose(shown[name], true[name], atol=1e-12)
        assert np.linalg.det(shown[name][:3, :3]) == pytest.approx(1.0)  # right-handed
        np.testing.assert_allclose(shown[name][:3, 2], [0.0, 0.0, 1.0], atol=1e-15)  # z up


def test_link_poses_are_the_same_frames(same_bytes: Callable[[bytes, str], Any]) -> None:
    base, joints = np.array([0.3, -0.2, 0.4]), np.linspace(-0.5, 0.7, BOA.joints)
    frames = in_world(encode_link_transforms(BOA, 0, base, joints))
    poses = same_bytes(
        LinkPosesCodec(BOA).encode(0, base, joints), "geometry_msgs/msg/PoseArray"
    ).poses
    for name, pose in zip(BOA.link_names, poses, strict=True):
        at, turn = pose.position, pose.orientation
        np.testing.assert_allclose([at.x, at.y, at.z], frames[name][:3, 3], atol=1e-12)
        heading = Rotation.from_quat([turn.x, turn.y, turn.z, turn.w]).as_matrix()
        np.testing.assert_allclose(heading, frames[name][:3, :3], atol=1e-12)


def test_between_links_the_tree_is_that_of_the_urdf() -> None:
    joints = [
        joint
        for joint in ElementTree.fromstring(build_urdf(BOA)).iter("joint")
        if joint.get("type") == "revolute"
    ]
    described = [
        (joint.find("parent").get("link"), joint.find("child").get("link")) for joint in joints
    ]
    raw = encode_link_transforms(BOA, 0, np.zeros(3), np.zeros(BOA.joints))
    (_, world, tail, _), *rest = read_transforms(raw)
    assert (world, tail) == (WORLD, "link_01")
    assert [(parent, child) for _, parent, child, _ in rest] == described
