# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nav2's actions as doors to the journey of the planner, beside the topic goal_pose.

Every goal is accepted, and one that is refused ends at once: only a result has a place for the
reason. A goal stays in the state ACCEPTED while it is pursued and is executed when it ends: an
execution that waits keeps rclpy's EventsExecutor busy all the time.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from builtin_interfaces.msg import Duration
from rclpy.action import ActionServer, CancelResponse
from rclpy.node import Node

from boa_control.experiments.journey.controller import Journey
from boa_control.experiments.journey.parts import Goal
from boa_control.experiments.journey.pursuit import Pursuit, Standing
from boa_control.experiments.journey.whereabouts import STILL_RATE
from boa_control.interface import FOLLOW_PATH, NAVIGATE_TO_POSE, Action
from boa_control.messages.frame_tree import UnknownFrameError
from boa_control.messages.goals import course_of, goal_of
from boa_control.ros.planner.frames import Frames
from boa_control.ros.planner.headway import Headway
from boa_control.ros.services import one_line
from boa_description.errors import BoaError
from boa_description.frames import WORLD
from boa_description.quaternion import yaw_quaternion


class Codes(NamedTuple):
    """Of results that are not a success, as newer releases of nav2_msgs name them."""

    unknown: int
    tf_error: int
    refused: int


class Open(NamedTuple):
    """A goal of an action that has no result yet."""

    door: Door
    handle: Any
    pursuit: Pursuit


class Door:
    """One action: what its goals mean, and what its feedback and results say."""

    def __init__(self, action: Action, codes: Codes, begin: Callable[[Any], Pursuit]) -> None:
        """`begin` pursues a goal of the action's type; raises BoaError with the reason if not."""
        self.action = action
        self.codes = codes
        self.begin = begin
        package, _, name = action.actiontype.split("/")
        self.type = getattr(import_module(f"{package}.action"), name)

    def feedback(self, headway: Headway, pursuit: Pursuit, stamp: Any) -> Any:
        """As far as the type has fields for it: they differ from release to release."""
        given = self.type.Feedback()
        known = given.get_fields_and_field_types()
        moves = headway.speed > STILL_RATE
        left = headway.to_go / headway.speed if moves else 0.0
        numbers = {
            "distance_remaining": headway.to_go,
            "distance_to_goal": headway.to_go,
            "speed": headway.speed,
            "navigation_time": duration(headway.seconds),
            "estimated_time_remaining": duration(left),
            "number_of_recoveries": pursuit.recoveries,
        }
        for name in numbers.keys() & known.keys():
            setattr(given, name, numbers[name])
        if "current_pose" in known:
            pose = given.current_pose
            pose.header.frame_id, pose.header.stamp = WORLD, stamp
            pose.pose.position.x, pose.pose.position.y = headway.place.x, headway.place.y
            turn = yaw_quaternion(headway.place.heading)
            pose.pose.orientation.z, pose.pose.orientation.w = float(turn[2]), float(turn[3])
        return given

    def result(self, code: int, reason: str) -> Any:
        """The result with its reason."""
        given = self.type.Result()
        given.error_code, given.error_msg = code, reason
        return given


class GoalActions:
    """The action servers of the planner, as far as nav2_msgs is installed."""

    def __init__(self, node: Node, journey: Journey, frames: Frames) -> None:
        self._node, self._journey, self._frames = node, journey, frames
        self._open: list[Open] = []
        self._servers: list[ActionServer] = []
        try:
            doors = (
                Door(NAVIGATE_TO_POSE, Codes(9000, 9002, 9000), self._navigate),
                Door(FOLLOW_PATH, Codes(100, 102, 103), self._follow),
            )
        except ImportError:
            node.get_logger().info("no actions: nav2_msgs is not installed; goal_pose takes goals")
            return
        self._servers = [self._server(door) for door in doors]

    def _server(self, door: Door) -> ActionServer:
        return ActionServer(
            self._node,
            door.type,
            door.action.name,
            execute_callback=lambda _: door.type.Result(),
            handle_accepted_callback=lambda handle: self._accept(door, handle),
            cancel_callback=self._cancel,
        )

    def _navigate(self, request: Any) -> Pursuit:
        goal = goal_of(request.pose, self._frames.tree)
        return self._journey.go([Goal(goal.x, goal.y)], at_once=True)

    def _follow(self, request: Any) -> Pursuit:
        return self._journey.travel(course_of(request.path, self._frames.tree))

    def _accept(self, door: Door, handle: Any) -> None:
        try:
            self._open.append(Open(door, handle, door.begin(handle.request)))
        except BoaError as error:
            unknown_frame = isinstance(error, UnknownFrameError)
            code = door.codes.tf_error if unknown_frame else door.codes.refused
            self._node.get_logger().warning(f"{door.action.name}: {one_line(error)}")
            end(handle, Standing.FAILED, door.result(code, one_line(error)))

    def _cancel(self, handle: Any) -> CancelResponse:
        """Stop for the goal that is pursued; one that another has replaced is over anyway."""
        for _, open_handle, pursuit in self._open:
            newest = pursuit is self._journey.pursuit
            if open_handle is handle and newest and not pursuit.over:
                self._journey.cancel()
        return CancelResponse.ACCEPT

    def tell(self, headway: Headway | None) -> None:
        """Feedback for all goals that are pursued."""
        for door, handle, pursuit in self._open:
            if headway is not None and pursuit is self._journey.pursuit:
                stamp = self._node.get_clock().now().to_msg()
                handle.publish_feedback(door.feedback(headway, pursuit, stamp))

    def settle(self, summary: str) -> None:
        """Results for all goals that are over; `summary` of the newest."""
        for entry in [entry for entry in self._open if entry.pursuit.over]:
            door, handle, pursuit = entry
            self._open.remove(entry)
            newest = pursuit is self._journey.pursuit
            reason = f"{pursuit.reason}; {summary}" if newest else pursuit.reason
            code = door.codes.unknown if pursuit.standing is Standing.FAILED else 0
            end(handle, pursuit.standing, door.result(code, reason))

    def close(self) -> None:
        """Release the servers."""
        for server in self._servers:
            server.destroy()


def end(handle: Any, standing: Standing, result: Any) -> None:
    """Give a goal its result."""

    def finish(_: Any) -> Any:
        if standing is Standing.ARRIVED:
            handle.succeed()
        elif standing is Standing.CANCELLED and handle.is_cancel_requested:
            handle.canceled()
        else:  # failed, or cancelled by somebody else
            handle.abort()
        return result

    handle.execute(finish)


def duration(seconds: float) -> Duration:
    """As a message."""
    whole, part = divmod(max(seconds, 0.0), 1.0)
    return Duration(sec=int(min(whole, np.iinfo(np.int32).max)), nanosec=int(part * 1e9))
