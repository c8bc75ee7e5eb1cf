# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steering the controller node over real topics, services and parameters, and its record."""

from __future__ import annotations

import numpy as np
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Float64
from std_srvs.srv import Trigger

from boa_control.controller import SetPoint
from boa_control.controllers.set_points import SetPointChange, recorded_set_point
from boa_control.controllers.steered import SteeredController
from boa_control.events import EventKind
from boa_control.interface import CONTROLLER_PARAMETERS
from boa_control.messages.sensors import SensorEncoder
from boa_control.messages.topics import JOINT_STATES, SPEED
from boa_control.ros.controller.node import ControllerNode
from boa_control.ros.endpoints import publisher
from boa_control.ros.parameters import make_node
from boa_control.ros.plant.node import PlantNode
from boa_control.ros.plant.options import PlantOptions
from boa_control.safety.frame_guard import FrameGuard
from boa_tools.bags.ticks import bag_ticks
from boa_tools.nodes.recorder import Recorder
from boa_tools.runs.replay import replay
from test.ros.conftest import PATIENCE
from test.steerable import Cruise

pytestmark = [pytest.mark.ros, pytest.mark.realtime]

TICKS = 50
SET_POINT = {"speed": float("nan"), "force": float("nan"), "force_floor": float("nan")}


class Desk:
    """An operator's own node: publishes speeds and calls services."""

    def __init__(self) -> None:
        self.node = Node("desk", namespace="/boa")
        self.speed = publisher(self.node, SPEED)

    def close(self) -> None:
        pass


@pytest.fixture
def desk(world) -> Desk:
    return world.add(Desk())


def controller_node(world, experiment, controller, **options) -> ControllerNode:
    node, _ = make_node("controller", CONTROLLER_PARAMETERS)
    options = {"set_point": SET_POINT, **options}
    return world.add(ControllerNode(node, experiment, controller, **options))


@pytest.fixture
def steered(world, experiment) -> ControllerNode:
    controller = SteeredController(Cruise(), experiment.robot.joint_names)
    return controller_node(world, experiment, controller)


@pytest.fixture
def fixed(world, experiment) -> ControllerNode:
    return controller_node(world, experiment, FrameGuard(Cruise(), experiment.robot.joint_names))


def trigger(world, desk, name: str):
    return world.call(desk.node, Trigger, f"/boa/controller/{name}", Trigger.Request())


def set_parameter(world, desk, name: str, value):
    message = Parameter(name, value=value).to_parameter_msg()
    request = SetParameters.Request(parameters=[message])
    answer = world.call(desk.node, SetParameters, "/boa/controller/set_parameters", request)
    return answer.results[0]


def send(world, desk, node, value: float) -> None:
    """Publish a speed and wait until it has been taken or refused."""
    operator, arrived = node._operator, []
    take = operator.speed

    def note(speed: float) -> None:
        arrived.append(speed)
        take(speed)

    operator.speed = note
    world.wait_for(lambda: desk.speed.get_subscription_count() == 1)
    desk.speed.publish(Float64(data=value))
    world.wait_for(lambda: arrived)
    operator.speed = take


def shown(node: ControllerNode) -> dict[str, float]:
    return {name: node.node.get_parameter(name).value for name in SET_POINT}


def test_speeds_from_the_topic_are_taken_or_refused(
    world, desk, steered, capfd, monkeypatch
) -> None:
    monkeypatch.setattr("boa_control.ros.controller.node.QUIET", 10 * PATIENCE)
    send(world, desk, steered, -0.05)
    assert steered._operator.set_point.speed == -0.05
    for bad in (float("nan"), 5.0):
        send(world, desk, steered, bad)
    assert steered._operator.set_point.speed == -0.05
    warnings = [line for line in capfd.readouterr().err.splitlines() if "refused" in line]
    assert len(warnings) == 1, "one clear warning, not one per message"
    assert "set-point speed nan m/s; expected -2 to 2 m/s" in warnings[0]


def test_a_second_source_of_joint_states_is_told(world, desk, steered, simulation, capfd) -> None:
    """Whose stamps differ from the plant's: time seems to start again and again."""
    plant = publisher(desk.node, JOINT_STATES)
    publisher(desk.node, JOINT_STATES)
    world.wait_for(lambda: steered._joints.get_publisher_count() == 2)
    *_, (_, raw) = SensorEncoder(simulation.robot).encode(simulation.read())
    told: list[str] = []

    def complained() -> bool:
        plant.publish(raw)
        told.append(capfd.readouterr().err)
        return "2 nodes publish joint_states, stop all but the plant" in "".join(told)

    world.wait_for(complained)


def test_stop_and_start(world, desk, steered) -> None:
    assert trigger(world, desk, "stop").success
    assert steered._operator.set_point.speed == 0.0
    refused = set_parameter(world, desk, "speed", 0.2)
    assert not refused.successful and "~/start" in refused.reason
    answer = trigger(world, desk, "start")
    assert answer.success and answer.message == "started with 0.1 m/s"
    again = trigger(world, desk, "start")
    assert not again.success and again.message.startswith("not stopped")


def test_parameters_show_and_change_the_set_point(world, desk, steered) -> None:
    assert shown(steered) == {"speed": 0.1, "force": 5.0, "force_floor": 1.0}
    assert set_parameter(world, desk, "force", 8.5).successful
    assert set_parameter(world, desk, "speed", 0).successful, "a whole number is a number"
    assert steered._operator.set_point == SetPoint(0.0, 8.5, 1.0)
    for name, value, why in (
        ("speed", 0.5, "at most 0.3 m/s"),
        ("speed", float("nan"), "Min: -2.0, Max: 2.0"),
        ("speed", 3, "Min: -2.0, Max: 2.0"),
        ("force", -1.0, "Min: 0.0"),
        ("force", 10**12, "Max: 1000.0, value: 1000000000000.0"),
        ("force_floor", "much", "Wrong parameter type, expected 'Type.DOUBLE'"),
        ("force", True, "Wrong parameter type, expected 'Type.DOUBLE'"),
        ("force", None, "cannot be undeclared"),
        ("forse", 8.5, "undeclared parameter(s): ['forse']"),
    ):
        answer = set_parameter(world, desk, name, value)
        assert not answer.successful and why in answer.reason
    assert steered._operator.set_point == SetPoint(0.0, 8.5, 1.0)
    assert shown(steered) == {"speed": 0.0, "force": 8.5, "force_floor": 1.0}


def test_parameters_say_their_ranges_for_sliders(world) -> None:
    node, _ = make_node("controller", CONTROLLER_PARAMETERS)
    for name, least, most, said in (
        ("view_rate", 0.01, 1000.0, "0.01 to 1000 Hz"),
        ("speed_timeout", 0.0, 3600.0, "0 to 3600 s"),
    ):
        given = node.describe_parameter(name)
        (limits,) = given.floating_point_range
        assert (limits.from_value, limits.to_value) == (least, most)
        assert given.additional_constraints == said
    node.destroy_node()


def test_a_set_point_has_a_range_once_it_has_a_value(steered, fixed) -> None:
    given = steered.node.describe_parameter("speed")
    (limits,) = given.floating_point_range
    assert (limits.from_value, limits.to_value) == (-2.0, 2.0)
    assert not fixed.node.describe_parameter("speed").floating_point_range, "nan has no place in it"


def test_a_controller_that_is_not_steerable_refuses_everything(world, desk, fixed, capfd) -> None:
    why = "controller joint_pd takes no set-points while it runs"
    assert all(np.isnan(value) for value in shown(fixed).values())
    for answer in (trigger(world, desk, "stop"), trigger(world, desk, "start")):
        assert not answer.success and answer.message == why
    answer = set_parameter(world, desk, "speed", 0.1)
    assert not answer.successful and answer.reason == f"speed: {why}"
    send(world, desk, fixed, 0.1)
    assert f"speed 0.1 m/s: {why}" in capfd.readouterr().err


def test_a_steered_run_is_the_same_as_its_plan_where_the_ticks_agree(
    world, desk, experiment, simulation
) -> None:
    """What came over ROS, written into the scenario, gives the same torques bit for bit."""
    names = experiment.robot.joint_names
    controller = SteeredController(Cruise(), names)
    # the parameter speed acts from the first tick
    node = controller_node(
        world, experiment, controller, set_point={**SET_POINT, "speed": 0.2}, speed_timeout=0.02
    )
    options = PlantOptions(
        duration=TICKS * 0.002, arm=True, lockstep=True, wait_for_controller=True
    )
    plant = world.add(PlantNode(Node("plant", namespace="/boa"), simulation, experiment, options))
    world.connect(node, plant)
    world.wait_for(lambda: desk.speed.get_subscription_count() == 1)
    step, frames, found = controller.step, [], {}

    def step_and_send(frame):
        frames.append(frame)
        if len(frames) == 10:
            desk.speed.publish(Float64(data=-0.15))
        output = step(frame)
        for set_point in filter(None, map(recorded_set_point, output.events)):
            found[frame.stamp_ns] = set_point
        return output

    controller.step = step_and_send
    assert world.run(plant) == 0
    speeds = [value.speed for value in found.values()]
    start = frames[0].stamp_ns
    assert speeds[:2] == [0.2, -0.15] and start in found, "the last one may have timed out"
    planned = [
        SetPointChange(time=(stamp - start) * 1e-9, speed=v.speed) for stamp, v in found.items()
    ]
    again = SteeredController(Cruise(), names, planned)
    written = np.array([again.step(frame).torque for frame in frames])
    np.testing.assert_array_equal(np.array(simulation.written), written)


def test_the_bag_of_a_steered_run_is_replayed_without_a_difference(
    world, desk, experiment, simulation, tmp_path
) -> None:
    names = experiment.robot.joint_names
    controller = SteeredController(Cruise(), names)
    node = controller_node(world, experiment, controller)
    options = PlantOptions(
        duration=TICKS * 0.002,
        arm=True,
        lockstep=True,
        wait_for_controller=True,
        wait_for_recorder=True,
    )
    plant = world.add(PlantNode(Node("plant", namespace="/boa"), simulation, experiment, options))
    world.connect(node, plant)
    recorder = world.add(
        Recorder(Node("recorder", namespace="/boa"), experiment, tmp_path / "run", True)
    )
    world.wait_for(lambda: recorder.ready)
    recorder.announce()
    plant._partners.wait_for_recorder = lambda *_, **__: None  # nobody runs the recorder's loop
    world.wait_for(lambda: desk.speed.get_subscription_count() == 1)
    step, ticks = controller.step, iter(range(TICKS))

    def step_and_send(frame):
        if (tick := next(ticks)) % 10 == 5:
            desk.speed.publish(Float64(data=-0.01 * tick))
        return step(frame)

    controller.step = step_and_send
    assert world.run(plant) == 0
    recorder.close()
    recorded = list(bag_ticks(tmp_path / "run" / "bag", experiment))
    kinds = [event.kind for tick in recorded for event in tick.output.events]
    assert kinds.count(EventKind.SET_POINT) >= 3
    found = replay(recorded, SteeredController(Cruise(), names))
    assert (found.compared, found.largest) == (TICKS, 0.0)
