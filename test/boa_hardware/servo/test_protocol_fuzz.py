# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""120,000 damaged packets: nothing escapes, nothing wrong is taken, the next good packet is
found.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from boa_hardware.servo.protocol import (
    Packet,
    Status,
    StreamParser,
    as_status,
    encode,
    encode_status,
    fast_sync_read_reply,
    parse_fast_sync_read,
)

PER_KIND = 15_000
GOOD = Packet(5, 0x55, b"\x00good")
GOOD_BYTES = encode(GOOD)

Mutation = Callable[[bytes, random.Random], bytes]


def flip_one_bit(frame: bytes, dice: random.Random) -> bytes:
    return flip(frame, [dice.randrange(8 * len(frame))])


def flip_two_bits(frame: bytes, dice: random.Random) -> bytes:
    return flip(frame, dice.sample(range(8 * len(frame)), 2))


def flip_odd_bits(frame: bytes, dice: random.Random) -> bytes:
    return flip(frame, dice.sample(range(8 * len(frame)), dice.choice((3, 5, 7))))


def burst(frame: bytes, dice: random.Random) -> bytes:
    """Up to 16 neighbouring bits, which the CRC is sure to see."""
    first = dice.randrange(8 * len(frame) - 16)
    pattern = dice.randrange(1, 1 << 15) << 1 | 1
    return flip(frame, [first + bit for bit in range(16) if pattern >> bit & 1])


def cut_off(frame: bytes, dice: random.Random) -> bytes:
    return frame[: dice.randrange(len(frame))]


def lose_bytes(frame: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(frame))
    return frame[:at] + frame[at + dice.randrange(1, 4) :]


def insert_bytes(frame: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(1, len(frame))
    return frame[:at] + dice.randbytes(dice.randrange(1, 4)) + frame[at:]


def overwrite(frame: bytes, dice: random.Random) -> bytes:
    """Anything in place of two to six bytes, headers and lengths included."""
    size = dice.randrange(2, 7)
    at = dice.randrange(len(frame) - size)
    noise = dice.choice((dice.randbytes(size), (b"\xff\xff\xfd\x00\x01\x0a\x00")[:size]))
    return frame[:at] + noise + frame[at + size :]


MUTATIONS = (
    flip_one_bit,
    flip_two_bits,
    flip_odd_bits,
    burst,
    cut_off,
    lose_bytes,
    insert_bytes,
    overwrite,
)


def is_answer(packet: Packet, sent: Status) -> bool:
    """From the servo that was asked, with as many bytes as were asked for.

    Overwritten spans of more than 16 bits pass a 16-bit CRC once in 65,536, so the length counts
    too.
    """
    status = as_status(packet)
    return status is not None and status.id == sent.id and len(status.data) == len(sent.data)


def flip(frame: bytes, bits: list[int]) -> bytes:
    changed = bytearray(frame)
    for bit in bits:
        changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutate: mutate.__name__)
def test_damaged_packets(mutate: Mutation) -> None:
    dice = random.Random(20)
    parser = StreamParser()
    for _ in range(PER_KIND):
        size = dice.choice((0, 1, 4, 14))
        tricky = dice.random() < 0.3
        data = (
            bytes(dice.choice((0xFF, 0xFD, 0x00)) for _ in range(size))
            if tricky
            else dice.randbytes(size)
        )
        sent = Status(dice.randrange(253), dice.choice((0, 0, 0x80, 4)), data)
        frame = encode_status(sent)
        damaged = mutate(frame, dice)
        received = [*parser.feed(damaged), *parser.feed(GOOD_BYTES)]
        assert received[-1] == GOOD, "did not resynchronise"
        for packet in received[:-1]:
            # what every reader of the bus asks before it believes a datum
            if is_answer(packet, sent):
                assert as_status(packet) == sent
                assert frame in damaged  # an insertion or overwriting may have left it as it was
        parser.clear()


def test_damaged_cycle_replies() -> None:
    """The fast path's own parser: what it accepts of a damaged reply is what was sent."""
    dice = random.Random(21)
    servos, size = (1, 2, 3, 4), 14
    for _ in range(10_000):
        statuses = [Status(servo, 0, dice.randbytes(size)) for servo in servos]
        damaged = dice.choice(MUTATIONS)(fast_sync_read_reply(statuses), dice)
        accepted = parse_fast_sync_read(damaged, servos, size)
        assert all(statuses[servo - 1] == status for servo, status in accepted.items())


def test_pure_noise_never_becomes_a_packet_from_nowhere() -> None:
    dice = random.Random(22)
    parser = StreamParser()
    for _ in range(2_000):
        parser.feed(dice.randbytes(100))
        parser.feed(bytes(dice.choice((0xFF, 0xFD, 0x00, 0x03)) for _ in range(50)))
    assert parser.pending <= 1100
    assert parser.feed(GOOD_BYTES)[-1] == GOOD
