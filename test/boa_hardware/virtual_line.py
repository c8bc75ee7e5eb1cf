# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emulated servo line in simulated time: no pseudo-terminal, no thread, the same bytes at the
same moments.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

from boa_hardware.emulator.servo_chain import ServoChain
from boa_hardware.emulator.servo_faults import LineFaults
from boa_hardware.emulator.servo_line import ServoLine
from boa_hardware.servo.errors import BusGoneError
from boa_hardware.servo.sdk import ServoPort

SLICE = 0.005  # s; faults of servos begin and end at least so often
NO_DESCRIPTORS = (-1, -1)


class VirtualClock:
    """Simulated time, ns; a callable like `time.monotonic_ns`."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns

    def advance_to(self, now_ns: int) -> None:
        """Never runs back."""
        self.now_ns = max(self.now_ns, now_ns)


class VirtualLine(ServoLine):
    """The servo line without a pseudo-terminal: what the servos send is taken from `received`.

    Args:
        chain, faults: as of a ServoLine.
        clock: goes on while somebody waits for bytes, and in `let_pass`.
        unplugged: whether the adapter is out at a time, s; None: only after `unplug`.
        watch: told the time, s, every few milliseconds, for whatever happens to servos from
            outside.
    """

    def __init__(
        self,
        chain: ServoChain,
        faults: LineFaults | None,
        clock: VirtualClock,
        *,
        unplugged: Callable[[float], bool] | None = None,
        watch: Callable[[float], None] | None = None,
    ) -> None:
        super().__init__(chain, faults, clock=lambda: clock.now_ns * 1e-9)
        self.received = bytearray()
        self.baud = 0
        self._ns = clock
        self._is_out = unplugged or (lambda _: False)
        self._watch = watch or (lambda _: None)

    def start(self) -> None:
        """Plug in; there is no thread."""
        self.plug()

    def plug(self) -> None:
        """See ServoLine."""
        self._descriptors = NO_DESCRIPTORS

    def unplug(self) -> None:
        """See ServoLine."""
        self._descriptors = None
        self._outbox.clear()
        self._on_wire.clear()
        self.received.clear()

    @property
    def unplugged(self) -> bool:
        """The adapter is out."""
        return self._descriptors is None or self._is_out(self.clock())

    def host(self, name: str, baud: int) -> VirtualPort:
        """The host's end, still closed; what ServoBus and ServoLink take as `make_port`."""
        return VirtualPort(name, baud, self)

    def receive(self, data: bytes) -> None:
        """The host sends."""
        self._watch(self.clock())
        self._exchange(data, self.clock())

    def wait(self, deadline_ns: int) -> None:
        """Let time pass until bytes arrive or until the deadline."""
        while not self.received and self._ns.now_ns < deadline_ns:
            due_ns = -(-self._outbox[0][0] * 1e9 // 1) if self._outbox else deadline_ns
            self._ns.advance_to(min(int(due_ns), deadline_ns))
            self.deliver_due()

    def deliver_due(self) -> None:
        """Bytes that have arrived by now become readable."""
        while self._outbox and self._outbox[0][0] <= self.clock() + 1e-9:
            self._deliver(heapq.heappop(self._outbox)[2])

    def let_pass(self, until_ns: int) -> None:
        """Let time pass without the host listening."""
        while self._ns.now_ns < until_ns:
            self._ns.advance_to(min(until_ns, self._ns.now_ns + round(SLICE * 1e9)))
            self._watch(self.clock())
            self.turn(readable=False)

    def _deliver(self, data: bytes) -> None:
        self.received += data

    def _host_baud(self) -> int:
        return self.baud


class VirtualPort(ServoPort):
    """The host's end of a `VirtualLine`."""

    def __init__(self, name: str, baud: int, line: VirtualLine) -> None:
        self._line = line
        super().__init__(name, baud)

    def now_ns(self) -> int:
        """See ServoPort."""
        return self._line._ns.now_ns

    def setupPort(self, cflag_baud: int) -> bool:
        """See ServoPort."""
        self._require_plugged()
        self.is_open = True
        self._line.baud = cflag_baud
        self._line.received.clear()
        self.tx_time_per_byte = 10_000.0 / self.baudrate
        return True

    def closePort(self) -> None:
        """See ServoPort."""
        self.is_open = False

    def clearPort(self) -> int:
        """See ServoPort."""
        self._require_plugged()
        self._line.deliver_due()
        waiting = len(self._line.received)
        self._line.received.clear()
        return waiting

    def writePort(self, packet: bytes | list[int]) -> int:
        """See ServoPort."""
        if not self.is_open:
            raise BusGoneError(f"serial port {self.port_name} is not open; connect first")
        self._require_plugged()
        self.last_sent_ns = self.now_ns()
        self._line.receive(bytes(packet))
        return len(packet)

    def readPort(self, length: int) -> bytes:
        """See ServoPort."""
        self._require_plugged()
        self._line.wait(self._deadline_ns)
        data = bytes(self._line.received[:length])
        del self._line.received[:length]
        return data

    def isPacketTimeout(self) -> bool:
        """The deadline is reached: here reading ends exactly then."""
        return self.now_ns() >= self._deadline_ns

    def _require_plugged(self) -> None:
        if self._line.unplugged:
            self.is_open = False
            raise BusGoneError(
                f"serial port {self.port_name} has gone (unplugged); plug the adapter in again"
            )
