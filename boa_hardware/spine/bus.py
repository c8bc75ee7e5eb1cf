# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Spine as the Brain runs it: SYNC SENSOR at the sensor rate, samples, bus supervision, PANIC."""

import threading
import time
from collections.abc import Callable, Mapping

import can
import numpy as np

from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_hardware.sensors.force import ForceReading, ForceSensors
from boa_hardware.sensors.imu import Imus
from boa_hardware.spine.adapter import Adapter, Opener
from boa_hardware.spine.channel import open_channel
from boa_hardware.spine.collector import Collector, SensorSet
from boa_hardware.spine.health import BROKEN
from boa_hardware.spine.protocol import (
    BROADCAST,
    MAX_LINK,
    Opcode,
    arbitration_id,
    frames,
    message,
    split,
)
from boa_hardware.spine.settings import SpineSettings
from boa_hardware.spine.status import Notices, SpineReading, SpineStatus, age_texts, bus_texts

DRAIN_LIMIT = 1000  # late frames; a board that never stops must not hold up who listens
LARGEST_COUNT = 32767  # of an i16
POLL = 0.002  # s, longest wait in one receive call, so that a stop request is seen
BRAIN_FRAMES = (
    Opcode.PANIC,
    Opcode.SYNC_SENSOR,
    Opcode.SYNC_CONTROL,
    Opcode.SET_JOINT_ANGLE,
    Opcode.SET_JOINT_ANGVEL,
    Opcode.SET_JOINT_TORQUE,
)


class SpineBus:
    """Link boards of one robot on one CAN bus.

    Either call `cycle` yourself at the sensor rate, or `start` a thread that does and take
    `newest`. Sending is thread-safe; everything else belongs to the thread that cycles.

    Args:
        settings: wire format and bus supervision.
        robot: gives the number of links.
        force: sensor processing; None takes nominal calibrations.
        opener: opens the channel (`boa_hardware.spine.channel.open_channel`).
        clock_ns: monotonic clock that stamps are taken from, ns.
    """

    def __init__(
        self,
        settings: SpineSettings,
        robot: Robot,
        *,
        force: ForceSensors | None = None,
        opener: Opener = open_channel,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        if robot.links > MAX_LINK:
            raise PlantError(
                f"spine: {robot.name} has {robot.links} links, the Spine Protocol at most "
                f"{MAX_LINK}"
            )
        self.settings = settings
        self.robot = robot
        self.force = force or ForceSensors(robot, settings.force)
        self.imus = Imus(robot.links, settings.imu)
        self._clock_ns = clock_ns
        self._adapter = Adapter(
            settings.channel,
            fd=settings.fd_frame,
            restart=settings.restart,
            opener=opener,
            now=lambda: self._clock_ns() * 1e-9,
        )
        self._collector = Collector(settings, robot.links)
        specs = frames(settings)
        self._layouts = {
            opcode: message(specs[opcode], BROADCAST, settings.byte_order)
            for opcode in BRAIN_FRAMES
        }
        self._notices = Notices()
        self._panics_to_send = 0
        self._newest: SpineReading | None = None
        self._thread: threading.Thread | None = None
        self._thread_error: str | None = None
        self._stop = threading.Event()

    # -- life ----------------------------------------------------------------------------------

    def open(self) -> None:
        """Open the channel.

        Raises:
            BoaError: the channel string is wrong.
            PlantError: it cannot be opened, with the remedy.
        """
        self._stop.clear()
        self._adapter.open()

    def require_alone(self) -> None:
        """Listen before anything is sent; call it between `open` and `start`.

        Raises:
            PlantError: another program already drives this bus.
        """
        self._receive(self._clock_ns() + round(self.settings.listening * 1e9))
        if self._notices.other_master is not None:
            raise PlantError(
                f"spine: another program drives this bus ({self._notices.other_master}); stop it "
                "first, read the running robot through its topics (`boa sensors monitor` without "
                "--can), or only listen with `python -m cantools monitor`"
            )

    def start(self) -> None:
        """Open the channel if needed and cycle in a thread of its own, at absolute deadlines."""
        if not self._adapter.is_open:
            self.open()
        self._thread = threading.Thread(target=self._run, name="spine", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread and release the channel. Never raises; may be called twice."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)
        self._thread = None
        self._adapter.close()

    def reset(self) -> None:
        """Forget latched faults: PANIC, fatal errors, over-range, another master."""
        self._panics_to_send = 0
        self._notices.clear()
        self.force.reset()

    # -- reading -------------------------------------------------------------------------------

    def newest(self) -> SpineReading | None:
        """The newest reading, None before the first.

        Raises:
            PlantError: the spine's thread has ended by an error.
        """
        if self._thread_error is not None:
            raise PlantError(f"spine: internal error, the thread has ended: {self._thread_error}")
        return self._newest

    def cycle(self) -> SpineReading:
        """Send one SYNC SENSOR and return what came for it.

        Waits for every board until the deadline, and then for boards that are alive until the
        patience is over: a disturbed bus or a busy computer lowers the sensor rate instead of
        tearing sets apart, and a dead board costs the others half a period at most.
        """
        self._adapter.restart_if_due()
        self._repeat_panic()
        self._drain()
        stamp_ns = self._clock_ns()
        self._collector.begin(stamp_ns)
        self._send(Opcode.SYNC_SENSOR, BROADCAST, {"zero": 0})
        self._collect(stamp_ns)
        self._newest = self._finish(self._collector.close())
        return self._newest

    def _collect(self, stamp_ns: int) -> None:
        settings, collector = self.settings, self._collector

        def anybody_missing() -> bool:
            return self._adapter.is_open and not collector.complete

        def living_missing() -> bool:
            return self._adapter.is_open and collector.awaits(self._clock_ns(), settings.fault_age)

        self._receive(stamp_ns + round(settings.deadline * 1e9), anybody_missing)
        self._receive(stamp_ns + round(settings.patience * 1e9), living_missing)

    def _run(self) -> None:
        period = round(1e9 / self.settings.sensor_rate)
        deadline = self._clock_ns()
        try:
            while not self._stop.is_set():
                self.cycle()
                deadline += period
                if self._clock_ns() > deadline + period:  # stalled: start afresh, never catch up
                    deadline = self._clock_ns()
                self._receive(deadline)
        except Exception as error:  # reported by newest(), the robot stops
            self._thread_error = f"{type(error).__name__}: {error}"

    def _receive(self, deadline_ns: int, expecting: Callable[[], bool] = lambda: True) -> None:
        """Take frames until the deadline, or until none is expected any more; after it those that
        wait already: a busy computer may have kept this program from taking them in time.
        """
        late = 0
        while not self._stop.is_set() and expecting() and late < DRAIN_LIMIT:
            remaining = max(0.0, (deadline_ns - self._clock_ns()) * 1e-9)
            late += remaining == 0.0
            frame = self._adapter.receive(min(remaining, POLL))
            if frame is not None:
                self._take(frame)
            elif remaining == 0.0:
                return
            elif not self._adapter.is_open:
                self._stop.wait(min(remaining, POLL))

    def _drain(self) -> None:
        """Take what has already come, so that it is not mistaken for an answer to the next SYNC."""
        for _ in range(DRAIN_LIMIT):
            if (frame := self._adapter.receive(0.0)) is None:
                return
            self._take(frame)

    def _take(self, frame: can.Message) -> None:
        if frame.is_extended_id or frame.is_remote_frame:
            self._collector.note_unknown()
            return
        if self._collector.accept(frame.arbitration_id, frame.data, self._clock_ns()):
            return
        opcode, link = split(frame.arbitration_id)
        code = frame.data[0] if frame.data else 0
        if opcode == Opcode.PANIC:
            self._notices.panic = self._notices.panic or f"received from link {link}"
        elif opcode == Opcode.FATAL_ERROR:
            self._notices.fatal[link] = code
        elif opcode == Opcode.WARNING:
            self._notices.warnings.append(f"spine: link {link} warns with code {code}")
        elif opcode in BRAIN_FRAMES:
            self._notices.other_master = f"{Opcode(opcode).name} received"
        else:
            self._collector.note_unknown()

    def _finish(self, sensors: SensorSet) -> SpineReading:
        answered = bool(np.isfinite(sensors.delay).any())
        self._adapter.sync_done(answered=answered)
        force = self.force.read(
            self._joints(sensors.cfs, self.settings.force_board), sensors.stamp_ns
        )
        imu = self.imus.read(sensors.yaw, sensors.yaw_rate, sensors.acceleration, sensors.stamp_ns)
        servo = self._joints(sensors.servo, self.settings.servo_board)
        return SpineReading(sensors.stamp_ns, force, imu, servo, self._status(sensors.delay, force))

    def _status(self, delay: Array, force: ForceReading) -> SpineStatus:
        age = self._collector.age(self._clock_ns())
        state = self._adapter.state
        stale, gone = (
            age_texts(age, limit, self._collector.spoilt())
            for limit in (self.settings.sensor_age, self.settings.fault_age)
        )
        return SpineStatus(
            state=state,
            restarts=self._adapter.restarts,
            age=age,
            delay=delay,
            unreadable=self._adapter.unreadable,
            counts=self._collector.counts(),
            panic=self._notices.panic,
            warnings=(
                *([] if state in BROKEN else bus_texts(state)),
                *stale,
                *self._notices.warnings,
                *force.warnings,
            ),
            faults=(
                *(bus_texts(state) if state in BROKEN else []),
                *gone,
                *self._notices.faults(),
                *force.faults,
            ),
        )

    def _joints(self, per_link: Array, board: str) -> Array:
        """Rows of the boards that carry joint 1 .. n-1."""
        return per_link[1:] if board == "head_side" else per_link[:-1]

    # -- sending -------------------------------------------------------------------------------

    def panic(self, reason: str) -> None:
        """Send PANIC now and again with the next SYNCs; all boards switch their servos off."""
        self._notices.panic = self._notices.panic or f"sent: {reason}"
        self._panics_to_send = self.settings.panic_repeats
        self._repeat_panic()

    def _repeat_panic(self) -> None:
        if self._panics_to_send > 0 and self._send(Opcode.PANIC, BROADCAST, {}):
            self._panics_to_send -= 1

    def set_torques(self, torque: Array) -> None:
        """2022 Boa: send SET JOINT TORQUE to every servo board, then SYNC CONTROL, also where the
        adapter has refused some: the other joints must not wait for their zero.

        Args:
            torque: shape (n_joints,), N m; clipped to what the wire can carry and rounded towards
                zero to its counts. After a PANIC zero is sent instead.
        """
        first = 2 if self.settings.servo_board == "head_side" else 1
        count = self.settings.servo.torque_per_count
        exact = torque * self.settings.servo.sign / count
        whole = np.trunc(exact + np.sign(exact) * 1e-9)
        wire = np.clip(whole, -LARGEST_COUNT, LARGEST_COUNT) * count
        if self._notices.panic is not None:
            wire = np.zeros_like(wire)
        for joint, value in enumerate(wire):
            self._send(Opcode.SET_JOINT_TORQUE, first + joint, {"torque": float(value)})
        self._send(Opcode.SYNC_CONTROL, BROADCAST, {"zero": 0})

    def _send(self, opcode: Opcode, link: int, values: Mapping[str, float]) -> bool:
        return self._adapter.send(
            can.Message(
                arbitration_id=arbitration_id(opcode, link),
                is_extended_id=False,
                data=self._layouts[opcode].encode(dict(values)),
            )
        )
