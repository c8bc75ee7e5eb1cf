# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emulated servos on a pseudo-terminal: real bytes, wire time of the baud rate, half duplex,
faults.
"""

import contextlib
import fcntl
import heapq
import os
import select
import struct
import threading
import time
from collections.abc import Callable, Sequence
from typing import Self

from boa_hardware.emulator.servo_chain import BITS_PER_BYTE, Answer, ServoChain
from boa_hardware.emulator.servo_faults import LineFaults
from boa_hardware.emulator.terminal import PortFolder, Terminal

IDLE_STEP = 0.01  # s between two checks of watchdogs and protections without traffic
_TCGETS2 = 0x802C542A  # struct termios2: the only way to see a rate such as 4.5 Mbit/s
_TERMIOS2 = struct.Struct("=4IB19s2I")


class ServoLine:
    """A serial port that a host opens, with a chain of servos behind it.

    Runs a thread from `start` to `stop`; or `plug` it and call `turn` yourself, when a descriptor
    is readable or after `due()` seconds.

    `port` is a stable path (a link): it stays the same when the line is unplugged and plugged in
    again, as a path under /dev/serial/by-id does, and leads nowhere without this process.

    Args:
        chain: the servos.
        faults: what goes wrong on the line.
        latency: time the USB adapter adds to every answer, s.
        clock: seconds, never running back; default CLOCK_MONOTONIC. The line's faults and physics
            share it.
    """

    def __init__(
        self,
        chain: ServoChain,
        faults: LineFaults | None = None,
        *,
        latency: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.chain = chain
        self.faults = faults or LineFaults()
        self.latency = latency
        self.clock = clock
        self.collisions = 0
        self.lock = threading.Lock()
        """Guards chain, servos and faults; hold it to change them from another thread."""
        self._folder = PortFolder()
        self._link = self._folder.path / "port"
        self._terminal: Terminal | None = None
        self._descriptors: tuple[int, int] | None = None
        self._outbox: list[tuple[float, int, bytes]] = []
        self._sent = 0
        self._on_wire: list[Answer] = []
        self._free_from = 0.0
        self._advanced = float("-inf")
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> str:
        """Path for the host to open."""
        return str(self._link)

    def start(self) -> None:
        """Plug in and answer from now on."""
        self.plug()
        self._thread = threading.Thread(target=self._run, name="servo-line", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop answering and remove the port; may be called twice."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.unplug()
        self._folder.remove()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def plug(self) -> None:
        """Make the serial port appear."""
        with self.lock:
            if self._descriptors is not None:
                return
            self._terminal = Terminal(self._link)
            self._descriptors = (self._terminal.master, self._terminal.slave)

    def unplug(self) -> None:
        """Make the serial port vanish under the host; the servos keep their power."""
        with self.lock:
            if self._terminal is None:
                return
            self._terminal.close()
            self._terminal = self._descriptors = None
            self._outbox.clear()
            self._on_wire.clear()

    # its work

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Source of the host's bytes; none while unplugged."""
        return () if self._descriptors is None else self._descriptors[:1]

    def due(self) -> float:
        """Seconds until `turn` has something to do, whether bytes come or not."""
        idle = IDLE_STEP - (self.clock() - self._advanced)
        sending = self._outbox[0][0] - self.clock() if self._outbox else idle
        return max(0.0, min(sending, idle))

    def turn(self, *, readable: bool) -> None:
        """Deliver what is due, read what has come, let time pass."""
        with self.lock:
            self._deliver_due()
            now = self.clock()
            if readable and self._read_host(now):
                self._advanced = now
                # working the answer out may have taken longer than the wire does
                self._deliver_due()
            elif now - self._advanced >= IDLE_STEP / 2:
                self._advanced = now
                self.chain.advance(now)

    def _read_host(self, now: float) -> bool:
        """Take what the host has sent; False if there is nothing."""
        if self._descriptors is None:
            return False
        with contextlib.suppress(BlockingIOError, OSError):
            self._exchange(os.read(self._descriptors[0], 4096), now)
            return True
        return False

    def _deliver_due(self) -> None:
        now = self.clock()
        while self._outbox and self._outbox[0][0] <= now:
            self._deliver(heapq.heappop(self._outbox)[2])

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.turn(readable=bool(readable(self.descriptors, self.due())))

    def _deliver(self, data: bytes) -> None:
        if self._descriptors is not None:
            # a host that never reads loses bytes, as with USB
            with contextlib.suppress(BlockingIOError, OSError):
                os.write(self._descriptors[0], data)

    def _exchange(self, data: bytes, now: float) -> None:
        """The host has sent bytes: put them on the wire, collect the answers."""
        if self._collides(now):
            return
        baud = self._host_baud()
        start = max(now, self._free_from)
        self._free_from = start + len(data) * BITS_PER_BYTE / baud
        received = self.faults.request(data, now)
        answers = self.chain.handle(received, start, baud) if received else []
        if not answers:
            return
        self._on_wire = answers
        self._free_from = answers[-1].end
        for answer in answers:
            for arrived in self.faults.reply(answer, now):
                self._sent += 1
                heapq.heappush(self._outbox, (arrived.end + self.latency, self._sent, arrived.data))

    def _collides(self, now: float) -> bool:
        """Half duplex: a host that speaks into an answer destroys both; servos that wait to speak
        give up.
        """
        unfinished = [answer for answer in self._on_wire if answer.end > now]
        self._on_wire = []
        if not unfinished:
            return False
        self._outbox = [entry for entry in self._outbox if entry[0] - self.latency <= now]
        self._free_from = now
        if unfinished[0].start > now:
            return False
        self.collisions += 1
        return True

    def _host_baud(self) -> int:
        """The rate the host has set on its end of the pseudo-terminal, bit/s."""
        assert self._descriptors is not None
        raw = fcntl.ioctl(self._descriptors[1], _TCGETS2, bytes(_TERMIOS2.size))
        return int(_TERMIOS2.unpack(raw)[-1])


def readable(descriptors: Sequence[int], seconds: float) -> list[int]:
    """Which of them have something to read, waiting for at most `seconds` for the first; none when
    one is unplugged.
    """
    try:
        return select.select(descriptors, (), (), seconds)[0]
    except (OSError, ValueError):
        return []
