# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How long the buses and the robot plant take, measured on the emulated Boa in another process; for
`boa bench`.
"""

import multiprocessing
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_hardware.assembly import robot_plant
from boa_hardware.config import RobotSettings
from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.emulator.main import PRIORITY
from boa_hardware.emulator.server import BoaServer
from boa_hardware.emulator.servo_chain import configured_chain
from boa_hardware.emulator.servo_line import ServoLine
from boa_hardware.emulator.servo_physics import ServoState
from boa_hardware.realtime import OWN_PRIORITY_BELOW, make_punctual, priority
from boa_hardware.sensors.force import ForceSensors
from boa_hardware.sensors.imu import Imus
from boa_hardware.servo.bringup import bring_up, energised
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.pace import Ticker
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint
from boa_hardware.spine.collector import Collector
from boa_hardware.spine.protocol import Opcode, arbitration_id
from boa_hardware.spine.settings import SpineSettings

PERIOD = 0.005  # s, of the cyclic exchange
RATE = 200.0  # Hz, of the robot plant
SECONDS = 10.0  # that it runs
SETS, LINKS = 300, 13  # sample sets that are decoded, and links of which each has samples


class CycleTimes(NamedTuple):
    """Cyclic exchanges, one by one.

    Attributes:
        software_us: processor time of the calling thread (request, reply, conversion, system
            calls). wall_us: from request to sample.
        wire_us: least time on the line. baud: of the line.
        incomplete: in how many a servo's answer was missing.
    """

    software_us: Array
    wall_us: Array
    wire_us: float
    baud: int
    incomplete: int


def bench_cycle(servos: int, seconds: float = 3.0, reply_margin: float = 0.02) -> CycleTimes:
    """How long one cyclic exchange takes, the software's share beside the wire's: at 200 Hz against
    emulated servos; see ServoBusSettings.
    """
    settings = ServoBusSettings(
        joints=tuple(ServoJoint(id=number) for number in range(1, servos + 1)),
        reply_margin=reply_margin,
    )
    with (
        _beside(_servos, settings.model_dump()) as port,
        ServoBus(port, settings) as bus,
    ):
        bring_up(bus)
        with energised(bus):
            return _cycles(bus, round(seconds / PERIOD))


def _cycles(bus: ServoBus, cycles: int) -> CycleTimes:
    software, wall, incomplete = np.zeros(cycles), np.zeros(cycles), 0
    goal = np.zeros(len(bus.ids))
    ticker = Ticker(PERIOD)
    for cycle in range(cycles):
        ticker.wait()
        thread, start = time.thread_time_ns(), time.monotonic_ns()
        sample = bus.cycle(goal)
        wall[cycle] = (time.monotonic_ns() - start) / 1e3
        software[cycle] = (time.thread_time_ns() - thread) / 1e3
        incomplete += not sample.valid.all()
    return CycleTimes(software, wall, bus.wire_time() * 1e6, bus.link.baud, incomplete)


class PlantTimes(NamedTuple):
    """The punctuality of the robot plant.

    Attributes:
        numbers, late_share: as `LoopStats` has them.
        stale_ticks: in which some joint had no fresh reading.
        faults: how many were latched at the end.
    """

    numbers: dict[str, float]
    late_share: float
    stale_ticks: int
    faults: int


def bench_plant() -> PlantTimes:
    """How punctual the robot plant is, armed, with small torques: over real bytes and frames."""
    with _beside(_robot) as (serial_port, channel):
        settings = RobotSettings(serial_port=serial_port)
        spine = settings.spine.model_copy(update={"channel": channel})
        settings = settings.model_copy(update={"spine": spine})
        with priority(0):
            make_punctual(settings.realtime_priority - OWN_PRIORITY_BELOW)
            return _ticks(settings)


def _ticks(settings: RobotSettings) -> PlantTimes:
    robot = load_robot("boa13")
    phase, stale = np.arange(robot.joints), 0
    with robot_plant(robot, settings, RATE) as plant:
        plant.read()
        plant.arm()
        plant.runner.reset_stats()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            frame = plant.read()
            plant.write(0.2 * np.sin(6.0 * frame.stamp_ns * 1e-9 + phase))
            stale += bool((frame.joint_age > 0).any())
        stats = plant.runner.stats
        return PlantTimes(stats.numbers(), stats.late_share, stale, len(frame.faults))


@contextmanager
def _beside(serve: Callable[..., None], *given: Any) -> Iterator[Any]:
    """What the other process sends first; `serve` gets its end of the pipe and `given`, and goes on
    until it is told to stop.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there, *given), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        here.send("stop")
        process.join(5)


class _Still:
    """A joint that nothing moves."""

    def drive(self, current: float | None, now: float) -> None:
        """See ServoPhysics."""

    def state(self, now: float) -> ServoState:  # noqa: ARG002
        """See ServoPhysics."""
        return ServoState(position=np.pi, velocity=0.0, current=0.0, temperature=25.0, voltage=24.0)


def _servos(pipe: Connection, settings: dict[str, Any]) -> None:
    """Emulated servos until told to stop."""
    wired = ServoBusSettings.model_validate(settings)
    chain = configured_chain(wired, [_Still()] * len(wired.joints), now=time.monotonic())
    with ServoLine(chain) as line:
        pipe.send(line.port)
        pipe.recv()


def _robot(pipe: Connection) -> None:
    """An emulated Boa until told to stop."""
    boa = EmulatedBoa(real_time=True)
    make_punctual(PRIORITY)
    with BoaServer(boa) as server:
        pipe.send((server.serial_port, server.channel))
        pipe.recv()


def bench_decoding() -> Array:
    """How long the Brain needs for one sample set of the spine, software without bus and waiting:
    ACC, IMU and CFS of every link.

    Returns:
        Shape (SETS, 2), s: to sort and decode all frames of a set (cantools), and to make newtons,
        ranges and yaw of it.
    """
    settings = SpineSettings()
    robot = load_robot("boa13", links=LINKS)
    collector, force = Collector(settings, LINKS), ForceSensors(robot, settings.force)
    imus = Imus(LINKS, settings.imu)
    generator = np.random.default_rng(0)
    rows = []
    for step in range(SETS):
        frames = _frames(generator)
        stamp_ns = step * 10_000_000
        begun = time.perf_counter()
        collector.begin(stamp_ns)
        for identifier, data in frames:
            collector.accept(identifier, data, stamp_ns)
        sensors = collector.close()
        decoded = time.perf_counter()
        force.read(sensors.cfs[1:], stamp_ns)
        imus.read(sensors.yaw, sensors.yaw_rate, sensors.acceleration, stamp_ns)
        rows.append((decoded - begun, time.perf_counter() - decoded))
    return np.array(rows)


def _frames(generator: np.random.Generator) -> list[tuple[int, bytes]]:
    frames = []
    for link in range(1, LINKS + 1):
        ax, ay, rate, yaw = generator.normal(0, 1, 4)
        frames.append((arbitration_id(Opcode.ACC, link), struct.pack("<ff", ax, ay)))
        frames.append((arbitration_id(Opcode.IMU, link), struct.pack("<ff", rate, 180 + yaw)))
        x, y = generator.integers(-(10**5), 10**5, 2)
        frames.append((arbitration_id(Opcode.CFS, link), struct.pack("<ii", x, y)))
    return frames
