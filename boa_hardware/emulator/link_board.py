# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One emulated Link Board: answers SYNC SENSOR with what its sensors measure, takes latched servo
commands.

A state machine without I/O: frames in, frames out. Times are seconds on the emulator's clock.
Payloads are packed here straight from the manual's table, so that the Brain's decoder (cantools) is
checked by a second implementation.
"""

import math
import random
import struct
from dataclasses import dataclass

import numpy as np

from boa_hardware.emulator.can_wire import WireFrame
from boa_hardware.emulator.link_physics import LinkPhysics
from boa_hardware.emulator.servo_physics import ServoPhysics
from boa_hardware.emulator.spine_faults import SpineFaults
from boa_hardware.sensors.k3d40 import Calibration
from boa_hardware.spine.protocol import BROADCAST, Opcode, arbitration_id, split
from boa_hardware.spine.settings import SpineSettings

GLITCH = math.radians(-1872.125)  # rad, as recorded from the real sensor


@dataclass(frozen=True, slots=True)
class BoardSensors:
    """How good the sensors of a board are (standard deviations; BNO055 steps).

    Attributes:
        force_noise: counts of the converter.
        zero: unloaded bridge output that differs from the certificate's, mV/V.
        rate_step, angle_step, acceleration_step: quantisation, rad/s, rad, m/s2; 0 for none.
    """

    force_noise: float = 2.0
    zero: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rate_step: float = math.radians(1 / 16)
    angle_step: float = math.radians(1 / 16)
    acceleration_step: float = 0.01


class LinkBoard:
    """One link's board.

    Args:
        link: number from the tail, 1 to 63.
        physics: of its sensors.
        settings: the wire format; the same as the Brain's.
        calibration: the true calibration of the force sensor it reads; None: it has none.
        sensors: imperfections.
        servo: the servo it drives (2022 Boa); None: it drives none.
        torque_constant: of that servo, N m/A.
        faults: what goes wrong.
        seed: of the noise.
    """

    COMMAND_TIMEOUT = 0.1  # s after the last SYNC CONTROL until the torque goes to zero; assumption

    def __init__(
        self,
        link: int,
        physics: LinkPhysics,
        settings: SpineSettings,
        *,
        calibration: Calibration | None = None,
        sensors: BoardSensors | None = None,
        servo: ServoPhysics | None = None,
        torque_constant: float = 1.0,
        faults: SpineFaults | None = None,
        seed: int = 0,
    ) -> None:
        self.link = link
        self.panicked = False
        self._physics = physics
        self._settings = settings
        self._calibration = calibration
        self._sensors = sensors or BoardSensors()
        self._servo = servo
        self._torque_constant = torque_constant
        self._faults = faults or SpineFaults()
        self._random = random.Random(1000 * seed + link)
        self._order = "<" if settings.byte_order == "little" else ">"
        self._counts_per_newton, self._zero_counts = self._force_scale()
        self._latched_torque = 0.0
        self._last_control: float | None = None
        self._sampled: tuple[bytes, bytes, bytes] | None = None

    def _force_scale(self) -> tuple[list[list[float]], list[float]]:
        """Counts per newton, rows channel x and y, columns force x, y, z; and the counts without
        load.
        """
        wire = self._settings.force
        if self._calibration is None:
            return [[0.0, 0.0, 0.0]] * 2, [0.0, 0.0]
        if wire.content == "force":
            per_newton = 1.0 / wire.newton_per_count
            return [[per_newton, 0.0, 0.0], [0.0, per_newton, 0.0]], [0.0, 0.0]
        per_bridge = 1.0 / wire.front_end.mv_per_v
        sensitivity = np.linalg.inv(self._calibration.to_link)[:2] * per_bridge
        zero = (np.array(self._calibration.offset) + self._sensors.zero)[:2] * per_bridge
        return sensitivity.tolist(), zero.tolist()

    @property
    def drives(self) -> bool:
        """It has a servo."""
        return self._servo is not None

    def receive(self, frame: WireFrame, now: float) -> list[WireFrame]:
        """A frame was on the bus; return the frames that the board wants to send for it."""
        if self._faults.active("silence", self.link, now) or frame.extended or frame.remote:
            return []
        opcode, link = split(frame.identifier)
        if opcode == Opcode.PANIC:  # whoever sends it
            self.panicked = True
            self._drive(None, now)
        if link not in (BROADCAST, self.link):
            return []
        if opcode == Opcode.SYNC_SENSOR:
            return [*self._announcements(now), *self._answers(now)]
        if opcode == Opcode.SET_JOINT_TORQUE and link == self.link and len(frame.data) == 2:
            (count,) = struct.unpack(self._order + "h", frame.data)
            self._latched_torque = count * self._settings.servo.torque_per_count
        elif opcode == Opcode.SYNC_CONTROL:
            self._enact(now)
        return []

    def power_cycle(self, now: float) -> None:
        """Switch the board off and on: what ends a PANIC."""
        self.panicked = False
        self._latched_torque = 0.0
        self._last_control = None
        self._drive(0.0, now)

    def watch(self, now: float) -> None:
        """Let the torque go to zero when commands stay away."""
        if self._last_control is not None and now - self._last_control > self.COMMAND_TIMEOUT:
            self._last_control = None
            self._drive(0.0, now)

    def _enact(self, now: float) -> None:
        if not self.panicked:
            self._last_control = now
            self._drive(
                self._latched_torque * self._settings.servo.sign / self._torque_constant, now
            )

    def _drive(self, current: float | None, now: float) -> None:
        if self._servo is not None:
            self._servo.drive(current, now)

    def _answers(self, now: float) -> list[WireFrame]:
        if self._sampled is None or not self._faults.active("frozen", self.link, now):
            self._sampled = self._sample(now)
        acceleration, imu, cfs = self._sampled
        payloads = {Opcode.ACC: acceleration, Opcode.IMU: imu, Opcode.CFS: cfs}
        if self._settings.servo_frames or self._settings.fd_frame:
            payloads[Opcode.SERVO] = self._servo_payload(now)
        if self._faults.strikes("glitch", arbitration_id(Opcode.IMU, self.link), now):
            payloads[Opcode.IMU] = imu[:4] + self._pack("f", self._angle(GLITCH))
        if self._faults.active("nan", self.link, now):
            payloads[Opcode.IMU] = self._pack("ff", math.nan, math.nan)
        if self._settings.fd_frame:
            payloads = {Opcode.ALL_SENSORS: b"".join(payloads.values()) + b"\0"}
        return [self._frame(opcode, payload, now) for opcode, payload in payloads.items()]

    def _frame(self, opcode: Opcode, payload: bytes, now: float) -> WireFrame:
        identifier = arbitration_id(opcode, self.link)
        if self._faults.strikes("garble", identifier, now):
            payload = self._faults.random_bytes(len(payload))
        return WireFrame(identifier, payload, sender=self.link, fd=self._settings.fd_frame)

    def _pack(self, layout: str, *values: float) -> bytes:
        return struct.pack(self._order + layout, *values)

    def _sample(self, now: float) -> tuple[bytes, bytes, bytes]:
        """Payloads of ACC, IMU and CFS."""
        reading, sensors, imu = self._physics.reading(now), self._sensors, self._settings.imu
        x, y = (_step(value, sensors.acceleration_step) for value in reading.acceleration)
        rate = imu.rate_sign * _step(reading.yaw_rate, sensors.rate_step)
        # as a BNO055's heading
        yaw = imu.angle_sign * _step(reading.yaw, sensors.angle_step) % (2 * math.pi)
        return (
            self._pack("ff", imu.acceleration_signs[0] * x, imu.acceleration_signs[1] * y),
            self._pack(
                "ff", math.degrees(rate) if imu.rate_unit == "deg/s" else rate, self._angle(yaw)
            ),
            self._pack("ii", *self._force_counts(reading.force, now)),
        )

    def _angle(self, angle: float) -> float:
        return math.degrees(angle) if self._settings.imu.angle_unit == "deg" else angle

    def _force_counts(self, force: tuple[float, float, float], now: float) -> tuple[int, int]:
        wire = self._settings.force
        if self._faults.active("saturated", self.link, now):
            return wire.front_end.full_scale, wire.front_end.full_scale
        drift = self._faults.active("drift", self.link, now)
        offset = drift.amount * (now - drift.start) if drift else 0.0
        if slipped := self._faults.active("slipped", self.link, now):
            offset += slipped.amount
        if self._faults.active("dead", self.link, now):
            force = (0.0, 0.0, 0.0)
        elif self._faults.active("flipped", self.link, now):
            force = (-force[0], -force[1], -force[2])
        x, y, z = force[0] + offset, force[1] + offset, force[2]
        noise, top = self._sensors.force_noise, wire.front_end.full_scale
        counts = [
            round(a * x + b * y + c * z + zero + self._random.gauss(0.0, noise))
            for (a, b, c), zero in zip(self._counts_per_newton, self._zero_counts, strict=True)
        ]
        return min(max(counts[0], -top), top), min(max(counts[1], -top), top)

    def _servo_payload(self, now: float) -> bytes:
        """i16 current, i16 velocity, u16 angle, i8 temperature."""
        if self._servo is None:
            return bytes(7)
        wire, state = self._settings.servo, self._servo.state(now)
        # middle position: joint angle zero
        angle = wire.sign * (state.position - math.pi) / wire.angle_per_count
        return self._pack(
            "hhHb",
            _limited(wire.sign * state.current / wire.current_per_count, -32768, 32767),
            _limited(wire.sign * state.velocity / wire.velocity_per_count, -32768, 32767),
            _limited(angle + wire.angle_zero, 0, 65535),
            _limited(state.temperature, -128, 127),
        )

    def _announcements(self, now: float) -> list[WireFrame]:
        sent = []
        for fault in self._faults.announcements(self.link, now):
            data = b"" if fault.kind == "panic" else bytes([int(fault.amount) & 0xFF])
            sent.append(
                WireFrame(
                    arbitration_id(Opcode[fault.kind.upper()], self.link), data, sender=self.link
                )
            )
        return sent


def _step(value: float, quantum: float) -> float:
    return round(value / quantum) * quantum if quantum > 0 else value


def _limited(value: float, low: int, high: int) -> int:
    return min(max(round(value), low), high)
