# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""python-can's slcan driver with another way in.

Opening, closing and sending are python-can's. Receiving is ours, for three reasons (python-can
4.6.1): it reads byte by byte (a system call each, 39 frames take several milliseconds); it takes a
line that lost characters for a valid frame with too little data; and after one byte above 127 every
call raises, because its buffer is never emptied. The adapter's status flags (`F`) are read here as
well.
"""

import re
import select
import time
from binascii import unhexlify
from collections import deque
from typing import Any

import can
from can.interfaces.slcan import slcanBus
from can.util import CAN_FD_DLC

from boa_hardware.tty_lock import TtyLock

BELL = b"\a"
RETURN = b"\r"
# Lawicel CANUSB manual, command F
FLAG_ERROR_WARNING = 1 << 2
FLAG_ERROR_PASSIVE = 1 << 5
FLAG_BUS_ERROR = 1 << 7

LONGEST_LINE = 160  # an extended CAN FD frame with 64 bytes and a time stamp has 142 characters
_FRAME = re.compile(
    rb"(?:([tdbr])([0-9A-Fa-f]{3})|([TDBR])([0-9A-Fa-f]{8}))([0-9A-Fa-f])([0-9A-Fa-f]*)"
)


def parse_frame(line: bytes) -> can.Message | None:
    """Return the frame that a received line carries, or None if it is not exactly one frame.

    A line with a time stamp (command Z) is refused: with stamps allowed, a line that lost four
    characters would seem whole. `SlcanBus` switches stamps off.
    """
    if line[:1] == b"t":
        return _parse_plain(line)
    match = _FRAME.fullmatch(line)
    if match is None:
        return None
    extended = match[1] is None
    kind = (match[3] if extended else match[1]).decode().lower()
    identifier = int(match[4] if extended else match[2], 16)
    code = int(match[5], 16)
    if (kind in "tr" and code > 8) or identifier > (0x1FFFFFFF if extended else 0x7FF):
        return None
    length = CAN_FD_DLC[code]
    digits = 0 if kind == "r" else 2 * length
    if len(match[6]) != digits:
        return None
    return can.Message(
        timestamp=time.time(),
        arbitration_id=identifier,
        is_extended_id=extended,
        is_remote_frame=kind == "r",
        is_fd=kind in "db",
        bitrate_switch=kind == "b",
        dlc=length,
        data=None if kind == "r" else bytes.fromhex(match[6].decode()),
    )


def _parse_plain(line: bytes) -> can.Message | None:
    """`parse_frame` for a classic data frame with 11 bit identifier: what comes some thousand times
    per second.
    """
    try:
        head, data = unhexlify(b"0" + line[1:4] + b"0" + line[4:5]), unhexlify(line[5:])
    except ValueError:
        return None
    if len(head) != 3 or len(data) != head[2] or len(data) > 8 or head[0] > 7:
        return None
    return can.Message(
        timestamp=time.time(),
        arbitration_id=head[0] << 8 | head[1],
        is_extended_id=False,
        data=data,
    )


class LineSplitter:
    """Cuts a byte stream into lines that end in CR or BEL; forgets what is longer than any line."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Return the complete lines, without their end."""
        self._rest += data.replace(BELL, RETURN)
        *lines, rest = self._rest.split(RETURN)
        if len(rest) > LONGEST_LINE:
            rest = bytearray()
        self._rest = rest
        return [bytes(line) for line in lines if line]


class SlcanBus(slcanBus):
    """A Lawicel-protocol adapter (CANable, CANUSB, ...) on a serial line, for this program alone.

    Attributes:
        flags: the adapter's last answer to `request_flags`, None before the first.
        malformed_lines: lines that were no frame, no answer and not empty.
        refusals: commands and frames that the adapter answered with BEL.

    Raises:
        TtyBusyError: another program has the line; nothing has been sent.
    """

    def __init__(self, channel: str, **options: Any) -> None:
        self._splitter = LineSplitter()
        self._frames: deque[can.Message] = deque()
        self.flags: int | None = None
        self.malformed_lines = 0
        self.refusals = 0
        self._lock = TtyLock(channel)
        try:
            super().__init__(channel, **options)
        except BaseException:
            self._lock.release()
            raise

    def open(self) -> None:
        """Open the CAN channel without time stamps (an adapter may remember an earlier Z1)."""
        self._write("Z0")
        super().open()

    def request_flags(self) -> None:
        """Ask for the status flags; adapters that do not know the command never answer, `flags`
        stays None.
        """
        self._write("F")

    def restart(self) -> None:
        """Close and open the CAN channel: what brings a Lawicel adapter back after bus-off."""
        self.close()
        self.open()

    def shutdown(self) -> None:
        """See can.BusABC; others may have the line afterwards."""
        try:
            super().shutdown()
        finally:
            self._lock.release()

    def recv(self, timeout: float | None = None) -> can.Message | None:
        """See can.BusABC; frames that are here already are handed out without its detour."""
        if self._frames and not self.filters:
            return self._frames.popleft()
        return super().recv(timeout)

    def _recv_internal(self, timeout: float | None) -> tuple[can.Message | None, bool]:
        if not self._frames:
            self._read_lines(timeout)
        return (self._frames.popleft() if self._frames else None), False

    def _read_lines(self, timeout: float | None) -> None:
        port = self.serialPortOrig
        try:
            ready, _, _ = select.select([port], [], [], timeout)
            data = port.read(port.in_waiting or 1) if ready else b""
        except (OSError, ValueError, TypeError) as error:
            raise can.CanOperationError(
                f"the serial line of the CAN adapter is gone: {error}"
            ) from error
        self.refusals += data.count(BELL)
        for line in self._splitter.feed(data):
            self._take(line)

    def _take(self, line: bytes) -> None:
        frame = parse_frame(line)
        if frame is not None:
            self._frames.append(frame)
        elif re.fullmatch(rb"F[0-9A-Fa-f]{2}", line):
            self.flags = int(line[1:], 16)
        elif not re.fullmatch(rb"[zZ]|[VvN].*", line):
            self.malformed_lines += 1
