# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pushes, poses and several ticks at once, over real topics, parameters and services."""

from __future__ import annotations

import pytest
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from boa_control.interface import SIMULATION_PARAMETERS
from boa_control.plant import PlantError
from boa_control.ros.parameters import make_node
from boa_control.ros.plant.node import PlantNode
from boa_control.ros.plant.options import PlantOptions

pytestmark = [pytest.mark.ros, pytest.mark.realtime]


class Hand:
    """Somebody who intervenes."""

    def __init__(self) -> None:
        self.node = Node("hand")
        self.wrench = self.node.create_publisher(WrenchStamped, "/boa/sim/apply_wrench", 10)
        self.state = self.node.create_publisher(JointState, "/boa/sim/set_state", 1)

    def close(self) -> None:
        pass


@pytest.fixture
def hand(world) -> Hand:
    return world.add(Hand())


@pytest.fixture
def plant(world, hand, simulation, experiment) -> PlantNode:
    node, _ = make_node("plant", SIMULATION_PARAMETERS)
    made = world.add(PlantNode(node, simulation, experiment, PlantOptions()))
    world.wait_for(hand.wrench.get_subscription_count)
    world.wait_for(hand.state.get_subscription_count)
    return made


def push(link: str) -> WrenchStamped:
    force, torque = Vector3(x=1.0, y=-2.0), Vector3(z=0.5)
    return WrenchStamped(header=Header(frame_id=link), wrench=Wrench(force=force, torque=torque))


def test_a_push_lasts_as_long_as_the_parameter_says(world, hand, plant, simulation) -> None:
    changed = plant.node.set_parameters([Parameter("wrench_duration", value=0.25)])
    assert changed[0].successful
    hand.wrench.publish(push("link_03"))
    world.wait_for(lambda: "push 2 [1.0, -2.0, 0.5] 0.25" in simulation.calls)


def test_a_pose_is_set_unless_armed(world, hand, plant, simulation, capfd) -> None:
    hand.state.publish(JointState(name=["joint_02", "base_x"], position=[0.4, 1.5]))
    world.wait_for(lambda: "place [1.5, 0.0, 0.0]" in simulation.calls)
    assert simulation.position.tolist() == [0.0, 0.4, 0.0]
    assert "state set: link 1 at 1.5 m" in capfd.readouterr().err
    plant._frame = plant._supervisor.read()
    plant.arm()
    hand.state.publish(JointState(name=["joint_02"], position=[0.0]))
    told: list[str] = []

    def refused() -> bool:
        told.append(capfd.readouterr().err)
        return "refused: cannot set the state while armed" in "".join(told)

    world.wait_for(refused)
    assert simulation.position.tolist() == [0.0, 0.4, 0.0]


def test_senseless_requests_are_refused_and_the_plant_goes_on(
    world, hand, plant, simulation, capfd
) -> None:
    hand.wrench.publish(push("arm_7"))
    told: list[str] = []

    def refused() -> bool:
        told.append(capfd.readouterr().err)
        return "'arm_7' is no link" in "".join(told)

    world.wait_for(refused)
    assert not any("push" in call for call in simulation.calls)


@pytest.mark.parametrize("cap", [2, 2.0])
@pytest.mark.parametrize("bad", [-1.0, 10**12, float("nan"), "long", None])
def test_values_refused_together_are_not_in_use(plant, cap, bad) -> None:
    refused = [Parameter("torque_cap", value=cap), Parameter("wrench_duration", value=bad)]
    assert not plant.node.set_parameters_atomically(refused).successful
    assert plant._supervisor._settings.limits.torque > 2.0
    refused = [Parameter("wrench_duration", value=5), Parameter("torque_cap", value=99)]
    assert not plant.node.set_parameters_atomically(refused).successful
    assert plant.node.get_parameter("wrench_duration").value == 0.1
    assert plant.node.set_parameters(refused[:1])[0].successful
    assert repr(plant.node.get_parameter("wrench_duration").value) == "5.0"


def test_step_advances_by_as_many_ticks_as_the_parameter_says(plant) -> None:
    with pytest.raises(PlantError, match="pause it first"):
        plant.step()
    plant.pause(True)
    assert plant.step() == "1 tick of 2 ms"
    assert plant.node.set_parameters([Parameter("step_count", value=100)])[0].successful
    assert plant.step() == "100 ticks of 2 ms" and plant._steps == 101
