"""The node of the live view: it shows what the plant says, and passes orders on."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.interface import ROBOT_PARAMETERS, SIMULATION_PARAMETERS

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
    world, closed_loop, simulation, experiment
) -> None:
    from boa_tools.nodes.view_topics import ViewTopics

    plant = closed_loop(duration=0.2)
    node = world.add(Asking()).node
    topics = ViewTopics(node, experiment, simulated=True)
    assert topics.snapshot(None) is None  # nothing received yet
    for _ in range(50):
        world.spin(0.01)
    assert world.run(plant) == 0
    snapshot = topics.snapshot(0.25)
    topics.close()
    assert snapshot is not None
    assert snapshot.time == pytest.approx(simulation.stamp_ns * 1e-9, abs=1.5 / 30)  # view_rate
    assert snapshot.pose.shape == (3 + experiment.robot.joints,)
    assert snapshot.torque == pytest.approx(simulation.written[-1], abs=1e-6)
    assert [text for _, text in snapshot.events]
    assert snapshot.set_speed == 0.25
    assert np.isfinite(snapshot.estimates[:, 4]).all() and len(snapshot.estimates)
