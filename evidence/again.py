# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Measure a claim again: run its command, and say what differs by more than its spread."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boa_description.errors import BoaError
from boa_tools.ensembles.folder import FILE as ENSEMBLE
from boa_tools.evaluation.columns import value_of
from boa_tools.runs import results
from boa_tools.sweeps.journal import JOURNAL, Row, read_journal
from boa_tools.sweeps.rows import NEEDED, newest
from evidence.claims import REACHED, Book, Claim
from evidence.figure import Count, Spread, differs, spread

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


def measure(claim: Claim, folder: Path) -> Path:
    """Run the commands of a claim in `folder`; the folder of its results.

    Raises:
        BoaError: its results cannot be read by a program, or it left none.
    """
    *before, line = map(shlex.split, claim.lines)
    if line[:2] not in (["boa", "run"], ["boa", "ensemble"], ["boa", "sweep"]):
        raise BoaError(f"its result is read by people; run: {'; '.join(claim.lines)}")
    for words in (*before, [*line, "--out", RESULTS]):
        command = [sys.executable, "-m", "boa_tools.cli", *words[1:]]
        status = subprocess.run(command, cwd=folder).returncode
    if not (folder / RESULTS).is_dir():
        raise BoaError(f"'{claim.lines[-1]}' left no results (status {status}); see above")
    return folder / RESULTS


def measured(folder: Path, member: str = "") -> Measured:
    """The results in a folder: of one run, of several seeds, of an ensemble, of a sweep, or of a
    set or a member of it.

    Raises:
        BoaError: there are none.
    """
    rows = newest(read_journal(folder / JOURNAL, NEEDED))
    if kept := [row for row in rows if member in ("", _labels(row))]:
        now = _of_rows(kept)
        record = folder / ENSEMBLE  # with what its runs were to reach
        return replace(now, reached=from_record(record).reached) if record.is_file() else now
    if (folder / results.COMPARISON).is_file() and not member:  # all members of a set
        runs = sorted(folder.glob(f"*/{results.METRICS}"))
        return _of_rows([json.loads(path.read_text(encoding="utf-8")) for path in runs])
    for name, rows_of in READERS.items():
        if (path := folder / member / name).is_file():
            return _of_rows(rows_of(json.loads(path.read_text(encoding="utf-8"))))
    names = ", ".join((JOURNAL, *READERS))
    raise BoaError(f"{folder / member} has no results ({names}); see what was printed above")


def from_record(path: Path) -> Measured:
    """The ensemble that a file in the repository has."""
    arm = json.loads(path.read_text(encoding="utf-8"))["results"]["arms"][0]

    def of(metric: str, factor: float) -> Spread | None:
        known = arm["metrics"].get(metric)
        return known and Spread(*(factor * known[level] for level in ("least", "p50", "most")))

    return Measured(Count(arm["success"]["count"], arm["success"]["total"]), of)


def comparable(book: Book, claim: Claim) -> bool:
    """Whether any figure of the claim is a metric."""
    return any(book.columns[name].metric is not None for name in claim.figures)


def values(book: Book, claim: Claim, now: Measured) -> dict[str, Spread | Count | None]:
    """What the figures that are metrics are now, by name; None where it was not recorded."""
    metrics = {name: book.columns[name] for name in claim.figures if book.columns[name].metric}
    return {
        name: now.reached
        if column.metric == REACHED
        else now.spread_of(str(column.metric), column.factor)
        for name, column in metrics.items()
    }


def differences(book: Book, claim: Claim, now: Measured) -> list[str]:
    """A line for every figure that differs by more than its spread, or cannot be compared."""
    lines = []
    for name, new in values(book, claim, now).items():
        text = claim.figures[name]
        if new is None or differs(text, new):
            lines.append(f"{book.columns[name].heading}: {text}, now {_said(new)}")
    return lines


def _said(new: Spread | Count | None) -> str:
    if new is None:
        return "not recorded"
    if isinstance(new, Count):
        return f"{new.count} of {new.total}"
    if new.least == new.most:
        return f"{new.most:.4g}"
    return f"{new.least:.4g} to {new.most:.4g}, median {new.median:.4g}"


def _labels(row: Row) -> str:
    """Of the member of a set: what stands between the number of the run and its seed."""
    values = list(row.values())
    return "-".join(map(str, values[1 : list(row).index("seed")]))


def _of_rows(rows: list[Row]) -> Measured:
    def of(metric: str, factor: float) -> Spread | None:
        known = [v for row in rows if (v := value_of(row, metric)) is not None]
        return spread(known, factor) if known else None

    return Measured(Count(sum(bool(row.get(REACHED)) for row in rows), len(rows)), of)


READERS: dict[str, Callable[[Any], list[Row]]] = {
    results.METRICS: lambda metrics: [metrics],
    results.SEEDS: lambda record: record["seeds"],
}
