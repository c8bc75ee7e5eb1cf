# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The answer to one question."""

from dataclasses import dataclass
from enum import Enum


class Answer(Enum):
    """How a question is answered; what is not needed for everything is at worst a `NOTE`."""

    YES = "yes"
    NO = "NO"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report.

    Attributes:
        what: the thing that was checked.
        answer: yes, no, or a note.
        text: the result.
        remedy: what to do; empty for yes.
    """

    what: str
    answer: Answer
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        advice = f"; {self.remedy}" if self.remedy else ""
        return f"{self.answer.value:<5}{self.what:<22}{self.text}{advice}"


def yes(what: str, text: str) -> Check:
    """Everything is right."""
    return Check(what, Answer.YES, text)


def no(what: str, text: str, remedy: str) -> Check:
    """Something is wrong."""
    return Check(what, Answer.NO, text, remedy)


def note(what: str, text: str, remedy: str = "") -> Check:
    """Something that matters only for some uses."""
    return Check(what, Answer.NOTE, text, remedy)
