# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A CAN bus as time and arbitration: who sends next, how long it takes, what an error costs.

No I/O and no clock of its own; times are ns on the emulator's clock. Sources: ISO 11898-1 (CRC,
stuffing, error counters); the frame lengths that come out are those of Boa's bus calculation (111
to 135 bits for 8 bytes).
"""

from collections import deque
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

# CRC delimiter, ACK and its delimiter, end of frame, interframe space: never stuffed
BIT_RATE, DATA_RATE = 1_000_000, 5_000_000  # bit/s, nominal and (CAN FD) data phase
TAIL_BITS = 1 + 2 + 7 + 3
ERROR_BITS = 6 + 6 + 8 + 3  # error flags (superposed at worst), delimiter, interframe space
CRC15 = 0x4599
ERROR_PASSIVE, BUS_OFF = 128, 256


class WireFrame(NamedTuple):
    """One frame on the bus.

    `sender` is the link number, 0 for the Brain's adapter, below for others.
    """

    identifier: int
    data: bytes
    sender: int = 0
    extended: bool = False
    remote: bool = False
    fd: bool = False
    length: int = 0  # data length of a remote frame

    @property
    def priority(self) -> int:
        """Lower wins arbitration; a standard frame wins against an extended one with its base."""
        return self.identifier if self.extended else (self.identifier << 18) - 1


def frame_bits(frame: WireFrame) -> int:
    """Length of a classic CAN frame on the wire, bits, with its real stuff bits and the interframe
    space.
    """
    size = frame.length if frame.remote else len(frame.data)
    if frame.extended:
        base, rest = frame.identifier >> 18, frame.identifier & 0x3FFFF
        head = _join((0, 1), (base, 11), (0b11, 2), (rest, 18), (int(frame.remote), 1), (0, 2))
    else:
        head = _join((0, 1), (frame.identifier, 11), (int(frame.remote), 1), (0, 2))
    bits, width = _join(head, (size, 4))
    body, body_width = _join(
        (bits, width), (int.from_bytes(frame.data, "big"), 8 * len(frame.data))
    )
    crc = _crc15(body, body_width)
    total, total_width = _join((body, body_width), (crc, 15))
    return total_width + _stuff_bits(total, total_width) + TAIL_BITS


def fd_frame_ns(size: int, nominal_rate: int, data_rate: int) -> int:
    """Duration of a standard CAN FD frame with bit rate switch, ns, without the data-dependent
    stuff bits.
    """
    crc = 17 if size <= 16 else 21
    fixed_stuff = 1 + (crc + 4) // 4
    nominal = 1 + 11 + 5 + TAIL_BITS  # up to and with BRS, and what follows the CRC
    data = 1 + 4 + 8 * size + 4 + crc + fixed_stuff  # ESI, DLC, data, stuff count, CRC
    return round(nominal * 1e9 / nominal_rate + data * 1e9 / data_rate)


def _join(*parts: tuple[int, int]) -> tuple[int, int]:
    bits = width = 0
    for value, size in parts:
        bits, width = bits << size | value, width + size
    return bits, width


def _crc15(bits: int, width: int) -> int:
    crc, table = 0, _crc15_table()
    # leading zeros do not change a CRC that starts at zero
    for byte in bits.to_bytes(-(-width // 8), "big"):
        crc = (crc << 8 & 0x7FFF) ^ table[crc >> 7 ^ byte]
    return crc


@cache
def _crc15_table() -> tuple[int, ...]:
    """CRC of every byte."""
    return tuple(_crc15_byte(value) for value in range(256))


def _crc15_byte(value: int) -> int:
    crc = value << 7
    for _ in range(8):
        crc = (crc << 1) ^ (CRC15 if crc & 0x4000 else 0)
    return crc & 0x7FFF


def _stuff_bits(bits: int, width: int) -> int:
    """How many stuff bits a frame needs."""
    begun = width % 8
    state, total = _stuffed(_RECESSIVE, bits >> width - begun, begun)
    table = _stuff_table()
    for byte in (bits & (1 << width - begun) - 1).to_bytes(width // 8, "big"):
        state, stuffed = table[state][byte]
        total += stuffed
    return total


# level 1, and no bit of the frame yet; a state is 5 x level + how many bits in a row had it (0 to
# 4)
_RECESSIVE = 5


@cache
def _stuffed(state: int, bits: int, width: int) -> tuple[int, int]:
    """The state after `width` (0 to 8) more bits, and how many stuff bits they needed."""
    (level, run), stuffed = divmod(state, 5), 0
    for shift in range(width - 1, -1, -1):
        bit = bits >> shift & 1
        run = run + 1 if bit == level else 1
        level = bit
        if run == 5:
            stuffed, level, run = stuffed + 1, 1 - bit, 1
    return 5 * level + run, stuffed


@cache
def _stuff_table() -> tuple[tuple[tuple[int, int], ...], ...]:
    """`_stuffed` for every state and byte."""
    return tuple(tuple(_stuffed(state, byte, 8) for byte in range(256)) for state in range(10))


class ErrorCounters:
    """Transmit and receive error counter of one CAN controller."""

    def __init__(self) -> None:
        self.transmit = 0
        self.receive = 0

    @property
    def passive(self) -> bool:
        """Error-passive: too many errors to interfere with others."""
        return max(self.transmit, self.receive) >= ERROR_PASSIVE

    @property
    def warning(self) -> bool:
        """Error-warning level."""
        return max(self.transmit, self.receive) >= 96

    @property
    def off(self) -> bool:
        """Bus-off: takes no part any more."""
        return self.transmit >= BUS_OFF

    def sent(self, *, good: bool) -> None:
        """An own frame has ended."""
        self.transmit = max(0, self.transmit - 1) if good else min(BUS_OFF, self.transmit + 8)

    def received(self, *, good: bool) -> None:
        """Another's frame has ended."""
        self.receive = max(0, self.receive - 1) if good else min(255, self.receive + 1)

    def reset(self) -> None:
        """After a restart of the controller."""
        self.transmit = self.receive = 0


class Transmission(NamedTuple):
    """A frame that was sent, and when its last bit was over."""

    frame: WireFrame
    end_ns: int


class CanWire:
    """The bus: each node sends its frames in order, among nodes the lowest identifier goes first.

    Args:
        destroyed: asked for every frame on the bus; True spoils it, it is sent again.
    """

    def __init__(self, destroyed: Callable[[WireFrame, int], bool] | None = None) -> None:
        self.bit_rate = BIT_RATE
        self._destroyed = destroyed
        # by sender: ready time, priority, frame
        self._queues: dict[int, deque[tuple[int, int, WireFrame]]] = {}
        self._free_ns = 0
        self._current: tuple[int, bool, WireFrame] | None = None  # end, destroyed, frame
        self._errors = False  # some counter may be above zero
        self.counters: dict[int, ErrorCounters] = {0: ErrorCounters()}

    def submit(self, frame: WireFrame, ready_ns: int) -> None:
        """A node wants to send from `ready_ns` on, after what it has submitted before."""
        self.counters.setdefault(frame.sender, ErrorCounters())
        self._queues.setdefault(frame.sender, deque()).append((ready_ns, frame.priority, frame))

    def withdraw(self, sender: int) -> None:
        """Drop all frames that `sender` still wants to send (its controller was closed)."""
        self._queues.pop(sender, None)

    def next_end_ns(self) -> int | None:
        """When the frame on the bus ends, or would end if one could start; None if nobody wants to
        send.
        """
        self._start_next()
        return None if self._current is None else self._current[0]

    def advance(self, now_ns: int) -> Iterable[Transmission]:
        """Yield what ends until `now_ns`, in order.

        Frames submitted meanwhile take part in arbitration.
        """
        while (end := self.next_end_ns()) is not None and end <= now_ns:
            assert self._current is not None
            _, destroyed, frame = self._current
            self._current = None
            self._free_ns = end
            self._count_errors(frame, good=not destroyed)
            if not destroyed:
                yield Transmission(frame, end)
            elif not self.counters[frame.sender].off:
                self._queues.setdefault(frame.sender, deque()).appendleft(
                    (end, frame.priority, frame)
                )

    def _start_next(self) -> None:
        if self._current is not None:
            return
        start = self._free_ns
        frame, soonest = self._winner(start)
        if frame is None:
            if soonest is None:
                return
            start = soonest
            frame, _ = self._winner(start)
            assert frame is not None
        self._queues[frame.sender].popleft()
        destroyed = self._destroyed is not None and self._destroyed(frame, start)
        duration = self.duration_ns(frame) + (
            round(ERROR_BITS * 1e9 / self.bit_rate) if destroyed else 0
        )
        self._current = (start + duration, destroyed, frame)

    def _winner(self, now_ns: int) -> tuple[WireFrame | None, int | None]:
        """The frame that wins arbitration at `now_ns`; if nobody wants to send yet, when the first
        will.
        """
        best: WireFrame | None = None
        lowest, soonest = 0, None
        for sender, queue in self._queues.items():
            if not queue or (self._errors and self.counters[sender].off):
                continue
            ready, priority, frame = queue[0]
            if ready > now_ns:
                soonest = ready if soonest is None else min(soonest, ready)
            elif best is None or priority < lowest:
                best, lowest = frame, priority
        return best, soonest

    def duration_ns(self, frame: WireFrame) -> int:
        """How long a frame occupies the bus."""
        if frame.fd:
            return fd_frame_ns(len(frame.data), self.bit_rate, DATA_RATE)
        return round(frame_bits(frame) * 1e9 / self.bit_rate)

    def _count_errors(self, frame: WireFrame, *, good: bool) -> None:
        if good and not self._errors:
            return
        self._errors = False
        for node, counters in self.counters.items():
            if node == frame.sender:
                counters.sent(good=good)
                if counters.off and node > 0:
                    counters.reset()  # link boards recover by themselves
            elif not counters.off:
                counters.received(good=good)
            self._errors = self._errors or counters.transmit > 0 or counters.receive > 0
