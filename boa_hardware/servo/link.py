# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One serial port with servos on it: ping, read, write, reboot, one servo at a time, through
dynamixel-sdk.

For set-up and tools, where a few milliseconds do not matter; `ServoBus.cycle` is the fast path. No
reply raises `NoReplyError`, a servo's refusal `ServoRefusedError`; a lost packet is tried again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

from dynamixel_sdk import COMM_RX_CORRUPT, COMM_SUCCESS

from boa_control.plant import PlantError
from boa_hardware.servo import protocol
from boa_hardware.servo.errors import NoReplyError, ServoRefusedError, SpoiltReplyError
from boa_hardware.servo.protocol import ALERT, BROADCAST, ErrorCode, Instruction
from boa_hardware.servo.registers import REGISTERS, register
from boa_hardware.servo.sdk import PacketHandler, ServoPort

TRIES = 3
_PING_STATUS = 14  # bytes


@dataclass(frozen=True, slots=True)
class Identity:
    """A servo's answer to a ping."""

    id: int
    model: int
    firmware: int


class ServoLink:
    """A port and the servos behind it. Use as a context manager, or `open` and `close`.

    Args:
        port: serial device.
        baud: bit/s.
        make_port: makes the port; another one than the default lives in simulated time.

    Attributes:
        kept: what was written to EEPROM since the link was made, in words.
    """

    def __init__(
        self, port: str, baud: int, make_port: Callable[[str, int], ServoPort] = ServoPort
    ) -> None:
        self.port = make_port(port, baud)
        self._packets = PacketHandler()
        self._unanswered = False
        self.kept: list[str] = []

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Open the port. Raises BusGoneError with the remedy."""
        self.port.openPort()

    def close(self) -> None:
        """Close the port; may be called twice."""
        self.port.closePort()

    @property
    def baud(self) -> int:
        """Bit rate of the port, bit/s."""
        return int(self.port.baudrate)

    def set_baud(self, baud: int) -> None:
        """Open the port again at another rate, bit/s."""
        self.port.setBaudRate(baud)

    def ping(self, servo: int) -> Identity:
        """Ask one servo who it is; it answers at every Status Return Level. Raises NoReplyError."""
        status: list[int] = []

        def attempt() -> tuple[int, int]:
            request = [0, 0, 0, 0, servo, 3, 0, Instruction.PING, 0, 0]
            packet, result, error = self._packets.txRxPacket(self.port, request)
            status[:] = packet or []
            return result, error

        self._call(servo, "ping", attempt)
        if len(status) < _PING_STATUS:
            raise NoReplyError(f"servo {servo}: its answer to the ping is too short; try again")
        return Identity(servo, status[9] | status[10] << 8, status[11])

    def read(self, servo: int, name: str) -> int:
        """Raw value of a register. Raises NoReplyError, ServoRefusedError."""
        entry = register(name)
        return entry.decode(self.read_bytes(servo, entry.address, entry.size, f"read of {name}"))

    def read_bytes(self, servo: int, address: int, size: int, what: str = "") -> bytes:
        """Bytes of the control table. Raises NoReplyError, ServoRefusedError."""
        what = what or f"read of {size} bytes from {address}"
        received: list[int] = []

        def attempt() -> tuple[int, int]:
            received[:], result, error = self._packets.readTxRx(self.port, servo, address, size)
            return result, error

        self._call(servo, what, attempt)
        if len(received) != size:
            raise NoReplyError(
                f"servo {servo}: {what} brought {len(received)} of {size} bytes; try again"
            )
        return bytes(received)

    def write(self, servo: int, name: str, raw: int) -> None:
        """Write a register and wait for the answer; BROADCAST writes to all, without an answer.

        Raises:
            BoaError: value outside the register's range.
            PlantError: the register is read-only.
            NoReplyError, ServoRefusedError: as their names say.
        """
        entry = register(name)
        if not entry.writable:
            raise PlantError(f"register {name} ({entry.address}) is read-only")
        if entry.eeprom:  # before it is sent: from then on it may be there
            self.kept.append(f"servo {servo} {name} = {raw}")
        self.write_bytes(servo, entry.address, entry.encode(raw), f"{name} = {raw}")

    def write_bytes(self, servo: int, address: int, data: bytes, what: str = "") -> None:
        """Write bytes to the control table. Raises NoReplyError, ServoRefusedError."""
        what = what or f"write of {len(data)} bytes to {address}"
        values = list(data)
        if servo == BROADCAST:
            self.port.writePort(protocol.write(servo, address, data))
            return
        self._call(
            servo,
            what,
            lambda: self._packets.writeTxRx(self.port, servo, address, len(values), values),
        )

    def write_verified(self, servo: int, name: str, raw: int) -> None:
        """Write a register and read it back. Raises PlantError when it differs, else as `write`."""
        self.write(servo, name, raw)
        seen = self.read(servo, name)
        if seen != raw:
            raise PlantError(
                f"servo {servo}: {name} reads {seen} after writing {raw}; check it with `boa "
                f"servo info`"
            )

    def sync_write(self, name: str, values: Mapping[int, int]) -> None:
        """Write one register of several servos at the same instant; nobody answers."""
        entry = register(name)
        self.port.writePort(
            protocol.sync_write(
                {servo: entry.encode(raw) for servo, raw in values.items()}, entry.address
            )
        )

    def reboot(self, servo: int) -> None:
        """Restart a servo; it answers before it does. Raises NoReplyError, ServoRefusedError."""
        self._call(servo, "reboot", lambda: self._packets.reboot(self.port, servo), tries=1)

    def dump(self, servo: int) -> dict[str, int]:
        """Raw values of all plain registers, in the order of the control table."""
        return {
            name: self.read(servo, name) for name in REGISTERS if not name.startswith("indirect_")
        }

    def _call(
        self, servo: int, what: str, attempt: Callable[[], tuple[int, int]], tries: int = TRIES
    ) -> None:
        """Run an SDK call that returns (result, error byte); try again when packets are lost or
        damaged.
        """
        late = 0
        for _ in range(tries):
            if self._unanswered:
                late += self.port.discard_until_silent()
            result, error = attempt()
            self._unanswered = result != COMM_SUCCESS
            code = error & ~ALERT
            if result == COMM_SUCCESS and code != ErrorCode.CRC:
                if code:
                    raise ServoRefusedError(servo, error, what)
                return
        if tries > 1:  # else the servo is on its way to a restart
            late += self.port.discard_until_silent()
            self._unanswered = False
            self._explain(servo, what, garbled=result == COMM_RX_CORRUPT, late=late > 0)
        reason = (
            str(self._packets.getTxRxResult(result))
            .removeprefix("[TxRxResult] ")
            .rstrip("!")
            .lower()
        )
        raise NoReplyError(
            f"servo {servo} did not answer the {what} at {self.baud} bit/s ({reason}, {tries} "
            f"{'try' if tries == 1 else 'tries'}); check power, cable, ID and baud rate "
            "(`boa servo scan`)"
        )

    def _explain(self, servo: int, what: str, *, garbled: bool, late: bool) -> None:
        """Raise SpoiltReplyError where something came that was no answer."""
        if garbled:
            raise SpoiltReplyError(
                f"servo {servo}: the answers to the {what} are garbled; several servos share ID "
                f"{servo} (`boa servo scan` tells), or the line is disturbed"
            )
        if late:
            raise SpoiltReplyError(
                f"servo {servo}: the answers to the {what} come too late; is the adapter's latency "
                "timer 1 ms (`boa doctor`), the computer overloaded?"
            )
        if what != "ping" and self._packets.ping(self.port, servo)[1] == COMM_SUCCESS:
            raise SpoiltReplyError(
                f"servo {servo} answers pings but not the {what}: its Status Return Level is below "
                f"2; `boa servo reboot --id {servo}` sets it to 2"
            )
