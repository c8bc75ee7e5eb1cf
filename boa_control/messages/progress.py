# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far a run is, as a line of a plant's output: a sentence for people, JSON for a program that
started the plant and reads what it prints.
"""

import json
import os
from typing import NamedTuple

READ_BY_A_PROGRAM = {"BOA_PROGRESS": "json"}  # environment of such a plant
KEY = "progress"


class Progress(NamedTuple):
    """How far a run is.

    Attributes:
        time: since its first tick, s. end: of the run, s; None where there is none.
        factor: simulated time per wall-clock time; None while it is not known.
    """

    time: float
    end: float | None = None
    factor: float | None = None

    @property
    def pace(self) -> str:
        """The factor in words; empty while it is not known."""
        return "" if self.factor is None else f"{self.factor:.2f} x real time"

    def __str__(self) -> str:
        end = "" if self.end is None else f" of {self.end:g}"
        pace = f", {self.pace}" if self.pace else ""
        return f"{KEY} {self.time:.2f}{end} s{pace}"

    def line(self) -> str:
        """As whoever reads it needs it."""
        name, value = next(iter(READ_BY_A_PROGRAM.items()))
        typed = os.environ.get(name) == value
        return json.dumps({KEY: self._asdict()}) if typed else str(self)


def read_progress(line: str) -> Progress | None:
    """The progress that a line tells; None for any other line."""
    try:
        return Progress(**json.loads(line)[KEY])
    except (ValueError, TypeError, KeyError):
        return None
