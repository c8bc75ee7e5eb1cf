# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Emulated Boa in simulated time, in one thread: deterministic, and as fast as the machine allows.

The drivers are the real ones; only the bytes' and frames' transport and the clock are replaced.
Each bus has its own clock, so that a wait on one does not hold up the other, as with real adapters.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import can

from boa_control.plant import PlantError
from boa_hardware.assembly import servo_transport
from boa_hardware.clock import RobotClock
from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.emulator.can_wire import WireFrame
from boa_hardware.emulator.spine_emulator import BRAIN, EmulatedSpine
from boa_hardware.robot_plant import RobotPlant
from boa_hardware.runner import LoopStats
from boa_hardware.spine.bus import SpineBus
from boa_hardware.spine.health import CAN_ERR_BUSOFF
from test.boa_hardware.virtual_line import VirtualClock, VirtualLine

WALL_START_NS = 1_700_000_000 * 10**9


class VirtualCan(can.BusABC):
    """The Brain's CAN adapter in simulated time; tells bus-off by an error frame, as SocketCAN
    does.
    """

    def __init__(self, boa: EmulatedBoa, clock: VirtualClock) -> None:
        self._boa = boa
        self._clock = clock
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
            self._frames.append(
                can.Message(arbitration_id=CAN_ERR_BUSOFF, is_error_frame=True, data=bytes(8))
            )

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        """See can.BusABC."""
        self._check()
        if not self._off:
            self._boa.spine.send(
                WireFrame(msg.arbitration_id, bytes(msg.data), BRAIN, fd=msg.is_fd),
                self._clock.now_ns,
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
                    can.Message(
                        arbitration_id=frame.identifier,
                        data=frame.data,
                        is_extended_id=False,
                        is_fd=frame.fd,
                    )
                )


class VirtualRunner:
    """A `Runner` that lets simulated time pass whenever the owner waits.

    Args:
        line, spine: the emulated buses.
        clock, can_clock: of the servo loop and of the spine; the same one with topology spine.
    """

    def __init__(
        self, line: VirtualLine, spine: EmulatedSpine, clock: VirtualClock, can_clock: VirtualClock
    ) -> None:
        self._line = line
        self._boards = spine
        self._servo_clock = clock
        self._can_clock = can_clock
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
            self._next_spine_ns = max(
                self._next_spine_ns + self._spine_period_ns, self._can_clock.now_ns
            )
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
        self.line = VirtualLine(
            boa.chain,
            boa.line_faults,
            self.clock,
            unplugged=boa.line_unplugged,
            watch=boa.apply_faults,
        )
        self.line.plug()
        on_spine = settings.topology == "spine"
        self.can_clock = self.clock if on_spine else VirtualClock()
        spine = SpineBus(
            settings.spine_settings(), boa.robot, opener=self._open_can, clock_ns=self.can_clock
        )
        self.runner = VirtualRunner(self.line, boa.spine, self.clock, self.can_clock)
        rate = control_rate or (settings.spine.sensor_rate if on_spine else 200.0)
        self.wall_time_ns = WALL_START_NS
        self.wall = RobotClock(self.clock, lambda: self.wall_time_ns)
        self.plant = RobotPlant(
            boa.robot,
            settings,
            servo_transport(
                boa.robot,
                settings.model_copy(update={"serial_port": "virtual"}),
                spine,
                self.line.host,
            ),
            spine,
            self.runner,
            rate,
            self.wall,
        )

    def _open_can(self, channel: str, *, fd: bool = False) -> can.BusABC:
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
