# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The node of the live view: it shows what the plant says, and passes orders on."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.interface import ROBOT_PARAMETERS, SIMULATION_PARAMETERS
from test.ros.conftest import PATIENCE

pytestmark = [pytest.mark.ros, pytest.mark.realtime]


class Parameters:
    """A plant of which there are only the parameters. A `Program` that does nothing."""

    def __init__(self, table, **given) -> None:
        from rclpy.node import Node

        self.node = Node("plant", namespace="/boa")
        for parameter in table:
            self.node.declare_parameter(
                parameter.name, given.get(parameter.name, parameter.default)
            )

    def close(self) -> None: ...


class Asking:
    """A node without anything of its own."""

    def __init__(self) -> None:
        from rclpy.node import Node

        self.node = Node("asking", namespace="/boa")

    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("table", "simulated"), [(SIMULATION_PARAMETERS, True), (ROBOT_PARAMETERS, False)]
)
def test_the_scenario_is_that_of_the_running_plant(world, table, simulated) -> None:
    from boa_tools.nodes.running_plant import RunningPlant, wait_for_plant

    world.add(Parameters(table, scenario="boa_offset_15mm", control_rate=200.0, frame_prefix="a/"))
    node = world.add(Asking()).node
    said: list[str] = []
    plant = wait_for_plant(node, world.spin, lambda: False, said.append)
    assert plant == RunningPlant("boa_offset_15mm", 200.0, "a/", simulated)


def test_without_a_plant_it_says_so_and_waits_until_told_to_stop(world, monkeypatch) -> None:
    from boa_tools.nodes import running_plant

    monkeypatch.setattr(running_plant, "SAID_AFTER", 0.0)
    said: list[str] = []
    node = world.add(Asking()).node
    assert running_plant.wait_for_plant(node, world.spin, lambda: bool(said), said.append) is None
    assert said[0].startswith("no plant answers at /boa/plant in ROS domain ")


def test_a_snapshot_has_the_newest_of_plant_and_controller(
    world, closed_loop, simulation, experiment, monkeypatch
) -> None:
    from boa_tools.nodes import view_topics
    from boa_tools.nodes.view_topics import ViewTopics

    monkeypatch.setattr(view_topics, "SILENT_AFTER", PATIENCE)  # of a busy machine
    plant = closed_loop(duration=0.2)
    node = world.add(Asking()).node
    topics = ViewTopics(node, experiment, simulated=True)
    assert topics.snapshot(None) is None  # nothing received yet
    world.wait_for(lambda: not plant._topics.unconnected(True, False))
    assert world.run(plant) == 0
    snapshot = topics.snapshot(0.25)
    topics.close()
    assert snapshot is not None
    assert snapshot.time == pytest.approx(simulation.stamp_ns * 1e-9, abs=1.5 / 30)  # view_rate
    assert snapshot.pose.shape == (3 + experiment.robot.joints,)
    assert snapshot.torque == pytest.approx(simulation.written[-1], abs=1e-6)
    assert np.isfinite(snapshot.joint_force).all()
    assert [text for _, text in snapshot.events]
    assert snapshot.set_speed == 0.25
    np.testing.assert_allclose(snapshot.contacts, [[1, 0, 0.1, 0.2, 0.0, -3.0]], atol=1e-6)
    # of the newest message, whose tick may be one of every third without a contact
    forces = snapshot.estimates[:, 4].tolist()
    assert forces in ([], [pytest.approx(2.0)])


class Planner:
    """A planner of which there are only the topics."""

    def __init__(self) -> None:
        from rclpy.node import Node

        from boa_control.messages.topics import GOAL_POSE, PLANNED_PATH, PLANNER_STATUS
        from boa_control.ros.endpoints import publisher, subscribe

        self.node = Node("planner", namespace="/boa")
        self.goals: list[bytes] = []
        subscribe(self.node, GOAL_POSE, self.goals.append)
        self.path, self.status = (publisher(self.node, t) for t in (PLANNED_PATH, PLANNER_STATUS))

    def close(self) -> None: ...


def test_goals_go_to_the_planner_and_its_path_comes_back(world) -> None:
    from boa_control.messages.cdr import deserialize
    from boa_control.messages.views import encode_path, encode_text
    from boa_tools.nodes.view_planner import ViewPlanner
    from boa_tools.report.interactive.packed import unpacked
    from boa_tools.view.orders import Order

    told: list[dict] = []
    view = ViewPlanner(world.add(Asking()).node, told.append)
    order = Order("goal", goal=(1.5, -0.5, 0.3))
    view.give_goal(order)
    assert not told[-1]["done"] and "no planner runs" in told[-1]["text"]
    planner = world.add(Planner())
    curve = prepare(load_scenario("boa_circle")).path.curve
    planner.path.publish(encode_path(curve))
    planner.status.publish(encode_text("waits for a goal"))
    news: dict[str, dict] = {}

    def complete() -> bool:
        told.clear()
        view.update()
        news.update((content["kind"], content) for content in told)
        planner = news.get("planner", {"listens": False, "text": ""})
        return "plan" in news and planner["listens"] and bool(planner["text"])

    world.wait_for(complete, "path and status")
    assert news["planner"] == {"kind": "planner", "listens": True, "text": "waits for a goal"}
    points = unpacked(news["plan"]["path"]).reshape(-1, 2)
    assert points[-1] == pytest.approx(curve.position(np.array([curve.length]))[0], abs=1e-6)
    view.give_goal(order)
    assert told[-1]["done"]
    world.wait_for(lambda: planner.goals, "goal")
    goal = deserialize(planner.goals[0], "geometry_msgs/msg/PoseStamped")
    assert goal.header.frame_id == "world"
    assert (goal.pose.position.x, goal.pose.position.y) == (1.5, -0.5)
    turn = goal.pose.orientation
    assert (turn.z, turn.w) == pytest.approx((np.sin(0.15), np.cos(0.15)))
    view.close()


def test_a_recorder_is_no_planner(world) -> None:
    from rclpy.node import Node

    from boa_control.messages.topics import GOAL_POSE
    from boa_control.ros.endpoints import subscribe
    from boa_tools.nodes.view_planner import ViewPlanner
    from boa_tools.view.orders import Order

    recorder = world.add(Asking())
    recorder.node = Node("recorder", namespace="/boa")
    subscribe(recorder.node, GOAL_POSE, lambda _: None)
    told: list[dict] = []
    view = ViewPlanner(world.add(Asking()).node, told.append)
    world.serve()
    view.give_goal(Order("goal"))
    assert not told[-1]["done"]
    view.close()
