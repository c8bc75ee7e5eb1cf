# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nav2's actions as doors to a journey: with stand-ins for nav2_msgs, which no package index has,
and with the package itself where it is installed.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy", reason="rclpy is not installed (requirements/ros.in)")

from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from rclpy.action import ActionClient, CancelResponse

from boa_control.experiments.journey.controller import Journey
from boa_control.experiments.journey.parts import State
from boa_control.experiments.journey.whereabouts import Place
from boa_control.messages.cdr import deserialize
from boa_control.messages.frame_tree import FrameTree
from boa_control.messages.views import encode_path
from boa_control.paths.named import segment_curve
from boa_control.ros.planner import actions
from boa_control.ros.planner.actions import GoalActions, duration
from boa_control.ros.planner.headway import Headway
from boa_control.ros.runtime import make_executor
from test.boa_control.experiments.journey.paper import (
    EXPERIMENT,
    FOUND,
    GOAL,
    PATH,
    Paper,
    stand,
)

HEADWAY = Headway(Place(1.0, 2.0, 0.5), to_go=3.0, speed=0.1, force=20.0, seconds=4.5)
FRAMES = SimpleNamespace(tree=FrameTree())


class Message:
    """Stands for a message type: fields with functions for their defaults."""

    fields: dict[str, Any]

    def __init__(self) -> None:
        for name, default in self.fields.items():
            setattr(self, name, default())

    def get_fields_and_field_types(self) -> dict[str, str]:
        return dict.fromkeys(self.fields, "")


def fields(**given: Any) -> type[Message]:
    return type("Stand", (Message,), {"fields": given})


RESULT = fields(error_code=int, error_msg=str)
JAZZY = SimpleNamespace(
    NavigateToPose=SimpleNamespace(
        Result=RESULT,
        Feedback=fields(
            current_pose=PoseStamped,
            navigation_time=lambda: duration(0.0),
            estimated_time_remaining=lambda: duration(0.0),
            number_of_recoveries=int,
            distance_remaining=float,
        ),
    ),
    FollowPath=SimpleNamespace(Result=RESULT, Feedback=fields(distance_to_goal=float, speed=float)),
)
# FollowPath of Lyrical has neither of the two
LYRICAL = SimpleNamespace(
    NavigateToPose=JAZZY.NavigateToPose,
    FollowPath=SimpleNamespace(Result=RESULT, Feedback=fields(tracking_feedback=object)),
)


class PaperServer:
    """Stands for an ActionServer: keeps its callbacks."""

    made: dict[str, Any]

    def __init__(self, node: Any, kind: Any, name: str, **callbacks: Any) -> None:
        PaperServer.made[name] = SimpleNamespace(**callbacks)


class PaperHandle:
    """Stands for a goal's handle."""

    def __init__(self, **request: Any) -> None:
        self.request = SimpleNamespace(**request)
        self.is_cancel_requested = False
        self.feedback: list[Any] = []
        self.end, self.result = "", None

    def publish_feedback(self, message: Any) -> None:
        self.feedback.append(message)

    def succeed(self) -> None:
        self.end = "succeeded"

    def abort(self) -> None:
        self.end = "aborted"

    def canceled(self) -> None:
        self.end = "canceled"

    def execute(self, callback: Any) -> None:
        self.result = callback(self)


class Desk:
    """The actions of one release, a journey of paper behind them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, release: Any) -> None:
        PaperServer.made = {}
        monkeypatch.setattr(actions, "ActionServer", PaperServer)
        monkeypatch.setattr(actions, "import_module", lambda _: release)
        self.paper = Paper()
        self.journey = Journey(EXPERIMENT, self.paper, EXPERIMENT.obstacles)
        time = PoseStamped().header.stamp
        now = SimpleNamespace(to_msg=lambda: time)
        self.logged: list[str] = []
        logger = SimpleNamespace(warning=self.logged.append)
        node = SimpleNamespace(
            get_clock=lambda: SimpleNamespace(now=lambda: now), get_logger=lambda: logger
        )
        self.actions = GoalActions(node, self.journey, FRAMES)

    def navigate(self, x: float = GOAL.x, y: float = GOAL.y, frame: str = "map") -> PaperHandle:
        pose = PoseStamped()
        pose.header.frame_id = frame
        pose.pose.position.x, pose.pose.position.y = x, y
        handle = PaperHandle(pose=pose)
        PaperServer.made["navigate_to_pose"].handle_accepted_callback(handle)
        return handle

    def follow(self, path: Any) -> PaperHandle:
        handle = PaperHandle(path=path)
        PaperServer.made["follow_path"].handle_accepted_callback(handle)
        return handle

    def cancel(self, handle: PaperHandle) -> None:
        server = PaperServer.made["navigate_to_pose"]
        assert server.cancel_callback(handle) is CancelResponse.ACCEPT
        handle.is_cancel_requested = True

    def stand(self, progress: float = 1.0) -> None:
        stand(self.journey, self.paper, progress)
        self.actions.settle("44 s, largest joint force 20 N")


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch, JAZZY)


def test_a_goal_is_planned_and_followed_without_asking_and_its_result_has_the_reason(desk):
    handle = desk.navigate()
    assert desk.journey.state is State.STOPPING
    desk.stand()
    desk.paper.searches[0].end(None, "no path to the goal: walled in")
    desk.stand()
    assert (handle.end, handle.result.error_code) == ("aborted", 9000)
    assert handle.result.error_msg == (
        "no path to the goal: walled in; the robot holds where it is; "
        "44 s, largest joint force 20 N"
    )
    second = desk.navigate()
    desk.stand()
    desk.paper.searches[1].end(FOUND)
    desk.stand()
    assert desk.journey.state is State.TRAVELLING
    assert second.end == ""


def test_feedback_says_where_how_far_and_how_often_anew(desk):
    handle = desk.navigate()
    desk.journey.pursuit.recoveries = 2
    desk.actions.tell(HEADWAY)
    desk.actions.tell(None)
    (told,) = handle.feedback
    pose = told.current_pose
    assert (pose.header.frame_id, pose.pose.position.x, pose.pose.position.y) == ("world", 1, 2)
    assert pose.pose.orientation.z == pytest.approx(np.sin(0.25))
    assert (told.distance_remaining, told.number_of_recoveries) == (3.0, 2)
    assert (told.navigation_time.sec, told.navigation_time.nanosec) == (4, 500_000_000)
    assert told.estimated_time_remaining.sec in (29, 30)
    desk.actions.tell(HEADWAY._replace(speed=1e-9))
    assert handle.feedback[-1].estimated_time_remaining.sec == 0, "it stands"


def test_a_cancelled_goal_ends_when_the_robot_holds(desk):
    handle = desk.navigate()
    desk.stand()
    desk.cancel(handle)
    assert handle.end == ""
    desk.stand()
    assert (handle.end, handle.result.error_code) == ("canceled", 0)
    other = desk.navigate()
    desk.journey.cancel()  # by ~/cancel
    desk.stand()
    assert (other.end, other.result.error_msg.split(";")[0]) == ("aborted", "cancelled")


def test_a_goal_that_another_has_replaced_cancels_nothing(desk):
    first = desk.navigate()
    second = desk.navigate()
    desk.cancel(first)
    desk.stand()
    assert desk.journey.state is State.SEARCHING
    assert (first.end, first.result.error_msg) == ("aborted", "another goal has come")
    assert second.end == ""


def test_a_goal_that_is_over_but_has_no_result_yet_cancels_nothing(desk):
    handle = desk.navigate()
    desk.stand()
    desk.paper.searches[0].end(None, "walled in")
    desk.journey.work()
    desk.cancel(handle)
    desk.stand()
    assert (handle.end, handle.result.error_msg.split(";")[0]) == ("aborted", "walled in")


def test_what_is_refused_ends_at_once_with_the_reason(desk):
    for handle, code, words in (
        (desk.navigate(frame="camera"), 9002, "'camera' is not known"),
        (desk.navigate(900.0, 1.0), 9000, "needs posts within"),
        (desk.follow(Path()), 103, "neither the planned one"),
    ):
        assert (handle.end, handle.result.error_code) == ("aborted", code)
        assert words in handle.result.error_msg
    assert desk.journey.state is State.IDLE


@pytest.mark.parametrize("release", [JAZZY, LYRICAL])
def test_the_planned_path_can_be_followed_in_any_release(monkeypatch, release):
    desk = Desk(monkeypatch, release)
    desk.journey.go([GOAL])
    desk.paper.settings = desk.paper.settings.__class__(follow=False)
    desk.stand()
    desk.paper.searches[0].end(FOUND)
    desk.stand()
    assert desk.journey.state is State.PLANNED
    planned = deserialize(encode_path(segment_curve(PATH)), "nav_msgs/msg/Path")
    handle = desk.follow(planned)
    desk.actions.tell(HEADWAY)
    assert getattr(handle.feedback[0], "distance_to_goal", 3.0) == 3.0
    desk.stand()
    assert desk.journey.state is State.TRAVELLING


def test_without_nav2_msgs_there_are_no_actions(monkeypatch):
    def missing(_: str) -> None:
        raise ImportError

    monkeypatch.setattr(actions, "import_module", missing)
    said: list[str] = []
    node = SimpleNamespace(get_logger=lambda: SimpleNamespace(info=said.append))
    empty = GoalActions(node, None, FRAMES)
    empty.tell(HEADWAY)
    empty.settle("")
    empty.close()
    assert "nav2_msgs is not installed" in said[0]


@pytest.mark.ros
def test_with_the_package_itself_goals_are_accepted_told_of_and_cancelled(monkeypatch):
    package = pytest.importorskip("nav2_msgs.action", reason="nav2_msgs is on no package index")
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    rclpy.init()
    executor = make_executor()
    nodes = [rclpy.create_node(name, namespace="/boa") for name in ("planner", "client")]
    for node in nodes:
        executor.add_node(node)
    paper = Paper()
    journey = Journey(EXPERIMENT, paper, EXPERIMENT.obstacles)
    server = GoalActions(nodes[0], journey, FRAMES)
    client = ActionClient(nodes[1], package.NavigateToPose, "navigate_to_pose")
    told: list[Any] = []

    def until(done: Any) -> None:
        for _ in range(3000):
            executor.spin_once(timeout_sec=0.02)
            if done():
                return
        pytest.fail("nothing has come for a minute")

    try:
        until(client.server_is_ready)
        goal = package.NavigateToPose.Goal()
        goal.pose.header.frame_id = "map"
        goal.pose.pose.position.x, goal.pose.pose.position.y = GOAL.x, GOAL.y
        sent = client.send_goal_async(goal, feedback_callback=told.append)
        until(sent.done)
        assert sent.result().accepted
        result = sent.result().get_result_async()
        server.tell(HEADWAY)
        until(lambda: told)
        assert told[0].feedback.distance_remaining == 3.0
        cancelled = sent.result().cancel_goal_async()
        until(cancelled.done)
        assert len(cancelled.result().goals_canceling) == 1
        stand(journey, paper)
        server.settle("44 s")
        until(result.done)
        assert (result.result().status, result.result().result.error_msg) == (5, "cancelled; 44 s")
    finally:
        server.close()
        client.destroy()
        executor.shutdown()
        for node in nodes:
            node.destroy_node()
        rclpy.shutdown()
