"""The two ways torque reaches the servos, behind one face: their own RS-485 bus, or the spine (2022
Boa).
"""

from __future__ import annotations

import contextlib
from typing import Protocol

from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_hardware.servo import bringup
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.spine.servos import SpineServoTransport

# s without a byte before a conversation with single servos begins
SILENCE, LONGEST_SILENCE = (
    0.01,
    0.1,
)


class ServoTransport(Protocol):
    """All servos of a robot. One thread at a time."""

    def connect(self) -> None:
        """Open the bus and prepare the servos, without torque. Raises PlantError with what is
        missing or wrong.
        """

    def reconnect(self) -> None:
        """Open the bus again after it had gone, without torque. Raises PlantError while it is still
        gone.
        """

    def cycle(self, goal_current: Array | None) -> ServoCycle:
        """Send goal currents (n_joints,), A (None: only read), and read all servos. Raises
        BusGoneError.
        """

    def arm(self) -> None:
        """Torque on at zero current. Raises PlantError; torque is off then."""

    def disarm(self) -> None:
        """Torque off in every servo that hears it. Never raises."""

    def recover(self) -> None:
        """Reboot what has a hardware error and prepare all servos again; no torque. Raises
        PlantError.
        """

    def close(self) -> None:
        """Torque off, bus released. Never raises; may be called twice."""


class Rs485Servos:
    """Servos on their own bus."""

    def __init__(self, bus: ServoBus) -> None:
        self.bus = bus

    def connect(self) -> None:
        """See ServoTransport."""
        self.bus.open()
        bringup.bring_up(self.bus)

    def reconnect(self) -> None:
        """See ServoTransport. Servos that kept their power keep their set-up; others show that they
        lost it.
        """
        self.bus.link.close()
        self.bus.link.open()
        self.bus.torque_off()
        self.bus.restart()

    def cycle(self, goal_current: Array | None) -> ServoCycle:
        """See ServoTransport."""
        return self.bus.cycle(goal_current)

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
        bringup.recover(self.bus)

    def close(self) -> None:
        """See ServoTransport."""
        self.bus.close()

    def _wait_for_silence(self) -> None:
        """Let late replies to the cycle come in, so that none is taken for the answer to the next
        question.
        """
        port = self.bus.link.port
        end_ns = port.now_ns() + round(LONGEST_SILENCE * 1e9)
        while port.now_ns() < end_ns:
            port.set_deadline(port.now_ns() + round(SILENCE * 1e9))
            if not port.readPort(4096):
                return


class SpineServos:
    """Servos behind the link boards. The protocol knows no torque enable: armed is what this side
    says.
    """

    def __init__(self, transport: SpineServoTransport) -> None:
        self._transport = transport

    def connect(self) -> None:
        """See ServoTransport."""
        self._transport.spine.open()
        self._transport.torque_off()

    def reconnect(self) -> None:
        """See ServoTransport. The spine opens its channel again by itself."""
        self._transport.torque_off()

    def cycle(self, goal_current: Array | None) -> ServoCycle:
        """See ServoTransport."""
        return self._transport.cycle(goal_current)

    def arm(self) -> None:
        """See ServoTransport."""
        reading = self._transport.spine.newest()
        if reading is None or reading.status.faults:
            raise PlantError(
                reading.status.faults[0]
                if reading
                else "spine: no answer yet; wait for the link boards"
            )
        self._transport.armed = True

    def disarm(self) -> None:
        """See ServoTransport."""
        with contextlib.suppress(PlantError):
            self._transport.torque_off()

    def recover(self) -> None:
        """See ServoTransport."""
        self.disarm()
        self._transport.restart()

    def close(self) -> None:
        """See ServoTransport."""
        self.disarm()
        self._transport.spine.close()
