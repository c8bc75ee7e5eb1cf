# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""dynamixel-sdk 4.1.0 with fixes of the defects that matter to Boa; each has a test that shows it.

Defects of 4.1.0: no byte stuffing on transmit; unstuffing eats a byte of FF FD FD behind a stuffed
pattern; reply time-out of wire time + 34 ms on a clock that can step; busy waiting; 4.5 Mbit/s
refused; two programs may open one port; a status of any length passes for the answer to a read. Its
sync reads drop the error byte and give 0 for missing data: `ServoBus.cycle` replaces them.
"""

import contextlib
import os
import select
import sys
import termios
import time
from pathlib import Path

import serial
from dynamixel_sdk import COMM_SUCCESS, PortHandler, Protocol2PacketHandler

from boa_hardware.servo.errors import BusGoneError
from boa_hardware.servo.protocol import ALERT, Instruction, unstuff
from boa_hardware.servo.registers import BAUD_RATES
from boa_hardware.tty_lock import holder

# what a port raises that is no more
_VANISHED = (
    OSError,
    ValueError,
    serial.SerialException,
    termios.error,
)
CONFIGURATION_MARGIN = 0.1  # s after the wire time; EEPROM writes are slow


class ServoPort(PortHandler):
    """The serial port: any baud rate of the servo, blocking reads with a deadline on
    CLOCK_MONOTONIC.

    Names of the methods are the SDK's, which calls them.
    """

    def __init__(self, name: str, baud: int) -> None:
        super().__init__(name)
        self.baudrate = baud
        self.is_open = False
        self.ser: serial.Serial | None = None
        self.last_sent_ns = self.now_ns()
        """When this program last sent anything, ns on CLOCK_MONOTONIC; a Bus Watchdog counts from
        there.
        """
        self._deadline_ns = 0

    def now_ns(self) -> int:
        """Present time on the clock of all deadlines, ns; CLOCK_MONOTONIC."""
        return time.monotonic_ns()

    def getCFlagBaud(self, baudrate: int) -> int:
        """The rate itself where the servo has it, else -1."""
        return baudrate if baudrate in BAUD_RATES.values() else -1

    def setupPort(self, cflag_baud: int) -> bool:
        """Open the port for this process alone.

        Raises:
            BusGoneError: no such port, no permission, or in use; with the remedy.
        """
        if self.is_open:
            self.closePort()
        try:
            self.ser = serial.Serial(self.port_name, cflag_baud, timeout=0, exclusive=True)
        except _VANISHED as error:
            raise BusGoneError(_cannot_open(self.port_name, error)) from error
        self.is_open = True
        self.ser.reset_input_buffer()
        self.tx_time_per_byte = 10_000.0 / self.baudrate  # ms
        return True

    def closePort(self) -> None:
        """Close the port; may be called twice."""
        if self.ser is not None:
            with contextlib.suppress(*_VANISHED):
                self.ser.close()
        self.ser = None
        self.is_open = False

    def clearPort(self) -> int:
        """Throw received bytes away; how many there were."""
        try:
            waiting = int(self._open().in_waiting)
            if waiting:
                self._open().reset_input_buffer()
        except _VANISHED as error:
            raise self._gone(error) from error
        return waiting

    def writePort(self, packet: bytes | list[int]) -> int:
        """Send bytes.

        Raises:
            BusGoneError: the port has vanished.
        """
        try:
            self.last_sent_ns = self.now_ns()
            return os.write(self._open().fileno(), bytes(packet))
        except _VANISHED as error:
            raise self._gone(error) from error

    def readPort(self, length: int) -> bytes:
        """Wait for bytes until the deadline; return at most `length`, b"" when it is over.

        Raises:
            BusGoneError: the port has vanished.
        """
        try:
            descriptor = self._open().fileno()
            wait = max(0, self._deadline_ns - self.now_ns()) * 1e-9
            if not select.select((descriptor,), (), (), wait)[0]:
                return b""
            data = os.read(descriptor, length)
        except _VANISHED as error:
            raise self._gone(error) from error
        if not data:
            raise self._gone("end of file")
        return data

    def discard_until_silent(self) -> int:
        """Throw away what comes within `CONFIGURATION_MARGIN`; how many bytes that were.

        Answers do not say what they answer: one that comes after its time would be taken for the
        next question's.

        Raises:
            BusGoneError: the port has vanished.
        """
        self.setPacketTimeout(0)
        count = 0
        while not self.isPacketTimeout():
            count += len(self.readPort(4096))
        return count

    def setPacketTimeout(self, packet_length: int) -> None:
        """Expect `packet_length` bytes from now on."""
        self.setPacketTimeoutMillis(
            self.tx_time_per_byte * packet_length + CONFIGURATION_MARGIN * 1e3
        )

    def setPacketTimeoutMillis(self, msec: float) -> None:
        """Set the deadline `msec` from now."""
        self.set_deadline(self.now_ns() + round(msec * 1e6))

    def set_deadline(self, deadline_ns: int) -> None:
        """Set the absolute deadline of the next reads, ns on CLOCK_MONOTONIC."""
        self._deadline_ns = deadline_ns

    def isPacketTimeout(self) -> bool:
        """The deadline is over."""
        return self.now_ns() > self._deadline_ns

    def _open(self) -> serial.Serial:
        if self.ser is None:
            raise BusGoneError(f"serial port {self.port_name} is not open; connect first")
        return self.ser

    def _gone(self, error: object) -> BusGoneError:
        self.is_using = False  # the SDK's own lock, which it does not release when a call raises
        return BusGoneError(
            f"serial port {self.port_name} has gone ({error}); plug the adapter in and connect "
            f"again"
        )


class PacketHandler(Protocol2PacketHandler):
    """The SDK's packets, with stuffing that reaches the wire, unstuffing that is exact, and answers
    of right length.
    """

    def txRxPacket(self, port: ServoPort, txpacket: list[int]) -> tuple[list[int] | None, int, int]:
        """Send an instruction and wait for its answer.

        The SDK takes any status of the servo: after a late answer to a write, a read returns bytes
        of that packet's CRC as data. Here a status that does not hold as much as was asked for is
        passed over.
        """
        packet, result, error = super().txRxPacket(port, txpacket)
        while packet is not None and result == COMM_SUCCESS and not _is_answer(txpacket, packet):
            packet, result = self.rxPacket(port, False)
            error = packet[8] if result == COMM_SUCCESS else 0
        return packet, result, error

    def addStuffing(self, packet: list[int]) -> list[int]:
        """Stuff in place: `txPacket` ignores the returned list."""
        packet[:] = super().addStuffing(packet)
        return packet

    def removeStuffing(self, packet: list[int]) -> list[int]:
        """Remove the stuffing between length and CRC."""
        body = unstuff(bytes(packet[7:-2]))
        return [*packet[:5], *(len(body) + 2).to_bytes(2, "little"), *body, *packet[-2:]]


def _is_answer(request: list[int], status: list[int]) -> bool:
    """From the servo of the request; to a read, with as many bytes as requested (or an error)."""
    if status[4] != request[4]:
        return False
    if request[7] != Instruction.READ or status[8] & ~ALERT:
        return True
    return len(status) == 11 + (request[10] | request[11] << 8)


def latency_timer(port: str) -> int | None:
    """Latency timer of an FTDI adapter, ms; None where the port has none. 1 is right, 16 caps the
    bus at 55 Hz.
    """
    device = Path(port).resolve().name
    setting = Path("/sys/bus/usb-serial/devices") / device / "latency_timer"
    try:
        return int(setting.read_text())
    except (OSError, ValueError):
        return None


def _cannot_open(port: str, error: Exception) -> str:
    if not port:
        return "no serial port is given; `boa doctor` lists adapters, `boa emulate` prints its port"
    code = getattr(error, "errno", None)
    if code == 13:
        remedy = "no permission; add yourself to the group dialout and log in again"
    elif code == 2 or not Path(port).exists():
        remedy = "no such port; `boa doctor` lists adapters, `boa emulate` prints its port"
    elif "exclusively lock" in str(error) or code in (11, 16):
        remedy = f"it is used by {holder(port)}; stop that program"
    else:
        remedy = str(error)
    return f"serial port {port} cannot be opened: {remedy}"


if sys.platform == "win32":  # pragma: no cover
    raise ImportError("boa_hardware.servo needs a POSIX system: select() on serial ports")
