# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several servos that speak at the same time on one RS-485 line, and the bytes a host receives.

Two drivers that disagree fight over the line; which one wins depends on cable and drivers. Here a 0
wins (assumption), as on a wired AND: what matters is that answers which differ, or which are not
aligned to the bit, arrive as other bytes than anybody has sent.
"""

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

JITTER = 5e-6  # s by which servos begin to answer at different times; assumption
SAMPLES = 8  # per bit
FRAME_BITS = 10  # start, 8 data, stop

Levels = NDArray[np.bool_]


def superpose(frames: Sequence[bytes], dice: random.Random, bit_rate: int) -> bytes:
    """The bytes that a UART makes of frames that were sent at once, each up to `JITTER` late.

    Args:
        frames: what each servo sends; a single one arrives as it is.
        dice: draws who is how late.
        bit_rate: of the line, bit/s.
    """
    if len(frames) == 1:
        return frames[0]
    late = [round(dice.uniform(0.0, JITTER) * bit_rate * SAMPLES) for _ in frames]
    longest = max(map(len, frames)) * FRAME_BITS * SAMPLES
    line = np.ones(longest + max(late) + FRAME_BITS * SAMPLES, bool)  # a quiet line is high
    for frame, start in zip(frames, late, strict=True):
        levels = _levels(frame)
        line[start : start + len(levels)] &= levels
    return _received(line)


def _levels(frame: bytes) -> Levels:
    """The line while a frame is sent, `SAMPLES` per bit."""
    bits = np.ones((len(frame), FRAME_BITS), bool)
    bits[:, 0] = False
    data = np.frombuffer(frame, np.uint8)[:, None]
    bits[:, 1:9] = np.unpackbits(data, axis=1, bitorder="little")
    return np.repeat(bits.ravel(), SAMPLES)


def _received(line: Levels) -> bytes:
    """A UART: at each falling edge a byte, sampled in the middle of its bits."""
    falling = np.flatnonzero(line[:-1] & ~line[1:]) + 1
    if not line[0]:
        falling = np.concatenate(([0], falling))
    middles = SAMPLES // 2 + SAMPLES * np.arange(1, 9)
    received, free = bytearray(), 0
    for start in falling.tolist():
        if start < free or start + middles[-1] >= len(line):
            continue
        received.append(int(np.packbits(line[start + middles], bitorder="little")[0]))
        free = start + (FRAME_BITS - 1) * SAMPLES  # the stop bit may be cut short by the next byte
    return bytes(received)
