# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The way of torque to the servos: one interface, and the servos' own RS-485 bus.

The other way, the spine of the 2022 Boa, is `boa_hardware.spine.servos`. Torques are N m up to
here; amperes and counts are made once, at the wire.
"""

from typing import Protocol

import numpy as np

from boa_description.arrays import Array
from boa_hardware.servo import bringup
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.servo.handshake import HandshakeReport
from boa_hardware.servo.link import Identity
from boa_hardware.servo.obedience import Counts
from boa_hardware.servo.registers import CURRENT
from boa_hardware.servo.torque import TorqueMap

# s without a byte before a conversation with single servos begins
SILENCE, LONGEST_SILENCE = 0.01, 0.1


class ServoTransport(Protocol):
    """All servos of a robot. One thread at a time, but for `armed`.

    Attributes:
        armed: torque is on as far as this program knows; the one place of the robot plant that
            keeps it. Setting it to False withdraws the torques of every cycle to come; `disarm`
            then tells the servos.
        identities: of the servos, in joint order, as they answered when they were prepared; empty
            where they tell nothing of themselves.
    """

    armed: bool
    identities: tuple[Identity, ...]

    def connect(self) -> None:
        """Open the bus and prepare the servos, without torque. Raises PlantError with what is
        missing or wrong.
        """

    def reconnect(self) -> None:
        """Open the bus again after it had gone, without torque.

        Raises PlantError while it is still gone.
        """

    def cycle(self, motor_torque: Array | None) -> ServoCycle:
        """Send motor torques and read all servos.

        Args:
            motor_torque: shape (n_joints,), N m, finite; reduced to the servos' limit and to whole
                counts of the wire, never increased. None: no torque, only read.

        Raises:
            BusGoneError: the port has vanished.
        """

    def arm(self) -> None:
        """Torque on at zero current. Raises PlantError; torque is off then."""

    def disarm(self) -> None:
        """Torque off in every servo that can be reached. Never raises."""

    def recover(self) -> None:
        """Reboot what has a hardware error and prepare all servos again; no torque.

        Raises PlantError.
        """

    def close(self) -> None:
        """Torque off, bus released. Never raises; may be called twice."""


class Rs485Servos:
    """Servos on their own bus."""

    def __init__(self, bus: ServoBus) -> None:
        self.bus = bus
        self._torques = TorqueMap.of([joint.torque for joint in bus.settings.joints])
        self.identities: tuple[Identity, ...] = ()

    @property
    def armed(self) -> bool:
        """See ServoTransport; the bus keeps it, since its watchdog depends on it."""
        return self.bus.armed

    @armed.setter
    def armed(self, armed: bool) -> None:
        self.bus.armed = armed

    def connect(self) -> None:
        """See ServoTransport."""
        self.bus.open()
        self._note(bringup.bring_up(self.bus))

    def reconnect(self) -> None:
        """See ServoTransport. Servos that kept their power keep their set-up; others show that they
        lost it.
        """
        self.bus.link.close()
        self.bus.link.open()
        self.bus.torque_off()
        self.bus.restart()

    def cycle(self, motor_torque: Array | None) -> ServoCycle:
        """See ServoTransport."""
        return self.bus.exchange(None if motor_torque is None else self._counts(motor_torque))

    def _counts(self, motor_torque: Array) -> Counts:
        """Goal Current of each joint, counts, rounded towards zero."""
        exact = self._torques.current(motor_torque) / CURRENT
        return np.trunc(exact + np.sign(exact) * 1e-9).astype(np.int64)

    def arm(self) -> None:
        """See ServoTransport."""
        self._wait_for_silence()
        bringup.arm(self.bus)

    def disarm(self) -> None:
        """See ServoTransport."""
        bringup.disarm(self.bus)

    def recover(self) -> None:
        """See ServoTransport."""
        self.bus.link.close()
        self.bus.link.open()
        self._wait_for_silence()
        self._note(bringup.recover(self.bus))

    def _note(self, report: HandshakeReport) -> None:
        self.identities = tuple(report.answered[servo] for servo in report.expected)

    def close(self) -> None:
        """See ServoTransport."""
        self.bus.close()

    def _wait_for_silence(self) -> None:
        """Let late replies to the cycle come in, so that none is taken for the answer to the next
        request.
        """
        port = self.bus.link.port
        end_ns = port.now_ns() + round(LONGEST_SILENCE * 1e9)
        while port.now_ns() < end_ns:
            port.set_deadline(port.now_ns() + round(SILENCE * 1e9))
            if not port.readPort(4096):
                return
