# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests of a board's author, and the findings of a check."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from boa_hardware.spine.conformance.bench import BoardBench, Received
from boa_hardware.spine.protocol import Opcode


class Result(Enum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "FAILED"
    SKIPPED = "not tested"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the table."""

    check: str
    result: Result
    text: str


@dataclass(frozen=True, slots=True)
class Requests:
    """Steps that the author wants to do by hand.

    Attributes:
        turn: deg, counter-clockwise, by which the board is turned when told; None: not.
        load: N along the sensor's x axis that is put on when told; None: not.
        panic: PANIC may be sent; boards with a servo need a power cycle afterwards.
        arm: the joint is free to turn: a torque may be commanded after the PANIC.
        seconds: time for the hand.
        range_n: of the force sensor, N.
    """

    turn: float | None = None
    load: float | None = None
    panic: bool = False
    arm: bool = False
    seconds: float = 5.0
    range_n: float = 50.0


Tell = Callable[[str], None]
Check = Callable[[BoardBench, int, Requests, Tell], Finding]


def passed(check: str, text: str) -> Finding:
    """The board does it right."""
    return Finding(check, Result.PASSED, text)


def failed(check: str, text: str) -> Finding:
    """The board does it wrong."""
    return Finding(check, Result.FAILED, text)


def skipped(check: str, text: str) -> Finding:
    """Nobody has requested it; `text` says how to."""
    return Finding(check, Result.SKIPPED, text)


def name_of(item: Received) -> str:
    """A received frame in words."""
    known = item.opcode in set(Opcode)
    name = Opcode(item.opcode).name if known else f"opcode {item.opcode:#04x}"
    return f"{name} of link {item.link}"
