# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One step of commissioning: what it is given, and what it finds."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from boa_hardware.calibration.record import CalibrationRecord
from boa_tools.commission.bench import Bench
from boa_tools.commission.operator import Operator


class Verdict(Enum):
    """What a finding means for the robot."""

    NOTE = "note"
    CORRECTED = "corrected"  # the record has the right value from now on
    WRONG = "WRONG"  # to be repaired before the step counts as done


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a step has found.

    Attributes:
        subject: the part: a joint, a link, a servo.
        text: what is the matter. remedy: what to do; empty where nothing is to be done.
    """

    verdict: Verdict
    subject: str
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        advice = f"; {self.remedy}" if self.remedy else ""
        return f"{self.verdict.value:<10}{self.subject:<10} {self.text}{advice}"


def wrong(subject: str, text: str, remedy: str) -> Finding:
    """To be repaired."""
    return Finding(Verdict.WRONG, subject, text, remedy)


def corrected(subject: str, text: str) -> Finding:
    """The record has the right value."""
    return Finding(Verdict.CORRECTED, subject, text)


def note(subject: str, text: str) -> Finding:
    """Worth knowing."""
    return Finding(Verdict.NOTE, subject, text)


class Outcome(NamedTuple):
    """The record with what was measured, and the findings."""

    record: CalibrationRecord
    findings: Sequence[Finding]

    @property
    def right(self) -> bool:
        """Nothing is to be repaired."""
        return not any(finding.verdict is Verdict.WRONG for finding in self.findings)


class Step(Protocol):
    """One step.

    Attributes:
        name: in the record and on the command line. summary: for people.
    """

    name: str
    summary: str

    def run(self, bench: Bench, operator: Operator, record: CalibrationRecord) -> Outcome:
        """Measure, and tell.

        Raises:
            PlantError: the robot cannot be measured; says why, and what to do.
        """
