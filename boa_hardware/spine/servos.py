# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Servos behind the link boards (2022 Boa): torques as SET JOINT TORQUE, readings in SENSOR LINK
SERVO.

One control tick is one spine cycle, so the control rate is the sensor rate: 13 links with four
frames each fill 70 % of the bus at 100 Hz, and 142 Hz is the most that fits.
"""

import contextlib

import numpy as np

from boa_control.plant import PlantError
from boa_description.arrays import Array, Flags
from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.servo.link import Identity
from boa_hardware.servo.obedience import Disobedience, Reason
from boa_hardware.spine.bus import SpineBus

LAST_ZEROS = 3  # times that zero torque is sent before the bus is released
ASKED = 0.1  # N m, for which a current flows that boards can tell from none
IDLE = 0.5  # s without it: the servo is off


class SpineServos:
    """Implements `boa_hardware.servo.transport.ServoTransport` over the spine.

    Link boards take torques, so that no current is made here: the zero of a current sensor belongs
    to the board's own current loop. A lost SET JOINT TORQUE leaves the board's latched torque as it
    was; it is repeated in the next tick. The protocol has no "torque off": while disarmed every
    tick commands zero torque, and PANIC (`SpineBus.panic`) switches off for good.

    Args:
        spine: with `servo_frames: true`, and without a thread of its own: this transport cycles it.
        torque_limit: largest motor torque that is commanded, N m; scalar or shape (n_joints,).

    Attributes:
        armed: see ServoTransport; the protocol knows no torque enable, so this side alone says it.

    Raises:
        PlantError: the spine's settings have no servo frames.
    """

    def __init__(self, spine: SpineBus, torque_limit: float | Array) -> None:
        if not (spine.settings.servo_frames or spine.settings.fd_frame):
            raise PlantError(
                "servos over the spine need `servo_frames: true` in the spine settings"
            )
        self.spine = spine
        self.armed = False
        self.identities: tuple[Identity, ...] = ()  # the protocol has no question for it
        self._limit = np.broadcast_to(np.asarray(torque_limit, float), (spine.robot.joints,))
        self._restart()

    def _restart(self) -> None:
        """Forget all samples and misses."""
        n = self.spine.robot.joints
        self._values = np.full((n, 4), np.nan)  # current, velocity, angle, temperature
        self._last_valid_ns = np.full(n, -1, np.int64)
        self._misses = np.zeros(n, np.int64)
        self._driven_ns = np.full(n, -1, np.int64)  # last with a current, or without being asked

    def connect(self) -> None:
        """See ServoTransport."""
        self.spine.open()
        self._command_zero()

    def reconnect(self) -> None:
        """See ServoTransport. The spine opens its channel again by itself."""
        self._command_zero()

    def arm(self) -> None:
        """See ServoTransport."""
        reading = self.spine.newest()
        if reading is None:
            raise PlantError("spine: no answer yet; wait for the link boards")
        if reading.status.faults:
            raise PlantError(reading.status.faults[0])
        self.armed = True

    def disarm(self) -> None:
        """See ServoTransport."""
        with contextlib.suppress(PlantError):
            self._command_zero()

    def recover(self) -> None:
        """See ServoTransport."""
        self.disarm()
        self._restart()

    def close(self) -> None:
        """See ServoTransport."""
        for _ in range(LAST_ZEROS):
            self.disarm()
        self.spine.close()

    def _command_zero(self) -> None:
        self.armed = False
        self.spine.set_torques(np.zeros_like(self._limit))

    def cycle(self, motor_torque: Array | None) -> ServoCycle:
        """Send torques, then SYNC SENSOR, and wait for the answers until the spine's deadline.

        Args:
            motor_torque: see ServoTransport; None sends zeros, in case a board has missed them.

        Returns:
            The sample; a joint without an answer keeps its old values with their age and is not
            `valid`. The spine's other sensors of the same SYNC are in `spine.newest()`.
        """
        torque = np.zeros_like(self._limit) if motor_torque is None else motor_torque
        self.spine.set_torques(np.clip(torque, -self._limit, self._limit))
        reading = self.spine.cycle()
        valid: Flags = np.asarray(np.isfinite(reading.servo).all(axis=1))
        self._values[valid] = reading.servo[valid]
        self._last_valid_ns[valid] = reading.stamp_ns
        self._misses = np.where(valid, 0, self._misses + 1)
        current, velocity, position, temperature = self._values.T.copy()
        off = self._off(torque, valid, reading.stamp_ns)
        nothing = np.zeros(len(valid), np.uint8)
        return ServoCycle(
            stamp_ns=reading.stamp_ns,
            position=position,
            velocity=velocity,
            current=current,
            voltage=np.full(len(valid), np.nan),
            temperature=temperature,
            error=nothing,
            hardware_error=nothing,
            age=np.where(
                self._last_valid_ns < 0, np.inf, (reading.stamp_ns - self._last_valid_ns) * 1e-9
            ),
            valid=valid,
            misses=self._misses,
            lost_setup=np.zeros(len(valid), bool),
            disobedient=tuple(Disobedience(joint, Reason.NO_CURRENT, 0) for joint in off),
        )

    def _off(self, torque: Array, valid: Flags, stamp_ns: int) -> list[int]:
        """Joints in which no current flows though torque is asked. Nothing else tells of a PANIC
        that was sent before this program listened.
        """
        nothing = np.abs(self._values[:, 0]) <= self.spine.settings.servo.current_per_count
        idle = valid & nothing & (np.abs(torque) >= ASKED)
        self._driven_ns[~idle | (self._driven_ns < 0)] = stamp_ns
        return np.flatnonzero(stamp_ns - self._driven_ns > round(IDLE * 1e9)).tolist()
