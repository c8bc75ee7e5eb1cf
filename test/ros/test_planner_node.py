# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A goal, a plan, a path that is followed, and a second goal: the whole launch in processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

rclpy = pytest.importorskip("rclpy", reason="rclpy is not installed (requirements/ros.in)")

from geometry_msgs.msg import PoseStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from std_srvs.srv import Trigger

from boa_control.controllers.new_path import NewPath, recorded_new_path
from boa_control.events import EventKind
from boa_control.experiments.build import build_controller, without_plan
from boa_control.experiments.planned import TravelSettings, planned_scenario
from boa_control.messages.answers import Outcome
from boa_control.messages.events import decode_events
from boa_control.messages.topics import EVENT_STATUS, TORQUE_COMMAND
from boa_control.planning.find import find_route
from boa_control.planning.route import RouteSettings
from boa_control.planning.search.region import Around
from boa_control.ros.endpoints import subscribe
from boa_description.load import load_robot
from boa_description.scene import Circle
from boa_tools.bags.recorded import RecordedRun, find_run
from boa_tools.bags.ticks import bag_ticks
from boa_tools.runs.replay import replay
from boa_tools.runs.results import scenario_text
from test.boa_control.planning.hexagonal import hexagonal

pytestmark = [pytest.mark.ros, pytest.mark.realtime]

SECONDS = 600.0  # s that a step may take on a busy machine
# as deep as lines may come between two looks of a busy machine: "goal" and "searches" at once
LATCHED = QoSProfile(depth=50, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Operator:
    """Sends goals, reads the planner's status."""

    def __init__(self) -> None:
        self.node = rclpy.create_node("operator", namespace="/boa")
        self.lines: list[str] = []
        self._goals = self.node.create_publisher(PoseStamped, "/boa/goal_pose", 1)
        self.node.create_subscription(
            String, "/boa/planner/status", lambda said: self.lines.append(said.data), LATCHED
        )
        self.taken = 0  # new paths that the controller has gone over to
        subscribe(self.node, EVENT_STATUS, self._on_events)
        self._follow = self.node.create_client(Trigger, "/boa/planner/follow")

    def _on_events(self, raw: bytes) -> None:
        kinds = [told.event.kind for told in decode_events(raw)]
        self.taken += kinds.count(EventKind.NEW_PATH)

    def wait(self, what: str, done: Callable[[], bool]) -> None:
        end = time.monotonic() + SECONDS
        while not done():
            assert time.monotonic() < end, f"no {what}; the planner said: {self.lines}"
            rclpy.spin_once(self.node, timeout_sec=0.1)

    def until(self, *words: str) -> str:
        """Wait for the next line that begins with one of the words."""
        self.wait(" or ".join(words), lambda: any(line.startswith(words) for line in self.lines))
        line = next(line for line in self.lines if line.startswith(words))
        self.lines.clear()
        return line

    def send(self, x: float, y: float, frame: str = "world") -> None:
        self.wait("planner", lambda: self._goals.get_subscription_count() > 0)
        goal = PoseStamped()
        goal.header.frame_id = frame
        goal.pose.position.x, goal.pose.position.y = x, y
        goal.pose.orientation.w = 1.0
        self.lines.clear()
        self._goals.publish(goal)

    def goal(self, x: float, y: float) -> str:
        """Send a goal once the controller is there, until there is a map; the plant says it when it
        starts.
        """
        self.wait("controller", lambda: self.node.count_publishers(TORQUE_COMMAND.name) > 0)
        self.send(x, y)
        while "no map yet" in (line := self.until("goal (", "refused: ")):
            time.sleep(0.5)
            self.send(x, y)
        return line

    def nothing_to_follow(self) -> bool:
        """Whether it says so. Asked again and again: what it answers is lost where it has not found
        the client within 0.1 s (ros2/ros2, issue 1253); from the first answer on it has.
        """
        self.wait("service", self._follow.service_is_ready)
        answers: list[Any] = []

        def answered() -> bool:
            answers.append(self._follow.call_async(Trigger.Request()))
            rclpy.spin_until_future_complete(self.node, answers[-1], timeout_sec=5.0)
            return any(answer.done() for answer in answers)

        self.wait("answer", answered)
        return not any(answer.result().success for answer in answers if answer.done())

    def follow(self) -> tuple[bool, str]:
        answer = self._follow.call_async(Trigger.Request())
        self.wait("answer", answer.done)
        return answer.result().success, answer.result().message

    def set_out(self) -> str:
        """Follow the path that was found. On a busy machine the controller may prepare it for
        longer than the planner waits, which then says to follow again.
        """
        end = time.monotonic() + SECONDS
        while True:
            done, said = self.follow()
            assert done, said
            line = self.until("under way", "refused")
            if (
                not line.startswith(f"refused: {Outcome.NOT_READY.value}")
                or time.monotonic() >= end
            ):
                return line


POSTS = [Circle(x=x, y=y, radius=0.05) for x, y in hexagonal(0.32, 4.2, 2.8, 0.26)]
ROBOT = load_robot("boa13")
SEARCH = RouteSettings(seconds=600.0, refine=0.0)
RADIUS = 0.4  # m, of the goals
AROUND = (2.2, 0.8)  # the first of them


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    """A scenario on whose path the robot lies at first."""
    start, goal = Around(0.3, 0.5, 0.3), Around(3.4, 0.6, 0.3)
    route = find_route(POSTS, ROBOT, start, [goal], SEARCH).route
    assert route is not None
    planned = planned_scenario("live", "in the test", route, ROBOT, TravelSettings())
    return {**yaml.safe_load(scenario_text(planned)), "plant": {"control_rate": 200}}


@pytest.fixture
def scenario(tmp_path: Path, data: dict[str, Any]) -> Path:
    return written(tmp_path, data)


def written(folder: Path, data: dict[str, Any]) -> Path:
    path = folder / "live.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


@pytest.fixture
def domain(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process and the nodes see each other, and nobody else."""
    for name, value in (
        ("ROS_DOMAIN_ID", str(1 + os.getpid() % 100)),
        ("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST"),
    ):
        monkeypatch.setenv(name, os.environ.get(name, value))


@contextmanager
def launch(folder: Path, scenario: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """The launch with a planner. Slowly: the robot stands while a path is searched, and every tick
    of that would be recorded, read and replayed.
    """
    quick = folder / "quick.yaml"
    quick.write_text(
        yaml.safe_dump(
            {
                "/boa/recorder": {"ros__parameters": {"report": False}},
                "/boa/planner": {
                    "ros__parameters": {"radius": RADIUS, "refine": 0.0, "seconds": SECONDS}
                },
            }
        )
    )
    words = (
        "launch",
        "hoal.launch.py",
        f"scenario:={scenario}",
        "planner:=true",
        "speed:=0.15",
        f"out:={folder / 'out'}",
        f"params_file:={quick}",
        *words,
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "boa_tools.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


@pytest.fixture
def launched(tmp_path: Path, scenario: Path, domain: None) -> Iterator[subprocess.Popen[str]]:
    with launch(tmp_path, scenario) as process:
        yield process


@pytest.fixture
def operator(domain: None) -> Iterator[Operator]:
    rclpy.init()
    try:
        operator = Operator()
        yield operator
        operator.node.destroy_node()
    finally:
        rclpy.shutdown()


def ended(process: subprocess.Popen[str]) -> None:
    """Stop the launch; torque is off before anything else."""
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=SECONDS)
    assert "torque is off" in output


def new_paths(run: RecordedRun) -> list[NewPath]:
    """Those of a run; its replay gives the same torques, bit for bit."""
    ticks = list(bag_ticks(run.bag, run.experiment))
    same = replay(ticks, build_controller(without_plan(run.experiment)))
    assert same.compared > 0
    assert same.largest == 0.0
    return [new for t in ticks for e in t.output.events if (new := recorded_new_path(e))]


def test_goals_are_planned_followed_and_recorded(
    launched: subprocess.Popen[str], operator: Operator, tmp_path: Path
) -> None:
    assert "waits for a goal" in operator.until("waits")
    assert operator.nothing_to_follow()
    assert operator.goal(*AROUND).startswith("goal (2.20, 0.80)")
    assert "to follow" not in operator.until("found: ", "no path")
    operator.send(0.0, 0.0, frame="camera")
    assert "its frame 'camera' is not known" in operator.until("refused: ")
    assert operator.set_out().startswith("under way")
    operator.wait("new path", lambda: operator.taken == 1)
    time.sleep(1.0)  # while it travels, another goal
    operator.send(2.4, 1.6)
    operator.until("found: ", "no path")
    assert operator.set_out().startswith("under way")
    operator.wait("second new path", lambda: operator.taken == 2)
    ended(launched)
    assert len(new_paths(find_run(tmp_path / "out"))) == 2
