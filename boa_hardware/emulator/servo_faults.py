# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults on the emulated servo line: packets lost, damaged, late or doubled, by rate or by time."""

import random
from typing import Literal

from pydantic import Field

from boa_description.robot import Ratio, Second
from boa_hardware.emulator.servo_chain import Answer
from boa_hardware.emulator.spine_faults import Timed


class LineFault(Timed):
    """A fault of the servo line. Without `unplug`, which is the adapter's, it strikes packets one
    by one: loses their bytes, flips bits of one byte, delivers them late or twice.
    """

    kind: Literal["lose", "corrupt", "delay", "duplicate", "unplug"]
    where: Literal["request", "reply"] = Field(
        default="reply", description="what the host sends, or what it gets"
    )
    rate: Ratio = Field(
        default=1.0, gt=0, le=1, description="share of the packets, drawn at random"
    )
    delay: Second = Field(
        default=0.005, ge=0, description="how late; for delay and the second copy of duplicate"
    )


class LineFaults:
    """All fault rules of a line and their dice.

    Args:
        rules: may be changed while the line runs.
        seed: the same seed and traffic give the same faults.

    Attributes:
        hits: how often a rule has struck.
    """

    def __init__(self, rules: list[LineFault] | None = None, seed: int = 0) -> None:
        self.rules = rules if rules is not None else []
        self.hits = 0
        self._dice = random.Random(seed)

    def request(self, data: bytes, now: float) -> bytes:
        """The bytes of the host that reach the servos; b"" when lost.

        Requests cannot be late or doubled.
        """
        for rule in self._striking("request", now):
            data = self._damage(data) if rule.kind == "corrupt" else b""
        return data

    def reply(self, answer: Answer, now: float) -> list[Answer]:
        """The part of one packet that reaches the host, with the time of arrival as `end`."""
        answers = [answer]
        for rule in self._striking("reply", now):
            if rule.kind == "lose":
                return []
            answers = [changed for one in answers for changed in self._change(rule, one)]
        return answers

    def _change(self, rule: LineFault, answer: Answer) -> list[Answer]:
        late = Answer(answer.start + rule.delay, answer.end + rule.delay, answer.data)
        if rule.kind == "delay":
            return [late]
        if rule.kind == "duplicate":
            return [answer, late]
        return [Answer(answer.start, answer.end, self._damage(answer.data))]

    def _striking(self, where: str, now: float) -> list[LineFault]:
        struck = [
            rule
            for rule in self.rules
            if rule.where == where and rule.acts(now) and self._dice.random() < rule.rate
        ]
        self.hits += len(struck)
        return struck

    def _damage(self, data: bytes) -> bytes:
        """Flip one to eight bits of one byte."""
        if not data:
            return data
        at = self._dice.randrange(len(data))
        return data[:at] + bytes((data[at] ^ self._dice.randrange(1, 256),)) + data[at + 1 :]
