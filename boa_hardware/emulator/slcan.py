# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""An emulated slcan adapter (CANable, CANUSB): the Lawicel protocol as a state machine without I/O.

Commands end in CR. The answer is CR, possibly after data, or BEL for an error. Source: Lawicel
CANUSB manual; the CAN FD commands d, D, b, B and Y follow the CANable 2.0 firmware's description.
"""

import re
from collections.abc import Callable

from boa_hardware.emulator.can_wire import ErrorCounters, WireFrame

OK, ERROR = b"\r", b"\a"
LINE_ENDS = (OK, ERROR)
BIT_RATES = {
    "0": 10_000,
    "1": 20_000,
    "2": 50_000,
    "3": 100_000,
    "4": 125_000,
    "5": 250_000,
    "6": 500_000,
    "7": 800_000,
    "8": 1_000_000,
}
FD_LENGTHS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64)
FLAG_RX_FULL = 1 << 0
FLAG_TX_FULL = 1 << 1
FLAG_WARNING = 1 << 2
FLAG_PASSIVE = 1 << 5
FLAG_BUS_ERROR = 1 << 7
STAMP_WRAP = 60_000  # ms
LONGEST_COMMAND = 160
_HEADS = {"t": 3, "r": 3, "d": 3, "b": 3, "T": 8, "R": 8, "D": 8, "B": 8}


class SlcanAdapter:
    """Parses commands from the host and formats frames for it.

    Args:
        transmit: called with every frame that the host wants on the bus, and the time in ns.
        counters: error counters of the adapter's CAN controller.
        bit_rate: of the bus it is wired to; with another one set it receives and sends nothing but
            errors.
        on_close: called when the channel is closed (frames still waiting are withdrawn).
    """

    VERSION, SERIAL = "V1013", "NBOA1"

    def __init__(
        self,
        transmit: Callable[[WireFrame, int], None],
        counters: ErrorCounters,
        bit_rate: int = 1_000_000,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self._transmit = transmit
        self._counters = counters
        self._bus_rate = bit_rate
        self._on_close = on_close
        self._rate: int | None = None
        self._open = False
        self._listen_only = False
        self._stamps = False
        self._buffer = bytearray()
        self._flags = 0
        self.bus_off = False
        self.forced_passive = False

    def note_overflow(self) -> None:
        """The host does not fetch what it gets: told by the status flags."""
        self._flags |= FLAG_RX_FULL

    @property
    def receives(self) -> bool:
        """The channel is open at the right bit rate and takes part in the bus."""
        return self._open and self._rate == self._bus_rate and not self.bus_off

    def feed(self, data: bytes, now_ns: int) -> bytes:
        """Take bytes from the host and return the answers."""
        answers = bytearray()
        self._buffer += data
        *lines, self._buffer = self._buffer.split(OK)
        if len(self._buffer) > LONGEST_COMMAND:
            self._buffer.clear()
            answers += ERROR
        for line in lines:
            answers += self._command(line.decode("latin-1"), now_ns)
        return bytes(answers)

    def format(self, frame: WireFrame, end_ns: int) -> bytes:
        """The line that tells the host of a received frame; empty if it does not receive it."""
        if not self.receives:
            return b""
        letter = "r" if frame.remote else "b" if frame.fd else "t"
        size = frame.length if frame.remote else len(frame.data)
        head = f"{frame.identifier:08X}" if frame.extended else f"{frame.identifier:03X}"
        stamp = f"{end_ns // 1_000_000 % STAMP_WRAP:04X}" if self._stamps else ""
        letter = letter.upper() if frame.extended else letter
        return (
            f"{letter}{head}{FD_LENGTHS.index(size):X}{frame.data.hex().upper()}{stamp}\r".encode()
        )

    def _command(self, line: str, now_ns: int) -> bytes:
        letter, rest = line[:1], line[1:]
        if letter == "":
            return OK
        if letter in _HEADS:
            return self._send(letter, rest, now_ns)
        answer = {
            "S": self._set_rate,
            "O": self._open_channel,
            "L": self._open_channel,
            "C": self._close_channel,
            "F": self._status,
            "Z": self._set_stamps,
        }.get(letter)
        if answer is not None:
            return answer(line)
        if letter in "VN" and rest == "":
            return f"{self.VERSION if letter == 'V' else self.SERIAL}\r".encode()
        if letter in "MmYsX" and rest and not self._open:
            # acceptance filter, data rate, timing registers, auto poll: accepted, without effect
            return OK
        return ERROR

    def _set_rate(self, line: str) -> bytes:
        if self._open or line[1:] not in BIT_RATES:
            return ERROR
        self._rate = BIT_RATES[line[1:]]
        return OK

    def _open_channel(self, line: str) -> bytes:
        if self._open or self._rate is None or len(line) != 1:
            return ERROR
        self._open, self._listen_only = True, line == "L"
        self.bus_off = False
        self._flags = 0
        self._counters.reset()
        return OK

    def _close_channel(self, line: str) -> bytes:
        if not self._open or len(line) != 1:
            return ERROR
        self._open = False
        self._on_close()
        return OK

    def _set_stamps(self, line: str) -> bytes:
        if self._open or line[1:] not in ("0", "1"):
            return ERROR
        self._stamps = line[1] == "1"
        return OK

    def _status(self, line: str) -> bytes:
        if not self._open or len(line) != 1:
            return ERROR
        flags, self._flags = self._flags, 0
        off = self.bus_off or self._counters.off
        if off or self._rate != self._bus_rate:
            flags |= FLAG_BUS_ERROR
        if off or self._counters.passive or self.forced_passive:
            flags |= FLAG_PASSIVE
        if off or self._counters.warning or self.forced_passive:
            flags |= FLAG_WARNING
        return f"F{flags:02X}\r".encode()

    def _send(self, letter: str, rest: str, now_ns: int) -> bytes:
        frame = _parse(letter, rest)
        if frame is None or not self._open or self._listen_only:
            return ERROR
        if self.bus_off or self._counters.off or self._rate != self._bus_rate:
            self.bus_off = self.bus_off or self._counters.off
            self._flags |= FLAG_TX_FULL
            return ERROR
        self._transmit(frame, now_ns)
        return b"Z\r" if frame.extended else b"z\r"


def line_end(data: bytes, cut: int) -> int:
    """Where the line ends that a cut before byte `cut` tears; `cut` itself between two lines."""
    if cut <= 0 or data[cut - 1 : cut] in LINE_ENDS:
        return max(cut, 0)
    ends = [at for mark in LINE_ENDS if (at := data.find(mark, cut)) >= 0]
    return min(ends) + 1 if ends else len(data)


def _parse(letter: str, rest: str) -> WireFrame | None:
    """The frame that a send command asks for, or None if the command is malformed."""
    digits = _HEADS[letter]
    match = re.fullmatch(rf"([0-9A-Fa-f]{{{digits}}})([0-9A-Fa-f])([0-9A-Fa-f]*)", rest)
    if match is None:
        return None
    identifier, code = int(match[1], 16), int(match[2], 16)
    extended, kind = letter.isupper(), letter.lower()
    if identifier > (0x1FFFFFFF if extended else 0x7FF) or (kind in "tr" and code > 8):
        return None
    size = FD_LENGTHS[code]
    if len(match[3]) != (0 if kind == "r" else 2 * size):
        return None
    return WireFrame(
        identifier,
        bytes.fromhex(match[3]),
        extended=extended,
        remote=kind == "r",
        fd=kind in "db",
        length=size if kind == "r" else 0,
    )
