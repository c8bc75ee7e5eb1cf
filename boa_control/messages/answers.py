# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Answers to requests: in one process typed; a std_srvs answer carries no more than success and a
text, so there the text begins with how the request stands. Both ends of that are here.
"""

from enum import Enum
from typing import NamedTuple


class Outcome(Enum):
    """How a request stands."""

    DONE = "done"
    REFUSED = "refused"
    NOT_READY = "not ready"  # path or robot need some time
    BEING_CHECKED = "not ready: the new path is being checked"  # as long as that takes


class Answer(NamedTuple):
    """How a request stands, and what was said."""

    outcome: Outcome
    text: str

    @property
    def done(self) -> bool:
        """It was done."""
        return self.outcome is Outcome.DONE

    @property
    def why(self) -> str:
        """What was said, without how the request stands."""
        return self.text.removeprefix(f"{Outcome.NOT_READY.value}: ")

    @property
    def waits(self) -> bool:
        """The same request may be done in a while."""
        return self.outcome in (Outcome.NOT_READY, Outcome.BEING_CHECKED)


def not_ready(why: str) -> Answer:
    """Path or robot need some time."""
    return Answer(Outcome.NOT_READY, f"{Outcome.NOT_READY.value}: {why}")


BEING_CHECKED = Answer(Outcome.BEING_CHECKED, Outcome.BEING_CHECKED.value)


def read_answer(success: bool, text: str) -> Answer:
    """The answer of a std_srvs service: the protocol of the texts above."""
    if success:
        return Answer(Outcome.DONE, text)
    for outcome in (Outcome.BEING_CHECKED, Outcome.NOT_READY):
        if text.startswith(outcome.value):
            return Answer(outcome, text)
    return Answer(Outcome.REFUSED, text)
