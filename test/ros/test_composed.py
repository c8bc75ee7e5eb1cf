# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plant and controller that take turns in one thread."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest
import yaml
from lifecycle_msgs.srv import GetState
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node

from boa_control.messages.topics import CONTACTS, DEBUG, EVENT_STATUS, TORQUE_COMMAND
from boa_control.ros.composed import Composed
from boa_control.ros.controller.node import ControllerNode
from boa_control.ros.plant.node import PlantNode
from boa_control.ros.plant.options import PlantOptions
from boa_control.safety.controller_error import ControllerError
from boa_control.safety.ended import Ended
from boa_control.safety.frame_guard import FrameGuard
from test.ros.conftest import PERIOD_NS, TICKS
from test.ros.listener import Listener, ended
from test.ros.processes import start, wait_for

pytestmark = [pytest.mark.ros, pytest.mark.realtime]


@pytest.fixture
def composed(world, experiment, simulation, controller) -> Composed:
    """Neither has heard of the other yet."""
    options = PlantOptions(
        arm=True, lockstep=True, wait_for_controller=True, duration=TICKS * PERIOD_NS * 1e-9
    )
    plant = PlantNode(Node("plant", namespace="/boa"), simulation, experiment, options)
    guarded = FrameGuard(controller, experiment.robot.joint_names)
    answering = ControllerNode(Node("controller", namespace="/boa"), experiment, guarded)
    return Composed(world.add(plant), world.add(answering))


def test_they_find_each_other_and_run_to_the_end(world, composed, simulation, controller) -> None:
    assert composed.run(world.spin, lambda: False) == 0
    assert len(simulation.written) == TICKS
    again = type(controller)()
    for frame, written in zip(controller.seen, simulation.written, strict=True):
        np.testing.assert_array_equal(written, again.step(frame).torque)
    composed.close()
    assert simulation.calls[-1] == "close" and "disarm" in simulation.calls


def test_records_of_every_tick_go_out(world, composed) -> None:
    """Those of the last ones, too, for which no further tick comes."""
    listener = world.add(Listener(TORQUE_COMMAND, DEBUG, CONTACTS))
    assert composed.run(world.spin, lambda: False) == 0
    for topic in (TORQUE_COMMAND, DEBUG, CONTACTS):
        listener.receive(world, topic, TICKS)


def test_a_mistake_in_the_controller_ends_both_with_the_torque_off(
    world, composed, simulation, controller
) -> None:
    healthy = controller.step

    def step(frame):
        if controller.ticks == 5:
            raise ZeroDivisionError("in tick 6")
        return healthy(frame)

    controller.step = step
    listener = world.add(Listener(EVENT_STATUS))
    with pytest.raises(ControllerError, match="ZeroDivisionError: in tick 6"):
        composed.run(world.spin, lambda: False)
    end = Ended.of_event(ended(world, listener)[-1].event)  # as the recorder hears of it
    assert "ZeroDivisionError: in tick 6" in str(end.fault)
    assert simulation.armed
    composed.close()
    assert not simulation.armed and simulation.calls[-1] == "close"


def test_told_to_stop_it_stops_although_no_answer_comes(world, composed, controller) -> None:
    turns = []

    def stopped() -> bool:
        turns.append(len(controller.seen))
        return turns[-1] >= 7

    assert composed.run(world.spin, stopped) == 0
    assert turns[-1] < TICKS


@pytest.fixture
def process(tmp_path: Path, ros):
    """Both nodes as the launch starts them, in real time and without end."""
    simulated = {"scenario": "thesis_5_2_3", "duration": 0.0, "arm": True}
    blocks = {"/boa/plant": simulated, "/boa/controller": {"scenario": "thesis_5_2_3"}}
    file = tmp_path / "parameters.yaml"
    file.write_text(yaml.safe_dump({n: {"ros__parameters": v} for n, v in blocks.items()}))
    started = start("boa_sim.composed", words=("--params-file", str(file)))
    yield started
    started.kill()
    started.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_other_nodes_see_two_nodes_and_one_signal_ends_both(process, world, number) -> None:
    wait_for(process, "armed")
    node = world.add(Listener(TORQUE_COMMAND)).node
    world.wait_for(lambda: {"plant", "controller"} <= {*node.get_node_names()}, "the nodes")
    state = world.call(node, GetState, "/boa/plant/get_state", GetState.Request(), again=5.0)
    assert state.current_state.label == "active"
    for name, own in (("plant", "duration"), ("controller", "speed_timeout")):
        ask = GetParameters.Request(names=["scenario", own])
        answer = world.call(node, GetParameters, f"/boa/{name}/get_parameters", ask, again=5.0)
        scenario, value = answer.values
        assert scenario.string_value == "thesis_5_2_3" and value.double_value == 0.0

    def sources() -> list[str]:
        """Of torques; for a moment a publisher is known already, and not yet whose it is."""
        return [info.node_name for info in node.get_publishers_info_by_topic(TORQUE_COMMAND.name)]

    world.wait_for(lambda: sources() == ["controller"], "the source of torques")
    process.send_signal(number)
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    assert "run ended: stopped; disarmed" in output and "Traceback" not in output


def test_what_one_of_them_refuses_is_one_line(tmp_path: Path) -> None:
    for name, wrong, said in (
        ("plant", {"speed": 0.0, "lockstep": False}, "needs lockstep"),
        ("controller", {"speed_timeout": -1.0}, "speed_timeout is -1.0; expected 0 to 3600 s"),
    ):
        file = tmp_path / f"{name}.yaml"
        file.write_text(yaml.safe_dump({f"/boa/{name}": {"ros__parameters": wrong}}))
        node = start("boa_sim.composed", words=("--params-file", str(file)))
        output, _ = node.communicate(timeout=600)
        assert node.returncode == 2
        assert output.startswith("error: ") and said in output and output.count("\n") == 1
