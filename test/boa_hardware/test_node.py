# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Node /boa/plant offers the same in both worlds, but for what only a simulation can do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.interface import PLANT_SERVICES, SIMULATION_SERVICES
from boa_control.messages.topics import NAMESPACE
from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.robot_plant import RobotPlant
from boa_sim.factory import plant_from_experiment
from boa_sim.plant import SimulatedPlant
from test.boa_hardware.virtual import VirtualRobot

rclpy = pytest.importorskip("rclpy", reason="needs rclpy")
pytestmark = [pytest.mark.ros, pytest.mark.realtime]

SIMULATION_TOPICS = {"/clock"}


@pytest.fixture
def ros() -> Iterator[None]:
    rclpy.init()
    yield
    rclpy.try_shutdown()


def interface(robot: bool) -> tuple[set[Any], set[Any], set[Any]]:
    """Publishers, subscriptions and services of the plant node, each with its type."""
    from rclpy.node import Node

    from boa_control.ros.plant.node import PlantNode
    from boa_control.ros.plant.options import PlantOptions

    experiment = prepare(load_scenario("boa_datasheet"))
    node = Node("plant", namespace=NAMESPACE)
    plant: RobotPlant | SimulatedPlant
    if robot:
        plant = VirtualRobot(EmulatedBoa(None, experiment)).plant
        plant.open()
    else:
        plant = plant_from_experiment(experiment)
    program = PlantNode(node, plant, experiment, PlantOptions())
    published = {(item.topic_name, item.msg_type.__name__) for item in node.publishers}
    heard = {(item.topic_name, item.msg_type.__name__) for item in node.subscriptions}
    offered = {
        (item.service_name, item.srv_type.__name__)
        for item in node.services
        if "parameter" not in item.service_name
    }
    program.close()
    node.destroy_node()
    return published, heard, offered


def test_topics_types_and_services_are_those_of_the_simulation(ros: None) -> None:
    published, heard, offered = interface(robot=True)
    sim_published, sim_heard, sim_offered = interface(robot=False)
    extra = {name for name, _ in sim_published - published}
    assert published <= sim_published
    assert all(name.startswith("/boa/sim/") or name in SIMULATION_TOPICS for name in extra)
    assert heard <= sim_heard
    assert all(name.startswith("/boa/sim/") for name, _ in sim_heard - heard)
    names = {f"/boa/plant/{service.name}" for service in PLANT_SERVICES}
    only_simulation = {f"/boa/plant/{service.name}" for service in SIMULATION_SERVICES}
    assert names <= {name for name, _ in offered}
    assert offered <= sim_offered
    assert {name for name, _ in sim_offered - offered} == only_simulation


def test_launch_gives_the_controller_the_same_parameters_in_both_worlds() -> None:
    from boa_tools.bringup.hoal import HOAL

    specs = {
        sim: {
            node.name: node
            for spec in HOAL.nodes(HOAL.resolve({"sim": sim, "scenario": "boa_datasheet"}))
            for node in spec.nodes
        }
        for sim in ("true", "false")
    }
    assert specs["true"].keys() == specs["false"].keys()
    assert specs["true"]["controller"] == specs["false"]["controller"]
