# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults on the emulated servo line: packets lost, damaged, late or doubled, by rate or by time."""

import random
from dataclasses import dataclass, field
from typing import Literal

from boa_hardware.emulator.servo_chain import Answer


@dataclass(slots=True)
class LineFault:
    """One fault rule. It acts while `start <= now < stop` (seconds on the line's clock), on each
    packet with probability `rate`.

    Attributes:
        kind: lose the bytes, flip bits of one byte, deliver them late, deliver them twice.
        where: what the host sends ("request") or what it gets ("reply").
        rate: 0 to 1.
        delay: how late, s; for "delay" and for the second copy of "duplicate".
        most: it strikes so often and no more.
        hits: how often it has struck.
    """

    kind: Literal["lose", "corrupt", "delay", "duplicate"]
    where: Literal["request", "reply"] = "reply"
    rate: float = 1.0
    delay: float = 0.005
    start: float = 0.0
    stop: float = float("inf")
    most: float = float("inf")
    hits: int = field(default=0, compare=False)


class LineFaults:
    """All fault rules of a line and their dice.

    Args:
        rules: may be changed while the line runs.
        seed: the same seed and traffic give the same faults.
    """

    def __init__(self, rules: list[LineFault] | None = None, seed: int = 0) -> None:
        self.rules = rules if rules is not None else []
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
            if rule.where == where
            and rule.start <= now < rule.stop
            and rule.hits < rule.most
            and self._dice.random() < rule.rate
        ]
        for rule in struck:
            rule.hits += 1
        return struck

    def _damage(self, data: bytes) -> bytes:
        """Flip one to eight bits of one byte."""
        if not data:
            return data
        at = self._dice.randrange(len(data))
        return data[:at] + bytes((data[at] ^ self._dice.randrange(1, 256),)) + data[at + 1 :]
