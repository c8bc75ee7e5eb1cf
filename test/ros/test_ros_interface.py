# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The names of plant node and controller node on the ROS graph: topics, services, parameters."""

from __future__ import annotations

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter

from boa_control.messages.sensors import sensor_topics
from boa_control.messages.tools import ToolTopics, joint_wrench, link_imu
from boa_control.messages.topics import (
    DIAGNOSTICS,
    EVENT_STATUS,
    EVENTS,
    NEW_PATH,
    SPEED,
    TF,
    TF_STATIC,
    TOPICS,
)
from test.ros.conftest import TICKS, FakeRobot
from test.ros.listener import Listener

pytestmark = [pytest.mark.ros, pytest.mark.realtime]


def test_nodes_publish_what_the_table_says(world, closed_loop) -> None:
    plant = closed_loop(duration=0.004)
    # of every node; and where tf2_msgs is installed
    own = {"/rosout", "/parameter_events", TF.name, TF_STATIC.name}
    table = {name: {t.name for t in TOPICS if t.source == name} for name in ("plant", "controller")}
    tools = ToolTopics(plant._plant.robot)
    table["plant"] |= {
        EVENTS.name,
        EVENT_STATUS.name,
        *(t.name for t in (*tools.imus, *tools.wrenches)),
    }
    table["controller"] |= {DIAGNOSTICS.name}
    for name, expected in table.items():
        published = dict(plant.node.get_publisher_names_and_types_by_node(name, "/boa"))
        assert set(published) - own == expected - own
        types = {topic.name: topic.msgtype for topic in (*TOPICS, *tools.imus, *tools.wrenches)}
        assert all(published[topic] == [types[topic]] for topic in expected - own)
    subscribed = {
        name for name, _ in plant.node.get_subscriber_names_and_types_by_node("controller", "/boa")
    }
    measured = {topic.name for topic in sensor_topics()}
    commands = {SPEED.name, NEW_PATH.name}
    assert subscribed - own == measured | commands, "what is measured, operator and planner only"


def test_a_robot_has_no_truth_no_clock_and_no_pause(world, closed_loop, robot) -> None:
    plant = closed_loop(plant=FakeRobot(robot), duration=TICKS * 0.002, lockstep=False)
    assert world.run(plant) == 0
    names = {name for name, _ in plant.node.get_publisher_names_and_types_by_node("plant", "/boa")}
    assert "/clock" not in names and not any(name.startswith("/boa/sim/") for name in names)
    services = {name for name, _ in plant.node.get_service_names_and_types_by_node("plant", "/boa")}
    assert {"/boa/plant/arm", "/boa/plant/tare"} <= services and "/boa/plant/pause" not in services


def test_single_sensors_are_published_while_somebody_listens(world, closed_loop) -> None:
    plant = closed_loop(duration=TICKS * 0.002)
    imu, wrench = link_imu("link_02"), joint_wrench("joint_01")
    listener = Listener(imu, wrench)
    world.add(listener)
    world.wait_for(lambda: all(item.get_publisher_count() for item in listener.inputs))
    assert world.run(plant) == 0
    for topic in (imu, wrench):
        listener.receive(world, topic, 1)
    assert {topic.name for topic, _ in listener.received} == {imu.name, wrench.name}


def test_wrong_parameters_are_one_clear_error(ros, monkeypatch) -> None:
    from boa_control.interface import SIMULATION_PARAMETERS
    from boa_control.ros import parameters
    from boa_description.errors import BoaError

    def node_with(**overrides):
        made = [Parameter(name, value=value) for name, value in overrides.items()]
        monkeypatch.setattr(
            parameters, "Node", lambda *a, **k: Node(*a, **k, parameter_overrides=made)
        )
        node, values = parameters.make_node("plant", SIMULATION_PARAMETERS)
        node.destroy_node()
        return values

    assert node_with(speed=2, seed=5)["speed"] == 2.0
    with pytest.raises(BoaError, match="unknown parameter 'sped'; did you mean 'speed'"):
        node_with(sped=2.0)
    with pytest.raises(BoaError, match="unknown parameter 'use_sim_times'"):
        node_with(use_sim_times=True)
    with pytest.raises(BoaError, match=r"parameter seed is 1\.5; expected a whole number"):
        node_with(seed=1.5)
    with pytest.raises(BoaError, match="parameter lockstep is 'yes'; expected true or false"):
        node_with(lockstep="yes")
    for name, wrong, limits in (
        ("view_rate", 0, "0.01 to 1000 Hz"),
        ("step_count", 0, "1 to 1000000 ticks"),
        ("speed", float("nan"), "0 to 1000"),
        ("duration", 10**12, "-1 to 1000000 s"),
    ):
        with pytest.raises(BoaError, match=f"parameter {name} is .*; expected {limits}"):
            node_with(**{name: wrong})
