"""Node /boa/planner: from a goal to a path on from where the robot lies, followed on request.

A goal stops the robot, which holds its posts while the search runs in a thread of this process. The
path goes out on new_path; the controller checks and prepares it, and takes it when its ~/follow is
called: by this node's own ~/follow, or at once with the parameter `follow`.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

from rclpy.node import Node
from std_srvs.srv import Trigger

from boa_control.controllers.new_path import recorded_new_path
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.onward import Onward, plan_onward, without_posts
from boa_control.experiments.planned import TravelSettings
from boa_control.interface import NOT_READY, PLANNER_PARAMETERS, PLANNER_SERVICES
from boa_control.messages.cdr import MessageError
from boa_control.messages.control import decode_event
from boa_control.messages.goals import GoalPose, read_goal
from boa_control.messages.joints import ScalarsCodec
from boa_control.messages.markers import decode_obstacles
from boa_control.messages.topics import (
    DEBUG,
    EVENTS,
    GOAL_POSE,
    NEW_PATH,
    OBSTACLES,
    PLANNED_PATH,
    PLANNER_STATUS,
)
from boa_control.messages.views import encode_path, encode_text
from boa_control.paths.named import segment_curve
from boa_control.paths.settings import SegmentPath
from boa_control.planning.post_map import MappedPost, PostMap, check_place, load_map
from boa_control.planning.route import Obstacle, RouteSettings
from boa_control.planning.search.region import Around
from boa_control.ros.chosen import chosen_experiment
from boa_control.ros.endpoints import Mailbox, publisher, subscribe
from boa_control.ros.parameters import make_node
from boa_control.ros.runtime import Spin, main
from boa_control.ros.services import offer
from boa_description.errors import BoaError
from boa_description.scene import Box, Circle, Wall

REACH = 0.5  # m from a post, up to which a goal makes sense
STILL_SPEED, STILL_RATE = 2e-3, 5e-3  # m/s, desired and measured, of a robot that stands
STILL_TIME = 0.8  # s for which it must; the controller itself wants less
NEAR_END = 0.02  # m before the end of its path, where a robot that stands has arrived
PATIENCE = 60.0  # s for which the controller may prepare a path
AGAIN = 0.3  # s between two requests
REPORT = 1.0  # s between two lines of progress
REFINE = 0.05  # share of the time for better paths than the first: the robot waits
NICE = 5  # the tick of the controller comes first
MISSING = re.compile(r"post (\d+) not there")


class State(Enum):
    """What the node is about."""

    IDLE = "waits for a goal"
    STOPPING = "the robot comes to rest"
    SEARCHING = "searches"
    PLANNED = "has a path, waits for ~/follow"
    SETTING_OUT = "the controller prepares the path"
    TRAVELLING = "the robot is under way"


class CancelledError(Exception):
    """Another goal has come."""


class Search(Thread):
    """A search in the background.

    Attributes:
        found: the result; None while it runs, or where there is none.
        reason: why there is none.
        to_go: to the goal, of what has been searched, m.
    """

    def __init__(self, plan: Callable[[Callable[[float], None]], Onward]) -> None:
        """`plan` gets what it shall call with the distance to the goal."""
        super().__init__(daemon=True)
        self._plan = plan
        self.cancelled = False
        self.found: Onward | None = None
        self.reason = ""
        self.to_go = float("nan")
        self.start()

    def run(self) -> None:
        """Search until found, refused or cancelled."""
        try:
            self.found = self._plan(self._report)
        except BoaError as error:
            self.reason = str(error)
        except CancelledError:
            self.reason = "another goal has come"

    def _report(self, to_go: float) -> None:
        self.to_go = to_go
        if self.cancelled:
            raise CancelledError


class PlannerNode:
    """Plans paths for a running controller. A `Program` for the node runtime."""

    def __init__(
        self,
        node: Node,
        experiment: Experiment,
        posts: tuple[Obstacle, ...] | None,
        path: SegmentPath,
        replan: bool,
    ) -> None:
        """Connect it.

        Args:
            posts: the map; None: the topic has it.
            path: on which the robot lies at first.
            replan: plan again without a post that was not there.
        """
        self.node = node
        self._experiment = experiment
        self._map, self._fixed_map = posts, posts is not None
        self._path = path
        self._progress = float("nan")
        self._replan = replan
        self._gone: set[int] = set()
        self._goal: GoalPose | None = None
        self._onward: Onward | None = None
        self._search: Search | None = None
        self._answer: Any = None
        self._still_since: float | None = None
        self._next = 0.0
        self.state = State.IDLE
        self._scalars = ScalarsCodec(DEBUG.name)
        self._debug = Mailbox(node, DEBUG, newest_only=True)
        self._inputs = [
            subscribe(node, GOAL_POSE, self._guarded(self._on_goal)),
            subscribe(node, EVENTS, self._guarded(self._on_event)),
        ]
        if not self._fixed_map:
            self._inputs.append(subscribe(node, OBSTACLES, self._guarded(self._on_map)))
        self._new_path = publisher(node, NEW_PATH)
        self._view = publisher(node, PLANNED_PATH)
        self._status = publisher(node, PLANNER_STATUS)
        self._stop = node.create_client(Trigger, "controller/stop")
        self._follow = node.create_client(Trigger, "controller/follow")
        offer(node, PLANNER_SERVICES, self)
        self._say("waits for a goal on goal_pose")

    def run(self, spin: Spin, stopped: Callable[[], bool]) -> int:
        """Plan until told to stop."""
        while not stopped():
            spin(0.05)
            self._watch()
            self._work()
        return 0

    def close(self) -> None:
        """End what is under way."""
        if self._search is not None:
            self._search.cancelled = True
        self._debug.close()

    def follow(self) -> str:
        """The verb of ~/follow. Raises BoaError where there is nothing to follow."""
        if self.state is not State.PLANNED:
            raise BoaError(f"no path to follow: the planner {self.state.value}; set a goal first")
        self._set_out()
        return "the robot sets out"

    def _guarded(self, callback: Callable[[bytes], None]) -> Callable[[bytes], None]:
        def guarded(raw: bytes) -> None:
            try:
                callback(raw)
            except (BoaError, MessageError) as error:
                self._say(f"refused: {' '.join(str(error).split())}")

        return guarded

    def _on_map(self, raw: bytes) -> None:
        self._map = decode_obstacles(raw)
        self._gone.clear()

    def _on_goal(self, raw: bytes) -> None:
        goal = read_goal(raw)
        if self._map is None:
            raise BoaError(f"goal: there is no map yet; give one, or publish {OBSTACLES.name}")
        check_place(_post_map(self._map), "goal", goal.x, goal.y, REACH)
        self._begin(goal, f"goal ({goal.x:.2f}, {goal.y:.2f}): the robot stops")

    def _begin(self, goal: GoalPose, why: str) -> None:
        """Stop the robot; everything else follows once it stands."""
        self._goal, self._onward = goal, None
        if self._search is not None:
            self._search.cancelled = True
            self._search = None
        self._still_since = None
        self._answer = self._stop.call_async(Trigger.Request())
        self.state = State.STOPPING
        self._say(why)

    def _on_event(self, raw: bytes) -> None:
        event = decode_event(raw)
        if event.source != "controller":
            return
        new = recorded_new_path(event.text)
        if new is not None:
            self._path = new.path
            self._progress = float("nan")
        missing = MISSING.fullmatch(event.text)
        if missing is not None:
            self._gone.add(int(missing.group(1)))
        if event.text.startswith("new path refused"):
            self.state = State.IDLE
            self._say(event.text)
        gone = ", ".join(map(str, sorted(self._gone)))
        if event.text.startswith("stopped:") and gone and self._replan and self._goal is not None:
            self._begin(self._goal, f"plans again without post {gone}: {event.text}")

    def _watch(self) -> None:
        """Where the robot is, and since when it stands."""
        arrived = self._debug.take()
        if not arrived:
            return
        _, numbers = self._scalars.decode(arrived[-1][1])
        self._progress = numbers.get("progress_m", float("nan"))
        still = (
            abs(numbers.get("speed_reference_mps", 1.0)) <= STILL_SPEED
            and abs(numbers.get("progress_rate_mps", 1.0)) <= STILL_RATE
        )
        if not still:
            self._still_since = None
        elif self._still_since is None:
            self._still_since = monotonic()

    @property
    def _stands(self) -> bool:
        return self._still_since is not None and monotonic() - self._still_since >= STILL_TIME

    @property
    def _at_end(self) -> bool:
        end = None if self._onward is None else self._onward.end
        return end is not None and self._stands and self._progress >= end - NEAR_END

    def _work(self) -> None:
        """Do what the state calls for."""
        if self.state is State.STOPPING:
            self._await_rest()
        elif self.state is State.SEARCHING:
            self._await_path()
        elif self.state is State.SETTING_OUT:
            self._await_departure()
        elif self.state is State.TRAVELLING and self._at_end:
            self.state = State.IDLE
            self._say("arrived; waits for the next goal")

    def _await_rest(self) -> None:
        if self._answer.done() and not self._answer.result().success:
            self.state = State.IDLE
            self._say(f"refused: {self._answer.result().message}")
            return
        if not self._stands or self._goal is None or self._map is None:
            return
        known = self._experiment.obstacles
        gone = [known[number] for number in self._gone if number < len(known)]
        goal, settings, map_ = self._goal, self._settings(), without_posts(self._map, gone)
        path, progress, robot = self._path, self._progress, self._experiment.robot
        travel = self._travel()
        back = float(self.node.get_parameter("back").value)
        around = Around(goal.x, goal.y, float(self.node.get_parameter("radius").value))

        def plan(report: Callable[[float], None]) -> Onward:
            return plan_onward(
                path, progress, map_, robot, around, travel, settings, back=back, report=report
            )

        self._search = Search(plan)
        self.state = State.SEARCHING
        self._next = monotonic() + REPORT
        self._say(f"searches a path from where the robot lies, progress {progress:.3f} m")

    def _settings(self) -> RouteSettings:
        scene = self._experiment.scenario.scene
        seconds = float(self.node.get_parameter("seconds").value)
        base = RouteSettings()
        return replace(
            base,
            seconds=seconds,
            refine=min(base.refine, REFINE * seconds),
            ground=scene.ground,
            contact_friction=scene.contact.friction,
        )

    def _travel(self) -> TravelSettings:
        scenario = self._experiment.scenario
        parameters = scenario.controller.parameters
        return TravelSettings(
            speed=parameters.get("speed", 0.1),
            map_error=parameters.get("map_error", 0.0),
            ground=scenario.scene.ground,
            contact_friction=scenario.scene.contact.friction,
        )

    def _await_path(self) -> None:
        search = self._search
        assert search is not None
        if search.is_alive():
            if monotonic() >= self._next and math.isfinite(search.to_go):
                self._next = monotonic() + REPORT
                self._say(f"searches, {search.to_go:.2f} m to the goal")
            return
        self._search = None
        if search.found is None:
            self.state = State.IDLE
            self._say(f"{search.reason}; the robot holds where it is")
            return
        self._onward = search.found
        self._new_path.publish(encode_text(self._onward.new.model_dump_json()))
        self._view.publish(encode_path(segment_curve(self._onward.new.path)))
        self.state = State.PLANNED
        self._say(f"found: {self._onward.summary}; ~/follow sets out")
        if self.node.get_parameter("follow").value:
            self._set_out()

    def _set_out(self) -> None:
        self.state = State.SETTING_OUT
        self._answer, self._next = None, 0.0
        self._until = monotonic() + PATIENCE

    def _await_departure(self) -> None:
        """Request ~/follow of the controller until it has prepared the path."""
        if self._answer is None:
            if monotonic() >= self._next:
                self._answer = self._follow.call_async(Trigger.Request())
            return
        if not self._answer.done():
            return
        answer, self._answer = self._answer.result(), None
        if answer.success:
            self.state = State.TRAVELLING
            self._still_since = None
            self._say(f"under way: {answer.message}")
        elif answer.message.startswith(NOT_READY) and monotonic() < self._until:
            self._next = monotonic() + AGAIN
        else:
            self.state = State.IDLE
            self._say(f"refused: {answer.message}")

    def _say(self, line: str) -> None:
        self.node.get_logger().info(line)
        self._status.publish(encode_text(line))


def _post_map(obstacles: tuple[Obstacle, ...]) -> PostMap:
    return PostMap(
        posts=tuple(
            MappedPost(x=item.x, y=item.y, radius=item.radius)
            for item in obstacles
            if isinstance(item, Circle)
        ),
        boxes=tuple(item for item in obstacles if isinstance(item, Box)),
        walls=tuple(item for item in obstacles if isinstance(item, Wall)),
    )


def make() -> PlannerNode:
    """Build the node from its parameters. Raises BoaError for a wrong scenario or map."""
    node, values = make_node("planner", PLANNER_PARAMETERS)
    os.nice(NICE)
    experiment = chosen_experiment(
        values["scenario"], control_rate=values["control_rate"], frame_prefix=values["frame_prefix"]
    )
    path = experiment.scenario.path
    if not isinstance(path, SegmentPath):
        raise BoaError(
            f"scenario {experiment.scenario.name}: the planner goes on from a path of kind "
            f"segments; make one with `boa plan path`"
        )
    posts = load_map(Path(values["map"])).obstacles if values["map"] else None
    return PlannerNode(node, experiment, posts, path, values["replan"])


if __name__ == "__main__":
    main(make)
