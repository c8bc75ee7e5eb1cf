# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who moves the robot by hand: a person at the terminal, or scripted hands at an emulated one."""

from __future__ import annotations

import math
import select
import sys
import termios
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from boa_control.plant import PlantError

BEND, TURN, SHOVE = 0.45, 0.8, 1.0  # rad, rad, m/s2: of scripted hands


@dataclass(frozen=True, slots=True)
class Bend:
    """Bend one joint to both sides as far as it goes, and back; `joint` from 1. `again`: it was
    hardly bent.
    """

    joint: int
    again: bool = False

    def __str__(self) -> str:
        once_more = "once more, since it was hardly bent: " if self.again else ""
        return (
            f"{once_more}bend joint {self.joint}, between links {self.joint} and {self.joint + 1}: "
            "the part with the head to the left as far as it goes, then to the right, then back; "
            "keep the other joints as they are"
        )


@dataclass(frozen=True, slots=True)
class Straighten:
    """Lay the robot straight."""

    def __str__(self) -> str:
        return "lay the robot straight along a ruler, and leave it"


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn the whole robot counter-clockwise."""

    def __str__(self) -> str:
        return (
            "turn the whole robot counter-clockwise, seen from above, by about 45 degrees, without "
            "bending it"
        )


@dataclass(frozen=True, slots=True)
class Shove:
    """Shove the straight robot along its body, or across."""

    across: bool

    def __str__(self) -> str:
        way = "to its left" if self.across else "towards its head"
        return f"straighten the robot, shove it briskly by a hand's breadth {way}, and stop it"


@dataclass(frozen=True, slots=True)
class Unload:
    """Take every load off the robot."""

    def __str__(self) -> str:
        return "lift the robot off everything that presses on it, and leave it still"


@dataclass(frozen=True, slots=True)
class Hang:
    """Pull at one joint with a known force; `joint` from 1. `again`: it was not held to the end."""

    joint: int
    newton: float
    across: bool
    again: bool = False

    def __str__(self) -> str:
        way = "to its left" if self.across else "towards the head"
        once_more = "once more, since the force was not steady: " if self.again else ""
        return (
            f"{once_more}hold link {self.joint} and pull link {self.joint + 1} {way} with "
            f"{self.newton:g} N (a weight over a pulley, a spring balance); keep it so until you "
            "have said so"
        )


@dataclass(frozen=True, slots=True)
class StandClear:
    """Let go: the robot moves by itself."""

    what: str

    def __str__(self) -> str:
        return f"{self.what}: stand clear, hand on the emergency stop"


Task = Bend | Straighten | Turn | Shove | Unload | Hang | StandClear
Watch = Callable[[], float]
"""Takes one sample and returns its time, s."""


class Operator(Protocol):
    """Does what a step asks for.

    Attributes:
        name: kept in the record.
    """

    name: str

    def perform(self, task: Task, watch: Watch) -> None:
        """Do `task`, calling `watch` all the while."""

    def answer(self, question: str, usual: str) -> str:
        """A text, such as a serial number."""

    def confirm(self, question: str) -> bool:
        """Whether something may be done."""


class TerminalOperator:
    """A person who reads the terminal and presses Enter."""

    def __init__(self, name: str) -> None:
        self.name = name

    def perform(self, task: Task, watch: Watch) -> None:
        """See Operator."""
        _forget_typed()
        print(f"  -> {task}.\n     Begin now; Enter when it is done.", flush=True)
        while not select.select([sys.stdin], [], [], 0.0)[0]:
            watch()
        if not sys.stdin.readline():
            raise PlantError("the terminal has been closed; run `boa commission` again to go on")

    def answer(self, question: str, usual: str) -> str:
        """See Operator."""
        _forget_typed()
        return input(f"  -> {question} [{usual}]: ").strip() or usual

    def confirm(self, question: str) -> bool:
        """See Operator."""
        _forget_typed()
        return input(f"  -> {question} [y/N] ").strip().lower() in ("y", "yes")


def _forget_typed() -> None:
    """A key pressed twice must not answer what has not been read, least of all "stand clear"."""
    if sys.stdin.isatty():
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


class HandsLike(Protocol):
    """The verbs of `boa_hardware.emulator.hands.Hands`."""

    def bend(self, joints: dict[int, float], seconds: float) -> None: ...
    def turn(self, angle: float, seconds: float) -> None: ...
    def shove(self, along: float, across: float, seconds: float) -> None: ...
    def hang(self, joint: int, along: float, across: float) -> None: ...
    def release(self) -> None: ...


class ScriptedOperator:
    """Hands that do everything at once and exactly, at the emulated robot.

    Args:
        hands: of the emulated robot.
        joints: of the robot.
    """

    name = "scripted hands"

    def __init__(self, hands: HandsLike, joints: int) -> None:
        self._hands = hands
        self._joints = joints

    def perform(self, task: Task, watch: Watch) -> None:
        """See Operator."""
        hands = self._hands
        match task:
            case Bend(joint):
                for angle in (BEND, -BEND, 0.0):
                    hands.bend({joint - 1: angle}, 0.35)
                    _pass(0.4, watch)
            case Straighten():
                hands.bend(dict.fromkeys(range(self._joints), 0.0), 1.0)
                _pass(1.3, watch)
            case Turn():
                hands.turn(TURN, 1.0)
                _pass(1.5, watch)
            case Shove(across):
                hands.shove(0.0 if across else SHOVE, SHOVE if across else 0.0, 0.6)
                _pass(0.8, watch)
            case Unload():
                hands.bend({}, 0.1)
                _pass(0.5, watch)
            case Hang(joint, newton, across):
                hands.hang(joint - 1, 0.0 if across else newton, newton if across else 0.0)
                _pass(0.25, watch)
                hands.hang(joint - 1, 0.0, 0.0)
            case StandClear():
                hands.release()
                _pass(0.5, watch)

    def answer(self, question: str, usual: str) -> str:  # noqa: ARG002
        """See Operator."""
        return usual

    def confirm(self, question: str) -> bool:  # noqa: ARG002
        """See Operator."""
        return True


class NoOperator:
    """Nobody: for what can be done without hands."""

    name = "nobody"

    def perform(self, task: Task, watch: Watch) -> None:
        """See Operator."""
        if not isinstance(task, StandClear):
            raise PlantError(f"nobody is there to {task}; run it without --check")
        print(f"  {task}", flush=True)
        watch()

    def answer(self, question: str, usual: str) -> str:  # noqa: ARG002
        """See Operator."""
        return usual

    def confirm(self, question: str) -> bool:  # noqa: ARG002
        """See Operator."""
        return False


def _pass(seconds: float, watch: Watch) -> None:
    """Watch for so long, in the time of the samples."""
    begin, now = watch(), -math.inf
    while now - begin < seconds:
        now = watch()
