# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A second source of torques beside the controller: another node, or a bag that is played."""

from __future__ import annotations

import numpy as np
import pytest
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState

from boa_control.messages.cdr import stamp_of
from boa_control.messages.control import TorqueCodec
from boa_control.messages.topics import JOINT_STATES, TORQUE_COMMAND
from boa_control.plant import PlantError, SensorFrame
from boa_control.ros.endpoints import publisher, qos
from boa_control.ros.plant.node import PlantNode
from boa_control.ros.plant.options import PlantOptions
from boa_description.robot import Robot

pytestmark = [pytest.mark.ros, pytest.mark.realtime]
SECOND_AT = 20


class Rival:
    """A node that begins to publish torques in the middle of a run."""

    def __init__(self, robot: Robot) -> None:
        self.node = Node("rival", namespace="/boa")
        self._codec = TorqueCodec(robot, TORQUE_COMMAND)
        self._out: Publisher | None = None

    def connect(self) -> None:
        self._out = publisher(self.node, TORQUE_COMMAND)

    def command(self, stamp_ns: int) -> None:
        assert self._out is not None
        self._out.publish(self._codec.encode(stamp_ns, effort=np.full(3, 5.0)))

    def disconnect(self) -> None:
        assert self._out is not None
        self.node.destroy_publisher(self._out)

    def close(self) -> None:
        pass


class Player:
    """What `ros2 bag play` is to the plant: its node's name, and old commands with their stamps."""

    def __init__(self, robot: Robot) -> None:
        self.node = Node("rosbag2_player")
        self._codec = TorqueCodec(robot, TORQUE_COMMAND)
        depth = qos(TORQUE_COMMAND)
        self._out = self.node.create_publisher(JointState, TORQUE_COMMAND.name, depth)
        self._joint_states = self.node.create_subscription(
            JointState, JOINT_STATES.name, self._on_tick, depth, raw=True
        )
        self.played = 0

    def play(self, stamp_ns: int) -> None:
        self._out.publish(self._codec.encode(stamp_ns, effort=np.full(3, 5.0)))
        self.played += 1

    def _on_tick(self, raw: bytes) -> None:
        """The worst case: the bag is played in step with the plant."""
        self.play(stamp_of(raw))

    def close(self) -> None:
        pass


def silent(rival: Rival, frame: SensorFrame) -> None:
    rival.connect()


def outspoken(rival: Rival, frame: SensorFrame) -> None:
    rival.connect()
    rival.command(frame.stamp_ns)


def passing(rival: Rival, frame: SensorFrame) -> None:
    outspoken(rival, frame)
    rival.disconnect()


def test_two_torque_sources_cannot_be_armed(world, closed_loop) -> None:
    plant = closed_loop()
    rival = Node("rival", namespace="/boa")
    publisher(rival, TORQUE_COMMAND)
    world.wait_for(lambda: plant._partners.torque_sources.connected > 1)
    plant._frame = plant._supervisor.read()
    with pytest.raises(
        PlantError, match="2 publishers of torque_command: /boa/controller and /boa/rival"
    ):
        plant.arm()
    rival.destroy_node()


@pytest.mark.parametrize(
    ("appear", "name"),
    [
        (silent, "/boa/rival"),
        (outspoken, "/boa/rival"),
        (passing, "a publisher that has gone again"),
    ],
)
def test_torque_is_off_in_the_tick_in_which_a_second_source_appears(
    world, closed_loop, simulation, controller, capfd, appear, name
) -> None:
    rival, step = world.add(Rival(simulation.robot)), controller.step

    def step_with_company(frame):
        if controller.ticks == SECOND_AT:
            appear(rival, frame)
        return step(frame)

    controller.step = step_with_company
    assert world.run(closed_loop(duration=1.0)) == 1
    torque = np.abs(np.array(simulation.written)).max(axis=1)
    assert len(torque) == SECOND_AT + 1, "the run ends with the tick in which the other appeared"
    assert torque[SECOND_AT - 1] > 0.0 and torque[SECOND_AT] == 0.0
    assert not simulation.armed
    assert f"two_torque_sources: /boa/controller and {name} command" in capfd.readouterr().err


@pytest.mark.parametrize("lockstep", [True, False])
def test_a_run_without_a_controller_is_not_armed_by_a_bag_that_is_played(
    world, simulation, experiment, capfd, lockstep
) -> None:
    pace = {"lockstep": True} if lockstep else {"speed": 0.1}
    options = PlantOptions(arm=True, wait_for_controller=True, duration=1.0, **pace)
    plant = world.add(PlantNode(Node("plant", namespace="/boa"), simulation, experiment, options))
    player = world.add(Player(simulation.robot))
    assert world.run(plant) == 1
    assert player.played
    assert "arm" not in simulation.calls
    assert not np.any(simulation.written)
    assert "/rosbag2_player plays the torque_command of a bag" in capfd.readouterr().err


def test_a_bag_that_is_played_beside_a_controller_removes_the_torque(
    world, closed_loop, simulation, controller, capfd
) -> None:
    step = controller.step

    def step_with_company(frame):
        if controller.ticks == SECOND_AT:
            world.add(Player(simulation.robot)).play(frame.stamp_ns)
        return step(frame)

    controller.step = step_with_company
    assert world.run(closed_loop(duration=1.0)) == 1
    torque = np.abs(np.array(simulation.written)).max(axis=1)
    assert torque[SECOND_AT - 1] > 0.0 and torque[SECOND_AT] == 0.0
    assert len(torque) == SECOND_AT + 1
    assert "/boa/controller and /rosbag2_player command" in capfd.readouterr().err


def test_a_publisher_that_takes_the_place_of_another_is_a_second_source(
    world, closed_loop, simulation, controller, capfd
) -> None:
    rival, step = world.add(Rival(simulation.robot)), controller.step
    plant = closed_loop(duration=1.0)
    answering = world.programs[-1]

    def step_once_more(frame):
        output = step(frame)
        if controller.ticks == SECOND_AT:
            answering.node.destroy_publisher(answering._publishers.pop(TORQUE_COMMAND))
            outspoken(rival, frame)
        return output

    controller.step = step_once_more
    assert world.run(plant) == 1
    assert np.abs(np.array(simulation.written))[-1].max() == 0.0
    assert len(simulation.written) == SECOND_AT
    assert "/boa/controller and /boa/rival command" in capfd.readouterr().err


def test_after_a_second_source_the_plant_can_be_armed_for_the_one_that_stays(
    world, closed_loop, simulation
) -> None:
    plant = closed_loop(arm=False, duration=None)
    rival = world.add(Rival(simulation.robot))
    plant._partners.wait_until_they_listen(world.spin, lambda: False)
    plant._tick(world.spin, lambda: False)
    plant.arm()
    rival.connect()
    plant._tick(world.spin, lambda: False)
    assert [fault.name for fault in plant._supervisor.status.faults] == ["two_torque_sources"]
    plant.reset_fault()
    with pytest.raises(PlantError, match="/boa/rival; stop all but one"):
        plant.arm()
    rival.disconnect()
    world.wait_for(lambda: plant._partners.torque_sources.connected == 1)
    plant.arm()
    plant._tick(world.spin, lambda: False)
    plant._tick(world.spin, lambda: False)
    assert plant._supervisor.status.armed and not plant._supervisor.status.faults
