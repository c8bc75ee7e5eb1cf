# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a robot under way is getting on, and the frames for its goals, with mailboxes of paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed (requirements/ros.in)")

from boa_control.experiments.journey.controller import Journey
from boa_control.messages.forces import ForceCodec
from boa_control.messages.frame_tree import HERE, Pose
from boa_control.messages.topics import TF, TF_STATIC
from boa_control.plant import ForceSample
from boa_control.ros.planner import frames, headway
from boa_control.ros.planner.frames import Frames
from boa_control.ros.planner.headway import HeadwayWatch
from test.boa_control.experiments.journey.paper import (
    END,
    EXPERIMENT,
    GOAL,
    Paper,
    stand,
    travel,
)
from test.boa_control.messages.test_frame_tree import tf

CODEC = ForceCodec(EXPERIMENT.robot)


class Box:
    """A mailbox whose messages the test writes."""

    made: dict[str, Box]

    def __init__(self, node: Any, topic: Any, **_: Any) -> None:
        Box.made[topic.name] = self
        self.depth, self.waiting = topic.depth, []

    def take(self) -> list[tuple[int, bytes]]:
        taken, self.waiting = self.waiting, []
        return [(0, raw) for raw in taken]

    def close(self) -> None:
        self.waiting = []


@pytest.fixture(autouse=True)
def boxes(monkeypatch: pytest.MonkeyPatch) -> dict[str, Box]:
    Box.made = {}
    for module in (frames, headway):
        monkeypatch.setattr(module, "Mailbox", Box)
    return Box.made


def force(largest: float) -> bytes:
    """Of the third joint, along a diagonal; the fourth sensor is silent, none measures along z."""
    given = np.zeros((EXPERIMENT.robot.joints, 3))
    given[2, :2] = 0.6 * largest, 0.8 * largest
    given[:, 2] = np.nan
    given[3] = np.nan
    return CODEC.encode(ForceSample(0, given))[0]


def test_the_largest_force_is_that_since_the_goal_came(boxes):
    paper = Paper()
    journey = Journey(EXPERIMENT, paper, EXPERIMENT.obstacles)
    watch = HeadwayWatch(None, EXPERIMENT.robot, journey)
    (box,) = boxes.values()
    assert watch.update() is None, "nothing is pursued"
    journey.go([GOAL])
    stand(journey, paper)
    for newton in (5.0, 20.0, 10.0):
        box.waiting = [force(newton)]
        now = watch.update()
    assert now.force == pytest.approx(20.0)
    assert "largest joint force 20 N" in watch.sum
    journey.go([GOAL])
    assert watch.update().force == 0.0


def test_the_way_to_go_shrinks_while_one_path_is_travelled():
    """Though the robot may be sent a little back."""
    paper = Paper()
    journey = Journey(EXPERIMENT, paper, EXPERIMENT.obstacles)
    watch = HeadwayWatch(None, EXPERIMENT.robot, journey)
    travel(journey, paper)
    told = []
    for progress in (2.0, 2.5, 2.4, 2.6):
        journey.motion(progress, 0.1, 0.1)
        told.append(watch.update().to_go)
    assert told == pytest.approx([END - 2.0, END - 2.5, END - 2.5, END - 2.6])
    journey.go([GOAL])
    assert watch.update().to_go != told[-1], "another goal has its own way"


def test_transforms_are_read_when_a_goal_comes(boxes, monkeypatch):
    monkeypatch.setattr(frames, "installed", lambda _: True)
    known = Frames(None)
    assert boxes[TF_STATIC.name].depth > 1, "one message of each publisher"
    ahead = Pose(np.array([1.0, 0.0, 0.0]), HERE.rotation)
    boxes[TF_STATIC.name].waiting = [tf("world", "map", HERE), tf("map", "odom", ahead)]
    boxes[TF.name].waiting = [tf("odom", "base_link", HERE), tf("odom", "base_link", ahead)]
    assert known.tree.in_world("base_link", HERE).position[0] == 2.0


def test_without_tf2_msgs_world_and_map_are_known(boxes, monkeypatch):
    monkeypatch.setattr(frames, "installed", lambda _: False)
    assert Frames(None).tree.in_world("map", HERE).position.tolist() == [0.0, 0.0, 0.0]
    assert not boxes
