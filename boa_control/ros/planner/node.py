# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Node /boa/planner: from a goal to a path on from where the robot lies, followed on request.

A goal stops the robot, which holds its posts while the search runs in a thread of this process. The
path goes out on new_path; the controller checks and prepares it, and takes it when its ~/follow is
called: by this node's own ~/follow, or at once with the parameter `follow` and for goals of an
action. What the controller finds of the map counts for the next search. Topic and actions are doors
to one `Journey`, whose states are those of this node.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from rclpy.node import Node
from std_srvs.srv import Trigger

from boa_control.controllers.new_path import NewPath
from boa_control.events import Event, EventKind, PlantState
from boa_control.experiments.experiment import Experiment
from boa_control.experiments.journey.exploring import journey_of
from boa_control.experiments.journey.parts import Goal, JourneySettings, Plan, State
from boa_control.experiments.tour import Tour
from boa_control.interface import PLANNER_PARAMETERS, PLANNER_SERVICES
from boa_control.messages.corrected_map import CorrectedMapCodec
from boa_control.messages.events import CONTROLLER, decode_events
from boa_control.messages.goals import read_goal
from boa_control.messages.joints import ScalarsCodec
from boa_control.messages.markers import decode_obstacles
from boa_control.messages.topics import (
    CORRECTED_MAP,
    DEBUG,
    EVENT_STATUS,
    GOAL_POSE,
    NEW_PATH,
    OBSTACLES,
    PLANNED_PATH,
    PLANNER_STATUS,
)
from boa_control.messages.views import encode_path, encode_text
from boa_control.paths.named import segment_curve
from boa_control.planning.post_map import PostMap, load_map
from boa_control.ros.chosen import chosen_experiment
from boa_control.ros.endpoints import Mailbox, publisher, subscribe
from boa_control.ros.parameters import make_node
from boa_control.ros.planner.actions import GoalActions
from boa_control.ros.planner.background import BackgroundSearch
from boa_control.ros.planner.frames import Frames
from boa_control.ros.planner.headway import HeadwayWatch
from boa_control.ros.planner.options import NAMES, journey_settings
from boa_control.ros.planner.requests import TriggerRequest
from boa_control.ros.runtime import QUIET, Spin, main
from boa_control.ros.services import offer, one_line
from boa_description.errors import BoaError

NICE = 5  # the tick of the controller comes first
FEEDBACK_PERIOD = 0.2  # s between two messages of feedback
LINE_PERIOD = 2.0  # s between two lines on the status of a robot that travels
RESET = Event(kind=EventKind.PLANT_STATE, state=PlantState.RESET)


class PlannerNode:
    """Plans paths for a running controller. A `Program` for the node runtime, and the
    `Surroundings` of its journey.
    """

    def __init__(self, node: Node, experiment: Experiment, posts: PostMap | None) -> None:
        """Connect it. `posts`: the map; None: the topic has it.

        Raises:
            BoaError: the scenario's path is of a kind that no search can go on from.
        """
        self.node = node
        self.nodes = (node,)
        self._new_path = publisher(node, NEW_PATH)
        self._view = publisher(node, PLANNED_PATH)
        self._status = publisher(node, PLANNER_STATUS)
        self._hold = node.create_client(Trigger, "controller/hold")
        self._follow = node.create_client(Trigger, "controller/follow")
        self._tour = experiment.scenario.tour
        kind = journey_of(self._tour)
        self._journey = (
            kind(experiment, self)
            if posts is None
            else kind(experiment, self, posts.obstacles, posts.largest_std)
        )
        self._scalars = ScalarsCodec()
        self._corrected = CorrectedMapCodec()
        self._next_complaint = 0.0
        self._debug = Mailbox(node, DEBUG, newest_only=True)
        self._frames = Frames(node)
        self._watch = HeadwayWatch(node, experiment.robot, self._journey)
        self._actions = GoalActions(node, self._journey, self._frames)
        self._next_feedback = self._next_line = 0.0
        self._inputs = [
            subscribe(node, GOAL_POSE, self._guarded(self._on_goal)),
            subscribe(node, EVENT_STATUS, self._guarded(self._on_events)),
            subscribe(node, CORRECTED_MAP, self._guarded(self._on_corrected_map)),
        ]
        if posts is None:
            self._inputs.append(subscribe(node, OBSTACLES, self._guarded(self._on_map)))
        offer(node, PLANNER_SERVICES, self._journey)
        self.say("waits for a goal on goal_pose")

    def run(self, spin: Spin, stopped: Callable[[], bool]) -> int:
        """Plan until told to stop."""
        watch = self._guarded(self._on_debug)
        while not stopped():
            spin(0.05)
            for _, raw in self._debug.take()[-1:]:
                watch(raw)
            self._journey.work()
            self._tell()
            if self._tour is not None and self._journey.ready:
                self._begin(self._tour)
                self._tour = None
        return 0

    def _tell(self) -> None:
        """How the robot is getting on, to those who have set goals and to people."""
        try:
            headway = self._watch.update()
        except BoaError as error:
            self._complain(error)
            return
        self._actions.settle(self._watch.sum)
        now = monotonic()
        if now >= self._next_feedback:
            self._next_feedback = now + FEEDBACK_PERIOD
            self._actions.tell(headway)
        travels = self._journey.state is State.TRAVELLING
        if not travels:
            self._next_line = now + LINE_PERIOD
        elif headway is not None and now >= self._next_line:
            self._next_line = now + LINE_PERIOD
            self._status.publish(encode_text(f"travels, {headway}"))

    def _begin(self, tour: Tour) -> None:
        """Pursue the targets of the scenario, once."""
        try:
            self._journey.visit(tour)
        except BoaError as error:
            self.say(f"refused: {one_line(error)}")

    def close(self) -> None:
        """End what is under way."""
        self._journey.close()
        self._actions.close()
        for part in (self._debug, self._frames, self._watch):
            part.close()

    # what comes

    def _guarded(self, callback: Callable[[bytes], None]) -> Callable[[bytes], None]:
        """A bad message is refused, not fatal; bad ones in a row are told once in a while."""

        def guarded(raw: bytes) -> None:
            try:
                callback(raw)
            except BoaError as error:
                self._complain(error)

        return guarded

    def _complain(self, error: BoaError) -> None:
        if monotonic() >= self._next_complaint:
            self._next_complaint = monotonic() + QUIET
            line = f"refused: {one_line(error)}"
            self.node.get_logger().warning(line)
            self._status.publish(encode_text(line))

    def _on_goal(self, raw: bytes) -> None:
        self._next_complaint = 0.0  # who sends a goal shall get an answer
        goal = read_goal(raw, self._frames.tree)
        self._journey.go([Goal(goal.x, goal.y)])

    def _on_map(self, raw: bytes) -> None:
        self._next_complaint = 0.0
        self._journey.take_map(decode_obstacles(raw))

    def _on_corrected_map(self, raw: bytes) -> None:
        self._journey.corrected(self._corrected.decode(raw)[1])

    def _on_events(self, raw: bytes) -> None:
        for told in decode_events(raw):
            if told.source == CONTROLLER:
                self._journey.event(told.event)
            elif told.event == RESET:
                self._journey.restarted()

    def _on_debug(self, raw: bytes) -> None:
        _, numbers = self._scalars.decode(raw)
        self._journey.motion(
            numbers.get("progress_m", float("nan")),
            numbers.get("speed_reference_mps", float("nan")),
            numbers.get("progress_rate_mps", float("nan")),
        )

    # the surroundings of the journey

    @property
    def settings(self) -> JourneySettings:
        """As the parameters are now."""
        return journey_settings({name: self.node.get_parameter(name).value for name in NAMES})

    def time(self) -> float:
        """s."""
        return monotonic()

    def stop(self) -> TriggerRequest:
        """Stop the robot, but not against an operator's ~/stop: that holds until ~/start."""
        return TriggerRequest(self._hold)

    def depart(self) -> TriggerRequest:
        """Go over to the path that was published last."""
        return TriggerRequest(self._follow)

    def search(self, plan: Plan) -> BackgroundSearch:
        """Search in a thread."""
        return BackgroundSearch(plan)

    def publish(self, new: NewPath) -> None:
        """The path, for the controller and for views."""
        self._new_path.publish(encode_text(new.model_dump_json()))
        self._view.publish(encode_path(segment_curve(new.path)))

    def say(self, line: str) -> None:
        """To the log and the status."""
        self.node.get_logger().info(line)
        self._status.publish(encode_text(line))

    def arrived(self) -> None:
        """The same."""
        self.say("arrived; waits for the next goal")


def make() -> PlannerNode:
    """Build the node from its parameters. Raises BoaError for a wrong scenario or map."""
    node, values = make_node("planner", PLANNER_PARAMETERS)
    os.nice(NICE)
    experiment = chosen_experiment(
        values["scenario"], control_rate=values["control_rate"], frame_prefix=values["frame_prefix"]
    )
    return PlannerNode(node, experiment, load_map(Path(values["map"])) if values["map"] else None)


if __name__ == "__main__":
    main(make)
