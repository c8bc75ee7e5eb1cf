# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wrong commands, lost readings and faults, between plant node and controller node."""

from __future__ import annotations

import numpy as np
import pytest
from rclpy.node import Node
from sensor_msgs.msg import JointState

from boa_control.event_text import text_of
from boa_control.events import Event, EventKind
from boa_control.messages.control import TorqueCodec
from boa_control.messages.events import GATE, PLANT, decode_events
from boa_control.messages.status import decode_diagnostics
from boa_control.messages.topics import DIAGNOSTICS, EVENT_STATUS, TORQUE_COMMAND
from boa_control.plant import PlantError
from boa_control.ros.endpoints import publisher
from boa_control.safety.ended import Reason
from test.ros.conftest import TICKS
from test.ros.listener import Listener, ended

pytestmark = [pytest.mark.ros, pytest.mark.realtime]


def test_senseless_commands_are_refused_and_the_run_goes_on(
    world, closed_loop, simulation, controller
) -> None:
    class Vandal:
        def __init__(self) -> None:
            self.node = Node("vandal", namespace="/boa")
            self.out = publisher(self.node, TORQUE_COMMAND)

        def close(self) -> None:
            pass

    vandal = world.add(Vandal())
    step = controller.step
    names = simulation.robot.joint_names
    good = TorqueCodec(simulation.robot, TORQUE_COMMAND)
    unset = good.encode(0, effort=np.full(3, 5.0))
    future = good.encode(10**12, effort=np.full(3, 5.0))
    foreign = JointState(name=["elbow", *names[1:]], effort=[5.0, 5.0, 5.0])
    short = JointState(name=list(names), effort=[5.0])
    empty = JointState()

    def step_and_disturb(frame):
        for bad in (unset, future, future[:30], b"", foreign, short, empty):
            vandal.out.publish(bad)
        return step(frame)

    controller.step = step_and_disturb
    plant = closed_loop(duration=TICKS * 0.002)
    plant._wants_arming = False  # two publishers of torque_command: it would refuse to arm
    assert world.run(plant) == 0
    assert len(simulation.written) == TICKS and np.abs(np.array(simulation.written)).max() == 0.0
    refused = plant._inbox.refused
    assert min(refused["malformed"], refused["future"], refused["unset"]) >= TICKS


def test_a_joint_without_a_reading_gets_no_torque_and_the_controller_goes_on_afterwards(
    world, closed_loop, simulation, controller
) -> None:
    listener = world.add(Listener(EVENT_STATUS, DIAGNOSTICS))
    plant, read = closed_loop(duration=TICKS * 0.002), simulation.read
    answering = world.programs[-1]

    def read_with_a_gap():
        frame = read()
        if 20 <= len(simulation.written) < 30:
            frame.position[1] = frame.velocity[1] = frame.effort[1] = np.nan
        elif len(simulation.written) >= 40:
            answering._next_report = 0.0  # with every tick, not every half second
        return frame

    simulation.read = read_with_a_gap
    listener.connect(world, plant)
    assert world.run(plant) == 0
    ended(world, listener)
    written = np.array(simulation.written)
    assert np.abs(written[20:30]).max() == 0.0 and np.abs(written[[19, 31]]).max(axis=1).all()
    assert len(controller.seen) == TICKS - 10
    told = [
        text
        for raw in listener.of(EVENT_STATUS)
        for text in (text_of(one.event) for one in decode_events(raw))
        if "reading" in text
    ]
    assert told == [
        "no torque: no reading of joint_02",
        "readings of all joints again after 10 ticks",
    ]

    def incomplete() -> str:
        """What the controller has said last of the frames it could not use."""
        lines = [line for raw in listener.of(DIAGNOSTICS) for line in decode_diagnostics(raw)[1]]
        steps = [line for line in lines if line.name == "boa/controller: step"]
        return steps[-1].values["frames_incomplete"] if steps else ""

    world.wait_for(lambda: incomplete() == "10")


def test_a_torque_that_is_not_finite_latches_and_ends_the_run(
    world, closed_loop, simulation, controller
) -> None:
    listener = world.add(Listener(EVENT_STATUS, DIAGNOSTICS))
    step = controller.step

    def step_wrongly(frame):
        output = step(frame)
        if controller.ticks == 20:
            output.torque[1] = np.nan
        return output

    controller.step = step_wrongly
    assert world.run(closed_loop(duration=1.0)) == 1
    assert len(simulation.written) == 20 and np.abs(simulation.written[-1]).max() == 0.0
    events = ended(world, listener)
    assert any(one.source == GATE and "finite" in text_of(one.event) for one in events)
    assert events[-1].source == PLANT and events[-1].event.state == Reason.FAULT
    gate = [
        line
        for raw in listener.of(DIAGNOSTICS)
        for line in decode_diagnostics(raw)[1]
        if "gate" in line.name
    ]
    assert gate[-1].values["state"] == "error" and "finite" in gate[-1].text


def test_a_plant_that_is_gone_ends_the_run_with_its_reason(
    world, closed_loop, simulation, controller, capfd
) -> None:
    step = controller.step

    def unplug(frame):
        if controller.ticks == 10:
            simulation.broken = PlantError(
                "servo bus: no reply from any servo; check power and cable"
            )
        return step(frame)

    controller.step = unplug
    assert world.run(closed_loop(duration=1.0)) == 1
    assert "no reply from any servo" in capfd.readouterr().err
    assert simulation.calls[-1] == "disarm"


def test_what_the_controller_tells_is_on_the_screen_without_the_contacts_of_every_post(
    world, closed_loop, controller, capfd
) -> None:
    """Why a robot stands must not be in its bag alone."""
    step = controller.step

    def told(frame):
        output = step(frame)
        gained = Event(kind=EventKind.CONTACT_GAINED, post=3, link=2)
        return output._replace(events=(*output.events, gained))

    controller.step = told
    assert world.run(closed_loop(duration=0.05)) == 0
    said = capfd.readouterr().err
    assert "tick 11" in said
    assert "post 3" not in said


def test_a_run_that_armed_itself_goes_on_after_disarming_whatever_the_joints_hit(
    world, closed_loop, simulation, controller
) -> None:
    plant, read, step = closed_loop(duration=TICKS * 0.002), simulation.read, controller.step
    limit = simulation.robot.limits.joint_force_fault

    def step_and_disarm(frame):
        if controller.ticks == 20:
            plant.disarm()
        return step(frame)

    def read_after_a_blow():
        frame = read()
        if len(simulation.written) == 30:
            frame.joint_force.force[1] = [limit, 0.0, 0.0]
        return frame

    controller.step, simulation.read = step_and_disarm, read_after_a_blow
    assert world.run(plant) == 0
    assert len(simulation.written) == TICKS and not np.array(simulation.written)[20:].any()
    assert [fault.name for fault in plant._supervisor.status.faults] == ["joint_force"], (
        "it must be reset before anybody arms again"
    )


def test_a_run_armed_again_ends_by_a_fault_again(world, closed_loop, simulation) -> None:
    plant = closed_loop(duration=None)
    plant._partners.wait_until_they_listen(world.spin, lambda: False)
    plant._tick(world.spin, lambda: False)
    plant.disarm()
    simulation.faults = ("servo 3 (joint_03): overload",)
    assert plant._tick(world.spin, lambda: False) is None
    plant.reset_fault()
    plant.arm()
    assert plant._tick(world.spin, lambda: False) is None
    simulation.faults = ("servo 3 (joint_03): overload",)
    assert plant._tick(world.spin, lambda: False).reason == "fault"
