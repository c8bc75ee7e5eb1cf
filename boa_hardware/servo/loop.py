# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One tick of the servo side: the newest torque out, all servos in, faults latched, a lost port
opened again.

`tick` is called at the control rate, in the robot by a thread of its own; everything else by the
plant's owner. A lock keeps them apart, because a bus carries one conversation at a time.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.servo.errors import BusGoneError
from boa_hardware.servo.faults import FaultLatch, cycle_faults, gap_texts, supply_texts
from boa_hardware.servo.quality import BusQuality
from boa_hardware.servo.settings import ServoBusSettings
from boa_hardware.servo.torque import TorqueMap
from boa_hardware.servo.transport import ServoTransport

# s for a cycle under way; who holds the bus longer has begun by switching torque off
DISARM_PATIENCE = 0.1


class _Bus:
    """Who has the bus: the loop tick by tick, or the owner for a conversation; the owner goes
    first.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._owner_waits = 0

    @contextlib.contextmanager
    def owner(self, patience: float = -1.0) -> Iterator[bool]:
        """Take the bus, waiting for at most `patience` s (negative: for as long as it takes); False
        if it is busy.
        """
        self._owner_waits += 1
        try:
            free = self._lock.acquire(timeout=patience)
        finally:
            self._owner_waits -= 1
        try:
            yield free
        finally:
            if free:
                self._lock.release()

    @contextlib.contextmanager
    def loop(self) -> Iterator[bool]:
        """Take the bus if nobody else has it or wants it."""
        free = not self._owner_waits and self._lock.acquire(blocking=False)
        try:
            yield free
        finally:
            if free:
                self._lock.release()


@dataclass(frozen=True, slots=True)
class LoopTimes:
    """Times of the servo loop, s.

    Attributes:
        command_hold: torque goes to zero when nothing is commanded for so long.
        period: from one tick to the next.
        reconnect_first, reconnect_longest: wait before a lost port is tried; doubles.
    """

    command_hold: float
    period: float
    reconnect_first: float
    reconnect_longest: float


class ServoLoop:
    """Servos of one robot, cycled.

    Args:
        transport: how they are reached.
        joint_names: from tail to head.
        servos: their settings.
        times: how long commands hold, when a lost port is tried again.
        other_faults: faults that a sample shows together with the rest of the robot; asked every
            tick.
        on_fault: called with the first text when something latches, torque being off already.
        monotonic_ns: clock of all times here.
    """

    def __init__(
        self,
        transport: ServoTransport,
        joint_names: Sequence[str],
        servos: ServoBusSettings,
        times: LoopTimes,
        *,
        other_faults: Callable[[ServoCycle], tuple[str, ...]],
        on_fault: Callable[[str], None],
        monotonic_ns: Callable[[], int],
    ) -> None:
        self._transport = transport
        self._names = joint_names
        self._times = times
        self._servos = servos
        self._torques = TorqueMap.of([joint.torque for joint in self._servos.joints])
        self._other_faults = other_faults
        self._on_fault = on_fault
        self._now_ns = monotonic_ns
        self._bus = _Bus()
        self._latch = FaultLatch()
        self._quality = BusQuality(len(joint_names), times.period)
        self._command: tuple[Array, int] | None = None
        self._newest: ServoCycle | None = None
        self._gone: BusGoneError | None = None
        self._next_try_ns = 0
        self._pause = times.reconnect_first
        self.reconnects = 0

    # what the owner sees

    @property
    def armed(self) -> bool:
        """Torque commands act; the transport keeps it."""
        return self._transport.armed

    @property
    def faults(self) -> tuple[str, ...]:
        """Latched faults."""
        return self._latch.texts

    @property
    def warnings(self) -> tuple[str, ...]:
        """What can be borne for a while: answers that are missing now and then, a low supply."""
        cycle = self._newest
        low = () if cycle is None else supply_texts(cycle, self._servos, self._names)
        return (*gap_texts(self._quality.doubtful, self._servos, self._names), *low)

    @property
    def newest(self) -> ServoCycle | None:
        """The sample of the newest tick; None before the first."""
        return self._newest

    @property
    def connected(self) -> bool:
        """The port is open."""
        return self._gone is None

    def torque(self, cycle: ServoCycle) -> Array:
        """Joint torque, N m, that the measured currents of a sample mean."""
        return self._torques.torque(cycle.current, cycle.velocity)

    def command(self, torque: Array) -> None:
        """Use these torques (n_joints,), N m, from the next tick on, for at most `command_hold`."""
        self._command = (torque.copy(), self._now_ns())

    # verbs of the owner

    def connect(self) -> None:
        """Open and prepare. Raises PlantError."""
        with self._bus.owner():
            self._transport.connect()

    def arm(self) -> None:
        """Torque on, at zero. Raises PlantError with the reason."""
        with self._bus.owner():
            if self._transport.armed:
                return
            if self._latch:
                raise PlantError(f"cannot arm, fault: {self._latch.texts[0]}")
            self._command = None
            self._transport.arm()
            self._quality.interrupted()

    def disarm(self) -> None:
        """Torque off at once. Never raises."""
        # first: a tick under way in the other thread sends no torque after this one
        self._transport.armed = False
        self._command = None
        with self._bus.owner(DISARM_PATIENCE) as free:
            if free:
                self._transport.disarm()
                self._quality.interrupted()

    def reset_fault(self) -> None:
        """Prepare all servos again and forget the faults; ends disarmed.

        Raises PlantError, faults stay then.
        """
        self.disarm()
        with self._bus.owner():
            self._transport.recover()
            self._quality.restart()
            self._gone, self._pause = None, self._times.reconnect_first
            self._latch.clear()

    def close(self) -> None:
        """Torque off, bus released. Never raises."""
        self._transport.armed = False
        with self._bus.owner():
            self._transport.close()

    # the tick

    def tick(self) -> None:
        """Exchange with all servos, judge, remember.

        Left out while the owner has the bus or waits for it.
        """
        with self._bus.loop() as free:
            if not free:
                self._quality.interrupted()
                return
            try:
                cycle = self._exchange()
                self._quality.update(cycle.stamp_ns, cycle.valid)
                faults = (
                    *cycle_faults(cycle, self._servos, self._names),
                    *gap_texts(self._quality.few, self._servos, self._names),
                    *self._other_faults(cycle),
                    *self._lost(),
                )
                if self._latch.add(faults):
                    self._stop(faults[0])
            except BaseException:
                self._transport.disarm()
                raise
            self._newest = cycle

    def _stop(self, reason: str) -> None:
        self._command = None
        self._transport.disarm()
        self._on_fault(reason)

    def _exchange(self) -> ServoCycle:
        if self._gone is not None:
            self._try_reconnect()
        if self._gone is None:
            try:
                return self._transport.cycle(self._motor_torque())
            except BusGoneError as error:
                self._gone = error
                self._transport.armed = False
                self._next_try_ns = self._now_ns() + round(self._pause * 1e9)
        return self._aged()

    def _motor_torque(self) -> Array | None:
        """Motor torques for the newest command, N m; None while disarmed."""
        if not self._transport.armed:
            return None
        command, newest = self._command, self._newest
        if command is None or self._now_ns() - command[1] > self._times.command_hold * 1e9:
            return np.zeros(len(self._names))
        velocity = np.zeros(len(self._names))
        if newest is not None:  # the friction of a joint that has not answered is not known
            velocity = np.where(newest.valid, np.nan_to_num(newest.velocity), 0.0)
        return self._torques.motor_torque(command[0], velocity)

    def _aged(self) -> ServoCycle:
        """The last sample once more, older; what there is while the port is gone.

        Raises:
            BusGoneError: it went before the first sample.
        """
        now_ns, old = self._now_ns(), self._newest
        if old is None:
            assert self._gone is not None
            raise self._gone
        return replace(
            old,
            stamp_ns=now_ns,
            age=old.age + (now_ns - old.stamp_ns) * 1e-9,
            valid=np.zeros_like(old.valid),
            misses=old.misses + 1,
        )

    def _lost(self) -> tuple[str, ...]:
        return () if self._gone is None else (f"servo bus: {self._gone}",)

    def _try_reconnect(self) -> None:
        now_ns = self._now_ns()
        if now_ns < self._next_try_ns:
            return
        try:
            self._transport.reconnect()
        except PlantError:
            self._pause = min(2 * self._pause, self._times.reconnect_longest)
            self._next_try_ns = now_ns + round(self._pause * 1e9)
        else:
            self._gone, self._pause = None, self._times.reconnect_first
            self.reconnects += 1
