"""The emulated Boa in simulated time, in one thread: deterministic, and as fast as the machine allows.

The drivers are the real ones; only the bytes' and frames' transport and the clock are replaced. Each bus has its
own clock, so that a wait on one does not hold up the other, as with real adapters.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable

import can

from boa_control.plant import PlantError
from boa_hardware.clock import RobotClock
from boa_hardware.config import RobotSettings
from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.emulator.can_wire import WireFrame
from boa_hardware.emulator.servo_line import ServoLine
from boa_hardware.emulator.spine_emulator import BRAIN, EmulatedSpine
from boa_hardware.loop_stats import LoopStats
from boa_hardware.robot_plant import RobotPlant
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.errors import BusGoneError
from boa_hardware.servo.sdk import ServoPort
from boa_hardware.servo.torque import TorqueMap
from boa_hardware.servo_transport import Rs485Servos, ServoTransport, SpineServos
from boa_hardware.spine.bus import SpineBus
from boa_hardware.spine.health import CAN_ERR_BUSOFF
from boa_hardware.spine.servo_transport import SpineServoTransport

WALL_START_NS = 1_700_000_000 * 10**9
SLICE = 0.005  # s; faults of servos begin and end at least so often


class VirtualClock:
    """Simulated time, ns; a callable like `time.monotonic_ns`."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns

    def advance_to(self, now_ns: int) -> None:
        """Never runs back."""
        self.now_ns = max(self.now_ns, now_ns)


class VirtualLine(ServoLine):
    """The servo line without a pseudo-terminal: what the servos send is taken from `received`."""

    def __init__(self, boa: EmulatedBoa, clock: VirtualClock) -> None:
        super().__init__(boa.chain, boa.line_faults, clock=lambda: clock.now_ns * 1e-9)
        self.received = bytearray()
        self.baud = 0
        self._boa, self._ns = boa, clock

    @property
    def unplugged(self) -> bool:
        """The adapter is out."""
        return self._boa.line_unplugged(self.clock())

    def hear(self, data: bytes) -> None:
        """The host sends."""
        self._boa.apply_faults(self.clock())
        self._hear(data, self.clock())

    def wait(self, deadline_ns: int) -> None:
        """Let time pass until bytes arrive or until the deadline."""
        while not self.received and self._ns.now_ns < deadline_ns:
            due_ns = -(-self._outbox[0][0] * 1e9 // 1) if self._outbox else deadline_ns
            self._ns.advance_to(min(int(due_ns), deadline_ns))
            self.deliver_due()

    def deliver_due(self) -> None:
        """Bytes that have arrived by now become readable."""
        while self._outbox and self._outbox[0][0] <= self.clock() + 1e-9:
            self._deliver(heapq.heappop(self._outbox)[2])

    def let_pass(self, until_ns: int) -> None:
        """Let time pass without the host listening."""
        while self._ns.now_ns < until_ns:
            self._ns.advance_to(min(until_ns, self._ns.now_ns + round(SLICE * 1e9)))
            self._boa.apply_faults(self.clock())
            self.turn(readable=False)

    def _deliver(self, data: bytes) -> None:
        self.received += data

    def _host_baud(self) -> int:
        return self.baud


class VirtualPort(ServoPort):
    """The host's end of a `VirtualLine`."""

    def __init__(self, name: str, baud: int, line: VirtualLine) -> None:
        self._line = line
        super().__init__(name, baud)

    def now_ns(self) -> int:
        """See ServoPort."""
        return self._line._ns.now_ns

    def setupPort(self, cflag_baud: int) -> bool:  # noqa: N802
        """See ServoPort."""
        self._require_plugged()
        self.is_open = True
        self._line.baud = cflag_baud
        self._line.received.clear()
        self.tx_time_per_byte = 10_000.0 / self.baudrate
        return True

    def closePort(self) -> None:  # noqa: N802
        """See ServoPort."""
        self.is_open = False

    def clearPort(self) -> None:  # noqa: N802
        """See ServoPort."""
        self._require_plugged()
        self._line.deliver_due()
        self._line.received.clear()

    def writePort(self, packet: bytes | list[int]) -> int:  # noqa: N802
        """See ServoPort."""
        if not self.is_open:
            raise BusGoneError(f"serial port {self.port_name} is not open; connect first")
        self._require_plugged()
        self.last_sent_ns = self.now_ns()
        self._line.hear(bytes(packet))
        return len(packet)

    def readPort(self, length: int) -> bytes:  # noqa: N802
        """See ServoPort."""
        self._require_plugged()
        self._line.wait(self._deadline_ns)
        data = bytes(self._line.received[:length])
        del self._line.received[:length]
        return data

    def isPacketTimeout(self) -> bool:  # noqa: N802
        """The deadline is reached: here reading ends exactly then."""
        return self.now_ns() >= self._deadline_ns

    def _require_plugged(self) -> None:
        if self._line.unplugged:
            self.is_open = False
            raise BusGoneError(f"serial port {self.port_name} has gone (unplugged); plug the adapter in again")


class VirtualCan(can.BusABC):
    """The Brain's CAN adapter in simulated time; tells bus-off by an error frame, as SocketCAN does."""

    def __init__(self, boa: EmulatedBoa, clock: VirtualClock) -> None:
        self._boa, self._clock = boa, clock
        self._frames: deque[can.Message] = deque()
        self._off = False
        super().__init__("virtual time")

    @property
    def _now(self) -> float:
        return self._clock.now_ns * 1e-9

    def _check(self) -> None:
        if self._boa.spine_faults.active("unplug", None, self._now):
            raise can.CanOperationError("the adapter is gone")
        if self._boa.spine_faults.active("bus_off", None, self._now) and not self._off:
            self._off = True
            self._frames.append(can.Message(arbitration_id=CAN_ERR_BUSOFF, is_error_frame=True, data=bytes(8)))

    def send(self, msg: can.Message, timeout: float | None = None) -> None:  # noqa: ARG002
        """See can.BusABC."""
        self._check()
        if not self._off:
            self._boa.spine.send(
                WireFrame(msg.arbitration_id, bytes(msg.data), BRAIN, fd=msg.is_fd), self._clock.now_ns
            )

    def recv(self, timeout: float | None = None) -> can.Message | None:
        """See can.BusABC."""
        self._check()
        if not self._frames:
            self._wait(timeout or 0.0)
        return self._frames.popleft() if self._frames else None

    def _wait(self, timeout: float) -> None:
        latest = self._clock.now_ns + round(timeout * 1e9)
        event = self._boa.spine.next_event_ns()
        self._clock.advance_to(latest if event is None else min(event, latest))
        for item in self._boa.spine.run_to(self._clock.now_ns):
            frame = item.frame
            if frame.sender != BRAIN and not self._off:
                self._frames.append(
                    can.Message(arbitration_id=frame.identifier, data=frame.data, is_extended_id=False, is_fd=frame.fd)
                )


class VirtualRunner:
    """A `Runner` that lets simulated time pass whenever the owner waits.

    Args:
        line, spine: the emulated buses.
        clock, can_clock: of the servo loop and of the spine; the same one with topology spine.
    """

    def __init__(self, line: VirtualLine, spine: EmulatedSpine, clock: VirtualClock, can_clock: VirtualClock) -> None:
        self._line, self._boards = line, spine
        self._servo_clock, self._can_clock = clock, can_clock
        self.stats = LoopStats(1.0)
        self._tick: Callable[[], None] | None = None

    def start(self, tick: Callable[[], None], period: float, spine: SpineBus | None) -> None:
        """See Runner."""
        self.stats = LoopStats(period)
        self._tick, self._period_ns, self._spine = tick, round(period * 1e9), spine
        self._next_ns = self._servo_clock.now_ns
        self._next_spine_ns = self._servo_clock.now_ns
        self._spine_period_ns = round(1e9 / spine.settings.sensor_rate) if spine is not None else 0
        if spine is not None:
            spine.open()

    def wait(self, ready: Callable[[], bool], timeout: float) -> bool:
        """See Runner."""
        end_ns = self._servo_clock.now_ns + round(timeout * 1e9)
        while not ready() and self._tick is not None and self._servo_clock.now_ns < end_ns:
            self.step()
        return ready()

    def step(self) -> None:
        """One control tick, and a sensor cycle if its time has come."""
        assert self._tick is not None
        now_ns = self._servo_clock.now_ns
        if now_ns > self._next_ns:  # setting up has taken longer than a tick
            self._next_ns += -(-(now_ns - self._next_ns) // self._period_ns) * self._period_ns
        self._pass(self._next_ns)
        if self._spine is not None and self._next_ns >= self._next_spine_ns:
            self._can_clock.advance_to(self._next_ns)
            self._spine.cycle()
            self._next_spine_ns = max(self._next_spine_ns + self._spine_period_ns, self._can_clock.now_ns)
        self._tick()
        self.stats.add(0, self._servo_clock.now_ns - self._next_ns)
        self._next_ns += self._period_ns

    def _pass(self, until_ns: int) -> None:
        if self._servo_clock is self._can_clock:
            self._servo_clock.advance_to(until_ns)
            self._boards.run_to(until_ns)
        else:
            self._line.let_pass(until_ns)

    def reset_stats(self) -> None:
        """See Runner."""
        self.stats = LoopStats(self.stats.period)

    def stop(self) -> None:
        """See Runner."""
        self._tick = None


class VirtualRobot:
    """A `RobotPlant` on an emulated Boa, all in simulated time.

    Attributes:
        boa: the emulated robot.
        plant: opened by `with plant:` or `plant.open()`.
        wall: conversion to ROS time.
        wall_time_ns: what the wall clock shows; may be set.
    """

    def __init__(self, boa: EmulatedBoa, control_rate: float | None = None) -> None:
        settings = boa.settings
        self.boa = boa
        self.clock = VirtualClock()
        self.line = VirtualLine(boa, self.clock)
        self.line._descriptors = (-1, -1)
        on_spine = settings.topology == "spine"
        self.can_clock = self.clock if on_spine else VirtualClock()
        spine = SpineBus(settings.spine_settings(), boa.robot, opener=self._open_can, clock_ns=self.can_clock)
        self.runner = VirtualRunner(self.line, boa.spine, self.clock, self.can_clock)
        rate = control_rate or (settings.spine.sensor_rate if on_spine else 200.0)
        self.wall_time_ns = WALL_START_NS
        self.wall = RobotClock(self.clock, lambda: self.wall_time_ns)
        self.plant = RobotPlant(
            boa.robot, settings, self._transport(settings, spine), spine, self.runner, rate, self.wall
        )

    def _transport(self, settings: RobotSettings, spine: SpineBus) -> ServoTransport:
        servos = settings.servo_settings(self.boa.robot)
        if settings.topology == "spine":
            constant = TorqueMap.of([joint.torque for joint in servos.joints]).constant
            return SpineServos(SpineServoTransport(spine, constant, servos.current_limit))
        return Rs485Servos(ServoBus("virtual", servos, lambda name, baud: VirtualPort(name, baud, self.line)))

    def _open_can(self, channel: str, *, fd: bool = False) -> can.BusABC:  # noqa: ARG002
        if self.boa.spine_faults.active("unplug", None, self.can_clock.now_ns * 1e-9):
            raise PlantError(f"spine: cannot open '{channel}': the adapter is gone; plug it in")
        return VirtualCan(self.boa, self.can_clock)

    @property
    def now(self) -> float:
        """Time on the emulator's clock, s."""
        return self.clock.now_ns * 1e-9

    def monotonic(self, stamp_ns: int) -> float:
        """Time on the emulator's clock of a ROS stamp, s."""
        return (stamp_ns - self.wall.stamp_ns(0)) * 1e-9

    def pass_time(self, seconds: float) -> None:
        """Let time pass without the plant, as if its process were gone."""
        until_ns = self.clock.now_ns + round(seconds * 1e9)
        if self.boa.settings.topology == "rs485":
            self.line.let_pass(until_ns)
        self.clock.advance_to(until_ns)
        self.can_clock.advance_to(until_ns)
        self.boa.spine.run_to(until_ns)
