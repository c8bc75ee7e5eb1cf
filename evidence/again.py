# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Measure a claim again: run its command, and say what differs by more than its spread."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boa_description.errors import BoaError
from boa_tools.evaluation.columns import value_of
from evidence.claims import REACHED, Book, Claim
from evidence.figure import Count, Spread, parse, spread

RESULTS = "results"  # folder


@dataclass(frozen=True, slots=True)
class Measured:
    """What the runs of a claim gave.

    Attributes:
        reached: runs that reached their goal.
        spread_of: a metric over all runs, and the factor of what is shown -> its spread; None
            where it was not recorded.
    """

    reached: Count
    spread_of: Callable[[str, float], Spread | None]


def measure(claim: Claim, folder: Path) -> Measured:
    """Run the commands of a claim in `folder`.

    Raises:
        BoaError: its results cannot be read by a program, or it left none.
    """
    *before, line = map(shlex.split, claim.lines)
    if line[:2] not in (["boa", "run"], ["boa", "ensemble"]):
        raise BoaError(f"its result is read by people; run: {'; '.join(claim.lines)}")
    for words in (*before, [*line, "--out", RESULTS]):
        command = [sys.executable, "-m", "boa_tools.cli", *words[1:]]
        status = subprocess.run(command, cwd=folder).returncode
    try:
        return measured(folder / RESULTS)
    except BoaError as error:
        raise BoaError(f"'{claim.lines[-1]}' ended with status {status}; {error}") from error


def measured(folder: Path) -> Measured:
    """The results in a folder, of one run, of several seeds, or of an ensemble.

    Raises:
        BoaError: there are none.
    """
    for name, read in READERS.items():
        if (folder / name).is_file():
            return read(json.loads((folder / name).read_text(encoding="utf-8")))
    raise BoaError(f"{folder} has no results ({', '.join(READERS)}); see what was printed above")


def from_record(path: Path) -> Measured:
    """The ensemble that a file in the repository has."""
    return _of_ensemble(json.loads(path.read_text(encoding="utf-8")))


def comparable(book: Book, claim: Claim) -> bool:
    """Whether any figure of the claim is a metric."""
    return any(book.columns[name].metric is not None for name in claim.figures)


def differences(book: Book, claim: Claim, now: Measured) -> list[str]:
    """A line for every figure that differs by more than its spread, or cannot be compared."""
    lines = []
    for name, text in claim.figures.items():
        column = book.columns[name]
        if column.metric is None:
            continue
        then = parse(text)
        if isinstance(then, Count):
            if then.differs(now.reached):
                lines.append(f"{column.heading}: {text}, now {_said(now.reached)}")
            continue
        new = now.spread_of(column.metric, column.factor)
        if new is None:
            lines.append(f"{column.heading}: {text}, now not recorded")
        elif then.differs(new):
            lines.append(f"{column.heading}: {text}, now {_said(new)}")
    return lines


def _said(new: Spread | Count) -> str:
    if isinstance(new, Count):
        return f"{new.count} of {new.total}"
    if new.least == new.most:
        return f"{new.most:.4g}"
    return f"{new.least:.4g} to {new.most:.4g}, median {new.median:.4g}"


def _of_rows(rows: list[dict[str, Any]]) -> Measured:
    def of(metric: str, factor: float) -> Spread | None:
        known = [v for row in rows if (v := value_of(row, metric)) is not None]
        return spread(known, factor) if known else None

    return Measured(Count(sum(bool(row[REACHED]) for row in rows), len(rows)), of)


def _of_ensemble(record: Mapping[str, Any]) -> Measured:
    arm = record["results"]["arms"][0]

    def of(metric: str, factor: float) -> Spread | None:
        known = arm["metrics"].get(metric)
        return known and Spread(*(factor * known[level] for level in ("least", "p50", "most")))

    return Measured(Count(arm["success"]["count"], arm["success"]["total"]), of)


READERS: dict[str, Callable[[Any], Measured]] = {
    "metrics.json": lambda metrics: _of_rows([metrics]),
    "seeds.json": lambda record: _of_rows(record["seeds"]),
    "ensemble.json": _of_ensemble,
}
