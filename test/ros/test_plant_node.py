# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ticks of plant node and controller node in one process, over real topics."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from rclpy.node import Node
from std_srvs.srv import Trigger

from boa_control.events import Event, EventKind, Refused
from boa_control.messages.cdr import stamp_of
from boa_control.messages.control import TorqueCodec
from boa_control.messages.topics import (
    CLOCK,
    EVENT_STATUS,
    IMU,
    IMUS,
    JOINT_FORCES,
    JOINT_STATES,
    SIM_CONTACTS,
    SIM_JOINT_STATES,
    SIM_ODOMETRY,
    TORQUE_APPLIED,
    TORQUE_COMMAND,
)
from boa_control.ros.plant.inbox import CommandInbox
from boa_control.ros.plant.truth import UNPACED
from boa_control.safety.ended import Reason
from test.ros.conftest import PERIOD_NS, TICKS, FakeRobot
from test.ros.listener import Listener, ended

pytestmark = [pytest.mark.ros, pytest.mark.realtime]


def test_lockstep_run_from_first_tick_to_the_end(
    world, closed_loop, simulation, controller
) -> None:
    plant = closed_loop(duration=TICKS * 0.002)
    assert world.run(plant) == 0
    assert len(simulation.written) == len(controller.seen) == TICKS
    # everything of a tick was there when its joint states came
    for k, frame in enumerate(controller.seen):
        assert (
            frame.stamp_ns
            == frame.joint_force.stamp_ns
            == frame.imu.stamp_ns
            == (k + 1) * simulation.control_period_ns
        )
    assert np.abs(simulation.written[-1]).max() > 0.01, "the torques reached the plant"
    plant.close()
    assert simulation.calls[-1] == "close" and "disarm" in simulation.calls


def test_the_answer_to_a_tick_is_applied_at_that_tick(
    world, closed_loop, simulation, controller
) -> None:
    world.run(closed_loop(duration=TICKS * 0.002))
    again = type(controller)()
    limits = simulation.robot.limits
    for frame, written in zip(controller.seen, simulation.written, strict=True):
        wanted = again.step(frame).torque
        assert np.abs(wanted).max() < limits.torque
        # far within all limits: the gate changes nothing
        np.testing.assert_array_equal(written, wanted)


def test_applied_torque_and_answers_carry_the_stamp_of_their_tick(
    world, closed_loop, simulation
) -> None:
    listener = world.add(Listener(TORQUE_COMMAND, TORQUE_APPLIED))
    plant = closed_loop(duration=TICKS * 0.002)
    listener.connect(world, plant)
    world.run(plant)
    for topic in (TORQUE_COMMAND, TORQUE_APPLIED):
        listener.receive(world, topic, TICKS)
    codec = TorqueCodec(simulation.robot, TORQUE_APPLIED)
    stamps = [(k + 1) * simulation.control_period_ns for k in range(TICKS)]
    assert [codec.decode(raw)[0] for raw in listener.of(TORQUE_COMMAND)] == stamps
    applied = [codec.decode(raw) for raw in listener.of(TORQUE_APPLIED)]
    assert [stamp for stamp, _ in applied] == stamps
    np.testing.assert_array_equal([fields["effort"] for _, fields in applied], simulation.written)


def test_state_goes_out_before_the_clock_of_its_time(world, closed_loop) -> None:
    listener = world.add(
        Listener(JOINT_FORCES, IMU, IMUS, JOINT_STATES, SIM_ODOMETRY, SIM_JOINT_STATES, CLOCK)
    )
    plant = closed_loop(duration=TICKS * 0.002)
    listener.connect(world, plant)
    world.run(plant)
    listener.receive(world, CLOCK, TICKS)
    tick = [*[IMU] * 4, JOINT_FORCES, IMUS, JOINT_STATES, SIM_ODOMETRY, SIM_JOINT_STATES, CLOCK]
    first = [topic for topic, raw in listener.received if stamp_of(raw) == PERIOD_NS]
    assert sorted(first, key=tick.index) == tick and first.index(IMUS) < first.index(JOINT_STATES)
    for samples in (IMU, JOINT_FORCES):
        assert first.index(samples) < first.index(JOINT_STATES)
    later = [topic for topic, raw in listener.received if stamp_of(raw) > PERIOD_NS]
    assert later == tick * (TICKS - 1)


def test_true_contacts_of_some_ticks_go_out_together_and_those_of_the_last_at_the_end(
    world, closed_loop
) -> None:
    """They are only watched, and cost more than the physics when made tick by tick."""
    listener = world.add(Listener(SIM_CONTACTS, CLOCK))
    plant = closed_loop(duration=TICKS * 0.002)
    listener.connect(world, plant)
    world.run(plant)
    listener.receive(world, CLOCK, TICKS)
    listener.receive(world, SIM_CONTACTS, TICKS)
    now, arrived, late = 0, [], []
    for topic, raw in listener.received:
        if topic is CLOCK:
            now = stamp_of(raw)
        else:
            arrived.append(stamp_of(raw))
            late.append(now - arrived[-1])
    assert arrived == [k * PERIOD_NS for k in range(1, TICKS + 1)]
    assert TICKS % UNPACED and 0 < max(late) <= UNPACED * PERIOD_NS


def test_a_run_that_cannot_arm_itself_says_what_it_waits_for(
    world, closed_loop, simulation, monkeypatch, capfd
) -> None:
    """On a computer so busy that every answer is late it would pass without a torque or a word."""
    monkeypatch.setattr("boa_control.ros.plant.report.COMMAND_PATIENCE", 0.0)
    simulation.now_ns = count(PERIOD_NS, 2 * PERIOD_NS).__next__
    assert world.run(closed_loop(duration=0.02)) == 0
    assert "arm" not in simulation.calls
    assert "waiting for a torque_command within a tick of 2 ms, to arm" in capfd.readouterr().err


def test_a_run_says_once_that_no_command_has_come_and_when_one_has(
    world, closed_loop, robot, monkeypatch, capfd
) -> None:
    """As where the controller has to compile its loops first: its first commands are held back."""
    monkeypatch.setattr("boa_control.ros.plant.report.COMMAND_PATIENCE", 0.0)
    take, held = CommandInbox.take, count()

    def take_late(inbox, raw, stamp_ns) -> None:
        if next(held) > 5:
            take(inbox, raw, stamp_ns)

    monkeypatch.setattr(CommandInbox, "take", take_late)
    plant = closed_loop(FakeRobot(robot), duration=None, lockstep=False, arm=False)
    assert (
        world.run(plant, lambda: plant._inbox.newest is not None and not plant._report._uncommanded)
        == 0
    )
    said = capfd.readouterr().err
    waiting, there = "waiting for the first torque_command", "the first torque_command is there"
    assert said.count("torque_command") == said.count(waiting) + said.count(there) == 2
    assert said.index(waiting) < said.index(there)


def test_a_frame_that_was_on_its_way_for_long_is_answered_in_time(
    world, closed_loop, simulation
) -> None:
    """As over the spine at 100 Hz, where all boards have answered after eight tenths of a tick."""
    simulation.now_ns = lambda: simulation.stamp_ns + round(1.1 * PERIOD_NS)
    assert world.run(closed_loop(duration=0.02)) == 0
    assert "arm" in simulation.calls


def test_a_run_of_a_robot_whose_ticks_are_left_out_lasts_its_time(
    world, closed_loop, simulation
) -> None:
    """Every second tick is missing."""
    write = simulation.write

    def skip(torque) -> None:
        write(torque)
        simulation.stamp_ns += PERIOD_NS

    simulation.write = skip
    assert world.run(closed_loop(duration=TICKS * 0.002)) == 0
    assert len(simulation.written) == TICKS / 2 + 1


def test_a_start_that_is_refused_ends_a_run_of_a_robot(
    world, closed_loop, robot, controller
) -> None:
    """Which tells no pose by which a run could end, as that of a simulation does."""
    step = controller.step

    def refuse(frame):
        refused = Event(kind=EventKind.START_REFUSED, reason=Refused.LAID_ELSEWHERE, note="away")
        return step(frame)._replace(torque=np.zeros(robot.joints), events=(refused,))

    controller.step = refuse
    plant = closed_loop(FakeRobot(robot), duration=None, lockstep=False)
    listener = world.add(Listener(EVENT_STATUS))
    listener.connect(world, plant)
    assert world.run(plant) == 0
    states = {told.event.kind: told.event.state for told in ended(world, listener)}
    assert states[EventKind.RUN_ENDED] == Reason.REFUSED


def test_outside_lockstep_the_tick_does_not_wait_for_the_answer(
    world, closed_loop, simulation, controller
) -> None:
    step = controller.step
    silent_at: list[int] = []
    until_stale = round(1.5 * simulation.robot.limits.command_age / 0.002)

    def fall_silent(frame):
        if controller.ticks >= 20 and not silent_at:
            world.programs[1]._publishers.pop(TORQUE_COMMAND)
            silent_at.append(len(simulation.written))
        return step(frame)

    controller.step = fall_silent
    plant = closed_loop(duration=None, speed=1.0, lockstep=False)
    world.run(plant, lambda: silent_at and len(simulation.written) >= silent_at[0] + until_stale)
    torque = np.abs(np.array(simulation.written)).max(axis=1)
    assert torque.max() > 0.0 and torque[-1] == 0.0, (
        "time goes on, and an old command fades to zero"
    )


def test_a_computer_that_is_too_slow_for_the_pace_still_serves_commands_and_requests(
    world, closed_loop, simulation, controller
) -> None:
    """At 1000 times real time every tick of 2 us is over before it has begun."""
    plant = closed_loop(duration=None, speed=1000.0, lockstep=False)
    disarming = Node("disarming")
    world.executor.add_node(disarming)
    caller = disarming.create_client(Trigger, "/boa/plant/disarm")
    world.wait_for(caller.service_is_ready)
    answers = []

    def disarmed() -> bool:
        if len(controller.seen) >= 5 and not answers:
            answers.append(caller.call_async(Trigger.Request()))
        return bool(answers) and answers[0].done()

    world.run(plant, disarmed)
    assert answers[0].result().message == "disarmed"
    world.executor.remove_node(disarming)
    disarming.destroy_node()


def test_what_ends_a_run_at_its_last_tick_is_told_before_the_time(
    world, closed_loop, simulation
) -> None:
    """As without ROS."""
    plant = closed_loop(duration=TICKS * 0.002)
    exceeded = Reason.CONTACT_FORCE
    plant._ending = SimpleNamespace(
        exceeded=lambda truth: exceeded, take=list, reached=lambda _: None
    )
    plant._ticks = TICKS
    plant._first_ns, plant._frame = PERIOD_NS, SimpleNamespace(stamp_ns=TICKS * PERIOD_NS)
    decision = SimpleNamespace(faults=())
    assert plant._why_ended(decision, simulation.truth()).reason is Reason.CONTACT_FORCE
    exceeded = None
    assert plant._why_ended(decision, simulation.truth()).reason is Reason.DURATION


def test_the_robot_stays_turned_where_the_heading_is_missing(closed_loop, simulation) -> None:
    """On a robot, which knows no truth, one lost sample must not turn the picture back."""
    topics = closed_loop()._topics
    turned = []
    topics._transforms = SimpleNamespace(publish=lambda _, base, joints: turned.append(base[2]))
    for k, yaw in enumerate((1.2, np.nan, 1.3), 1):
        frame = simulation.read()
        assert frame.imu is not None
        imu = frame.imu._replace(heading=np.full(frame.imu.yaw.size, yaw))
        topics.views(frame._replace(stamp_ns=k * 10**9, imu=imu), None)
    np.testing.assert_allclose(np.diff(turned), [0.0, 0.1], atol=1e-9)
