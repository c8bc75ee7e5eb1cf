# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Frame prefix: every frame of a robot has it, the world has not, and the tree is one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario, with_frame_prefix
from boa_control.messages.cdr import deserialize
from boa_control.messages.tools import ToolTopics
from boa_control.messages.topics import (
    CONTACT_FORCE_MARKERS,
    IMUS,
    JOINT_FORCE_MARKERS,
    SIM_ODOMETRY,
    TF,
    TF_STATIC,
)
from boa_control.messages.transforms import TransformsCodec, encode_static_transforms
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.errors import BoaError
from boa_description.frames import WORLD
from boa_description.joint_tree import joint_tree, moving_base
from boa_description.load import load_robot, robot_names
from boa_description.robot import Robot
from boa_description.urdf import build_urdf
from boa_tools.bags.rosbag import bag_messages, bag_summary
from boa_tools.bags.ticks import bag_sink, bag_ticks, written_topics
from boa_tools.runs.drive import run_experiment

PREFIX = "left/"
MOVED = (IMUS, SIM_ODOMETRY, TF, TF_STATIC, CONTACT_FORCE_MARKERS, JOINT_FORCE_MARKERS)


def prefixed(name: str) -> Robot:
    return load_robot(name, override={"frame_prefix": PREFIX})


def frames_of(content: Any) -> Iterator[str]:
    """Every frame_id and child_frame_id in a message that is not empty."""
    if isinstance(content, list):
        for item in content:
            yield from frames_of(item)
    elif is_dataclass(content):
        for field in fields(content):
            value = getattr(content, field.name)
            if field.name in ("frame_id", "child_frame_id") and value:
                yield value
            else:
                yield from frames_of(value)


def edges(raw: bytes) -> Iterator[tuple[str, str]]:
    for transform in deserialize(raw, TF.msgtype).transforms:
        yield transform.header.frame_id, transform.child_frame_id


def tree(*messages: bytes) -> dict[str, str]:
    """Child to parent; no frame has two parents."""
    pairs = [(child, parent) for raw in messages for parent, child in edges(raw)]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def root(parents: dict[str, str], frame: str) -> str:
    while frame in parents:
        frame = parents[frame]
    return frame


@pytest.mark.parametrize("name", [n for n in robot_names() if load_robot(n).planar])
def test_two_robots_stand_in_one_world(name: str) -> None:
    trees = []
    for robot in (prefixed(name), load_robot(name, override={"frame_prefix": "right_"})):
        moving = TransformsCodec(robot).encode(0, np.zeros(3), np.zeros(robot.joints))
        trees.append(tree(moving, encode_static_transforms(robot)))
        # what robot_state_publisher and RViz make of the URDF's links is there
        links = ElementTree.fromstring(build_urdf(robot)).iter("link")
        named = {robot.frame_prefix + link.attrib["name"] for link in links}
        named |= {robot.frame_prefix + frame for frame in ("odom", "base_link")}
        assert named | {"map"} == set(trees[-1])
    assert trees[0].keys() & trees[1].keys() == {"map"}
    both = trees[0] | trees[1]
    assert {root(both, frame) for frame in both} == {WORLD}


@pytest.mark.parametrize("name", [n for n in robot_names() if load_robot(n).planar])
def test_robot_state_publisher_completes_the_tree(name: str) -> None:
    """It puts the prefix before both ends of every joint whose value it knows."""
    robot = prefixed(name)
    parents = tree(encode_static_transforms(robot, without_urdf=True))
    if moving_base(robot):
        joints = np.zeros(robot.joints)
        parents |= tree(TransformsCodec(robot, base_only=True).encode(0, np.zeros(3), joints))
    for joint in joint_tree(robot):
        if joint.kind == "fixed" or joint.name in robot.joint_names:
            parents[PREFIX + joint.child] = PREFIX + joint.parent
    assert {root(parents, frame) for frame in parents} == {WORLD}


def test_every_frame_in_a_bag_has_the_prefix_and_the_bag_is_read_with_it(tmp_path: Path) -> None:
    plain = load_scenario("boa_circle").model_copy(update={"duration": 0.3, "distance": None})
    chosen = prepare(with_frame_prefix(plain, PREFIX))
    logs = {}
    for bag, experiment in (("plain", prepare(plain)), ("left", chosen)):
        with bag_sink(tmp_path / bag, experiment) as sinks:
            run_experiment(experiment, seed=0, sinks=sinks)
        logs[bag] = list(bag_ticks(tmp_path / bag, experiment))

    valid = {WORLD, PREFIX + WORLD} | {PREFIX + joint.child for joint in joint_tree(chosen.robot)}
    valid |= {"map", f"{PREFIX}odom", f"{PREFIX}base_link"}
    types = {topic.name: topic.msgtype for topic in bag_summary(tmp_path / "left").topics}
    named: dict[str, set[str]] = {}
    for message in bag_messages(tmp_path / "left", written_topics()):
        content = deserialize(message.raw, types[message.topic])
        named.setdefault(message.topic, set()).update(frames_of(content))
        if message.topic == IMUS.name:  # as many frames as IMUs in one message
            named[message.topic].update(content.joint_names)
    assert set().union(*named.values()) <= valid
    for topic in MOVED:
        assert any(frame.startswith(PREFIX) for frame in named[topic.name]), topic.name

    for ours, theirs in zip(logs["left"], logs["plain"], strict=True):
        assert ours.frame.imu is not None and ours.truth is not None
        np.testing.assert_array_equal(ours.output.torque, theirs.output.torque)
        np.testing.assert_array_equal(ours.frame.imu.yaw, theirs.frame.imu.yaw)
    text = bag_summary(tmp_path / "left").scenario
    assert "frame_prefix: left/" in text


def test_topics_for_tools_have_the_prefix() -> None:
    robot = prefixed("boa3")
    still = ImuSample(
        1,
        np.tile([0.0, 0.0, 0.0, 1.0], (robot.links, 1)),
        np.zeros((robot.links, 3)),
        np.zeros((robot.links, 3)),
        np.zeros(robot.links),
    )
    rest = np.zeros(robot.joints)
    frame = SensorFrame(
        stamp_ns=1,
        position=rest,
        velocity=rest,
        effort=rest,
        joint_force=ForceSample(1, np.zeros((robot.joints, 3))),
        imu=still,
        temperature=rest,
        joint_age=rest,
    )
    tools = ToolTopics(robot)
    for topic, raw in tools.encode(frame, frozenset((*tools.imus, *tools.wrenches))):
        (name,) = frames_of(deserialize(raw, topic.msgtype))
        assert name.startswith(PREFIX)


@pytest.mark.parametrize("prefix", ["/left", "1st", "left robot/", "a\n"])
def test_a_prefix_that_makes_no_frame_is_refused(prefix: str) -> None:
    with pytest.raises(BoaError, match="frame_prefix"):
        load_robot("boa13", override={"frame_prefix": prefix})


def test_models_and_joints_know_no_prefix() -> None:
    plain, left = load_robot("boa13"), prefixed("boa13")
    assert build_urdf(left) == build_urdf(plain)
    assert left.joint_names == plain.joint_names
