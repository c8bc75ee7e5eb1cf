# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which servos are on a line, and which IDs do several of them share."""

from collections.abc import Callable
from dataclasses import dataclass

from boa_hardware.servo import protocol, sdk
from boa_hardware.servo.link import Identity, ServoLink
from boa_hardware.servo.protocol import BROADCAST, MAX_ID, Status, StreamParser, as_status
from boa_hardware.servo.registers import REGISTERS

PING_SLOT = 0.003  # s per ID that servos leave each other after a broadcast ping
QUICK = 0.03  # s for an answer to a ping of one ID; a late one is found again by `_shares`
TRIES = 5
_STATUS_SIZE = 14  # bytes of the answer to a ping
# registers that differ from servo to servo: from the tick to the temperature
_FIRST, _LAST = REGISTERS["realtime_tick"], REGISTERS["present_temperature"]
_ANSWER_SIZE = 11 + _LAST.end - _FIRST.address  # bytes


@dataclass(frozen=True, slots=True)
class Scan:
    """Result of a scan.

    Attributes:
        servos: those that answer alone, by ID.
        shared: IDs under which several servos answer at once.
        garbled: bytes came that belong to no answer, and no ID explains them.
    """

    servos: tuple[Identity, ...]
    shared: tuple[int, ...] = ()
    garbled: bool = False


def scan(link: ServoLink, tell: Callable[[str], None] = lambda _: None) -> Scan:
    """Ask everybody; where answers were garbled, each ID by itself. Nothing is written.

    Servos with one ID answer at the same time, and what arrives is no answer of any of them. At
    low baud rates equal answers may arrive whole, so every servo that answers is also asked for
    values that differ between servos.

    Args:
        link: open.
        tell: gets one line before a step that takes long.
    """
    identities, noise = _ask_everybody(link)
    suspects = sorted(identities)
    if noise:
        tell(f"garbled answers; asking each of the IDs 0 to {MAX_ID} by itself")
        suspects = _noisy_ids(link)
    shared = tuple(servo for servo in suspects if _shares(link, servo))
    alone = tuple(identities[servo] for servo in sorted(identities) if servo not in shared)
    return Scan(alone, shared, noise and not shared)


def _ask_everybody(link: ServoLink) -> tuple[dict[int, Identity], bool]:
    """Who answers a broadcast ping, and whether other bytes came as well."""
    wire = _STATUS_SIZE * link.port.tx_time_per_byte * 1e-3
    data = _exchange(link, protocol.ping(BROADCAST), (wire + PING_SLOT) * (MAX_ID + 1))
    statuses = _statuses(data)
    identities = {
        status.id: Identity(status.id, status.data[0] | status.data[1] << 8, status.data[2])
        for status in statuses
        if len(status.data) == 3
    }
    return identities, len(data) > _STATUS_SIZE * len(identities)


def _noisy_ids(link: ServoLink) -> list[int]:
    """IDs under which something answers, perhaps that of the neighbour asked before."""
    noisy: set[int] = set()
    for servo in range(MAX_ID + 1):
        if _exchange(link, protocol.ping(servo), QUICK, size=_STATUS_SIZE):
            noisy |= {servo, servo - 1} & set(range(MAX_ID + 1))
    return sorted(noisy)


def _shares(link: ServoLink, servo: int) -> bool:
    """Most answers under this ID are garbled."""
    link.port.discard_until_silent()
    request = protocol.read(servo, _FIRST.address, _LAST.end - _FIRST.address)
    wire = (len(request) + _ANSWER_SIZE) * link.port.tx_time_per_byte * 1e-3
    garbled = 0
    for _ in range(TRIES):
        data = _exchange(link, request, sdk.CONFIGURATION_MARGIN + wire, size=_ANSWER_SIZE)
        garbled += bool(data) and not any(status.id == servo for status in _statuses(data))
    return garbled > TRIES // 2


def _exchange(link: ServoLink, request: bytes, seconds: float, size: int | None = None) -> bytes:
    """Send a request; the bytes that come within so long, or until there are `size`."""
    port = link.port
    port.clearPort()
    port.set_deadline(port.now_ns() + round(seconds * 1e9))
    port.writePort(request)
    received = bytearray()
    while size is None or len(received) < size:
        data = port.readPort(4096)
        if not data:
            break
        received += data
    return bytes(received)


def _statuses(data: bytes) -> list[Status]:
    statuses = (as_status(packet) for packet in StreamParser().feed(data))
    return [status for status in statuses if status is not None]
