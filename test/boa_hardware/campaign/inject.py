# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How faults are injected: scripts that begin with the injection, and changes of the trial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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
from boa_hardware.emulator.link_physics import LinkPhysics, LinkReading
from boa_hardware.emulator.script import FaultScript
from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.emulator.servo_physics import ServoPhysics, ServoState
from boa_hardware.servo import protocol
from boa_hardware.spine.protocol import Opcode, arbitration_id
from test.boa_hardware.campaign.trial import Trial
from test.boa_hardware.free_joint import FreeJoint


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
        table = trial.robot.boa.chain.servo(servo).table
        for name, raw in values.items():
            table[name] = raw

    return act


class _Seat:
    """A servo's physics behind another seat: what it measures is changed, and its motor's sign."""

    def __init__(
        self, inner: ServoPhysics, change: Callable[[ServoState], ServoState], motor: float
    ) -> None:
        self._inner = inner
        self._change = change
        self._motor = motor

    def drive(self, current: float | None, now: float) -> None:
        """See ServoPhysics."""
        self._inner.drive(None if current is None else self._motor * current, now)

    def state(self, now: float) -> ServoState:
        """See ServoPhysics."""
        return self._change(self._inner.state(now))


def seat(
    joint: int,
    change: Callable[[ServoState], ServoState],
    motor: float = 1.0,
    *,
    frozen: bool = False,
) -> Callable[[Trial], None]:
    """The servo of a joint measures something else from now on; `frozen`: what it measures now."""

    def act(trial: Trial) -> None:
        servo = trial.robot.boa.chain.servo(joint)
        right = servo.physics
        now = right.state(trial.now)
        servo.physics = _Seat(right, (lambda _: now) if frozen else change, motor)
        trial.healing.append(lambda: setattr(servo, "physics", right))

    return act


def replay(joint: int) -> Callable[[Trial], None]:
    """A servo repeats the registers of its last answer, its clock included."""

    def act(trial: Trial) -> None:
        servo = trial.robot.boa.chain.servo(joint)
        kept = bytes(servo.table.memory)
        read = servo.read

        def again(address: int, size: int) -> bytes:
            read(address, size)
            servo.table.memory[120:147] = kept[120:147]
            return servo.table.read(address, size)

        servo.read = again
        trial.healing.append(lambda: setattr(servo, "read", read))

    return act


def answers_when(joint: int, answers: Callable[[int], bool]) -> Callable[[Trial], None]:
    """A servo answers in some ticks only."""

    def act(trial: Trial) -> None:
        servo = trial.robot.boa.chain.servo(joint)
        turn = iter(range(1_000_000))

        def switch() -> None:
            servo.silent = not answers(next(turn))

        trial.each_tick.append(switch)

    return act


def stalls(every: float, lasts: float) -> Callable[[float], FaultScript]:
    """The adapter loses all answers for a while, again and again, for 12 s."""

    def script(start: float) -> FaultScript:
        begins = [start + number * every for number in range(round(12.0 / every))]
        entries = [{"kind": "lose", "start": at, "stop": at + lasts} for at in begins]
        return FaultScript.model_validate({"servo_line": entries})

    return script


def imus_swapped(one: int, other: int) -> Callable[[Trial], None]:
    """The boards of two links read each other's IMUs."""
    return _swapped(one, other, lambda own, its: _Imu(own, its))


def forces_swapped(one: int, other: int) -> Callable[[Trial], None]:
    """The boards of two links read each other's force sensors."""
    return _swapped(one, other, lambda own, its: _Imu(its, own))


def _swapped(
    one: int, other: int, mixed: Callable[[LinkPhysics, LinkPhysics], LinkPhysics]
) -> Callable[[Trial], None]:
    def act(trial: Trial) -> None:
        boards = {board.link: board for board in trial.robot.boa.spine.boards}
        first, second = boards[one], boards[other]
        kept = first._physics, second._physics

        def put(a: LinkPhysics, b: LinkPhysics) -> None:
            first._physics, second._physics = a, b

        put(mixed(*kept), mixed(*reversed(kept)))
        trial.healing.append(lambda: put(*kept))

    return act


def turned_imu(link: int) -> Callable[[Trial], None]:
    """The IMU of a link is mounted upside down."""

    def act(trial: Trial) -> None:
        board = next(board for board in trial.robot.boa.spine.boards if board.link == link)
        kept = board._physics
        board._physics = _Imu(kept, kept, -1.0)
        trial.healing.append(lambda: setattr(board, "_physics", kept))

    return act


class _Imu:
    """A link's physics with another link's IMU, or a turned one."""

    def __init__(self, own: LinkPhysics, imu: LinkPhysics, sign: float = 1.0) -> None:
        self._own = own
        self._imu = imu
        self._sign = sign

    def reading(self, now: float) -> LinkReading:
        """See LinkPhysics."""
        own, imu = self._own.reading(now), self._imu.reading(now)
        return replace(own, yaw=self._sign * imu.yaw, yaw_rate=self._sign * imu.yaw_rate)


def goals_of_another(count: int, every: int) -> Callable[[Trial], None]:
    """Another program sync-writes Goal Current, counts, to all servos, just before this one does;
    those torques are its own.
    """

    def act(trial: Trial) -> None:
        raw = count.to_bytes(2, "little", signed=True)
        packet = protocol.sync_write(dict.fromkeys(range(1, trial.joints + 1), raw), 102)
        trial.boa.witness.others.add(packet)
        turn = iter(range(1, 1_000_000))

        def speak() -> None:
            if next(turn) % every == 0:
                trial.robot.line.receive(packet)

        trial.each_tick.append(speak)

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
