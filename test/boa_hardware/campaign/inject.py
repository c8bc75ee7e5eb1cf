# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How faults are injected: scripts that begin with the injection, and changes of the trial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from boa_control.messages.control import TorqueCodec
from boa_control.messages.sensors import SensorDecoder, SensorEncoder
from boa_control.messages.topics import JOINT_STATES, TORQUE_COMMAND
from boa_control.plant import SensorFrame
from boa_control.ros.plant.inbox import CommandInbox
from boa_control.safety.command import Command
from boa_control.safety.torque_sources import TorqueSource
from boa_description.arrays import Array
from boa_hardware.emulator.can_wire import WireFrame
from boa_hardware.emulator.script import FaultScript
from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.emulator.servo_physics import FreeJoint
from boa_hardware.spine.protocol import Opcode, arbitration_id
from test.boa_hardware.campaign.trial import Trial


def line(
    kind: str, rate: float = 1.0, where: str = "reply", lasts: float | None = None, **more: Any
) -> Any:
    """A fault of the servo line that begins with the injection."""
    return lambda start: FaultScript.model_validate(
        {
            "servo_line": [
                {"kind": kind, "rate": rate, "where": where, **_from(start, lasts), **more}
            ]
        }
    )


def servo(kind: str, id: int | None = None, lasts: float | None = None, **more: Any) -> Any:
    """A fault of one servo, or of all."""
    return lambda start: FaultScript.model_validate(
        {"servos": [{"kind": kind, "id": id, **_from(start, lasts), **more}]}
    )


def spine(kind: str, lasts: float | None = None, **more: Any) -> Any:
    """A fault of the spine."""
    return lambda start: FaultScript.model_validate(
        {"spine": [{"kind": kind, **_from(start, lasts), **more}]}
    )


def _from(start: float, lasts: float | None) -> dict[str, Any]:
    return {"start": start} if lasts is None else {"start": start, "stop": start + lasts}


# done to the trial itself


def controller_dies(trial: Trial) -> None:
    """Its last command stays in the plant's inbox, as in a node."""
    last = trial.commands[-1]
    command = Command(last.torque, trial.robot.wall.stamp_ns(round(last.stamp * 1e9)))
    trial.answer = lambda _: command


def commands(change: Callable[[Array, int], tuple[Array, int]]) -> Callable[[Trial], None]:
    """The controller commands something else than it should: torques (N m) and stamp (ns) as
    `change` makes them.
    """

    def act(trial: Trial) -> None:
        def answer(frame: SensorFrame) -> Command:
            right = trial.shake(frame)
            return Command(*change(right.torque, right.stamp_ns))

        trial.answer = answer

    return act


def one_nan(torque: Array, stamp: int) -> tuple[Array, int]:
    """One torque is not a number."""
    torque[3] = np.nan
    return torque, stamp


def owner_hangs(trial: Trial) -> None:
    """The plant node's own loop stops; its bus thread goes on."""
    trial.owner_alive = False


def process_dies(trial: Trial) -> None:
    """SIGKILL, power cut of the computer, cable cut."""
    trial.process_alive = False


def clock_steps(seconds: float) -> Callable[[Trial], None]:
    """The wall clock is set; the plant has read it once and goes on with monotonic time."""

    def act(trial: Trial) -> None:
        trial.robot.wall_time_ns += round(seconds * 1e9)

    return act


def second_master(trial: Trial) -> None:
    """Another program sends SYNC SENSOR."""
    frame = WireFrame(arbitration_id(Opcode.SYNC_SENSOR), b"\0", sender=-1)
    trial.robot.boa.spine.send(frame, trial.robot.can_clock.now_ns)


def operator_disarms(trial: Trial) -> None:
    """~/disarm is called."""
    trial.supervisor.disarm()


# others beside the robot


def second_controller(
    node: str, *, sends: bool = True, ago: float = 0.0
) -> Callable[[Trial], None]:
    """Another publisher of torque commands connects. What it sends, opposite torques, comes in
    every other tick, with stamps `ago` seconds old.
    """

    def act(trial: Trial) -> None:
        trial.sources.append(TorqueSource(node.encode(), node))
        trial.connections += 1
        own, turn = trial.answer, iter(range(1_000_000))

        def answer(frame: SensorFrame) -> Command:
            right = own(frame)
            if next(turn) % 2:
                return right
            trial.foreign = Command(-right.torque, right.stamp_ns - round(ago * 1e9))
            return trial.foreign

        if sends:
            trial.answer = answer

    return act


def recorded_frames(trial: Trial) -> None:
    """A bag's joint_states reach the controller beside the robot's; it answers both, and the
    plant's inbox gets both answers.
    """
    robot = trial.robot.boa.robot
    inbox, codec = CommandInbox(robot), TorqueCodec(robot, TORQUE_COMMAND)

    def answer(frame: SensorFrame) -> Command:
        right = trial.shake(frame)
        recorded = Command(-right.torque, right.stamp_ns - 3600 * 10**9)
        for command in (recorded, right, recorded):
            inbox.take(codec.encode(command.stamp_ns, effort=command.torque), frame.stamp_ns)
        newest = inbox.newest
        assert newest is not None
        if newest.stamp_ns != right.stamp_ns:
            trial.foreign = newest
        return newest

    trial.answer = answer


def topics_monitor(trial: Trial) -> None:
    """`boa sensors monitor` reads what the plant publishes."""
    robot = trial.robot.boa.robot
    encoder, decoder = SensorEncoder(robot), SensorDecoder(robot)
    own = trial.answer

    def answer(frame: SensorFrame) -> Command:
        for topic, raw in encoder.encode(frame):
            if topic is JOINT_STATES:
                decoder.joint_states(raw)
            else:
                decoder.sample(topic.name, raw)
        return own(frame)

    trial.answer = answer


def on_the_line(*packets: bytes, again: bool = True) -> Callable[[Trial], None]:
    """Another program speaks on the servo line, through an adapter of its own: these packets in
    turn, one per tick, `again` and again or once.
    """

    def act(trial: Trial) -> None:
        turn = iter(range(1_000_000))

        def speak() -> None:
            number = next(turn)
            if again or number < len(packets):
                trial.robot.line.receive(packets[number % len(packets)])

        trial.each_tick.append(speak)

    return act


def servo_registers(servo: int, **values: int) -> Callable[[Trial], None]:
    """Registers of a servo are suddenly something else."""

    def act(trial: Trial) -> None:
        for name, raw in values.items():
            trial.robot.boa.chain.servo(servo).table[name] = raw

    return act


def servo_joins(servo: int) -> Callable[[Trial], None]:
    """A new servo is plugged in whose ID another one has already."""

    def act(trial: Trial) -> None:
        chain = trial.robot.boa.chain
        eeprom = {"baud_rate": chain.servo(servo).table["baud_rate"], "return_delay_time": 0}
        chain.servos.append(EmulatedServo(servo, FreeJoint(), eeprom=eeprom, now=trial.now))

    return act


def board_chatters(link: int) -> Callable[[Trial], None]:
    """A board warns in every tick, asked or not."""

    def act(trial: Trial) -> None:
        def speak() -> None:
            frame = WireFrame(arbitration_id(Opcode.WARNING, link), b"\x07", sender=link)
            trial.robot.boa.spine.send(frame, trial.robot.can_clock.now_ns)

        trial.each_tick.append(speak)

    return act
