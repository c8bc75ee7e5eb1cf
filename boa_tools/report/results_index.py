# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One page over all results of a folder: what each run came to, the newest first."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from boa_description.errors import BoaError
from boa_tools.evaluation.columns import COLUMNS, cell
from boa_tools.report.template import filled
from boa_tools.runs import results

INDEX = "index.html"
# what lies in a folder of many runs -> what it is
KINDS = {
    results.COMPARISON: "a set of scenarios",
    "set.json": "a set of scenarios over seeds",
    results.SEEDS: "a scenario over seeds",
    "sweep.json": "a sweep",
    "optimisation.json": "an optimisation",
    "ensemble.json": "an ensemble",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A results folder.

    Attributes:
        name: relative to the folder of all. page: its report, relative as well; None without one.
        told: how the run ended, or what else the folder is.
        good: whether the run was completed; None where that cannot be said.
        cells: its numbers, below `COLUMNS`; empty for many runs.
        when: it was written.
    """

    name: str
    page: str | None
    told: str
    good: bool | None
    cells: tuple[str, ...]
    when: datetime


def entries(folder: Path) -> list[Entry]:
    """The results in a folder and below it, the newest first.

    Raises:
        BoaError: no such folder, or none in it.
    """
    if not folder.is_dir():
        raise BoaError(f"'{folder}' is no folder; give the one in which the results lie")
    found = sorted(_found(folder, folder), key=lambda entry: entry.when, reverse=True)
    if not found:
        raise BoaError(f"'{folder}' has no results in it; boa run SCENARIO --out {folder}/NAME")
    return found


def results_page(folder: Path, found: list[Entry]) -> str:
    """Return the page."""
    return filled(
        "results_index.html", folder=folder.resolve().name, entries=found, columns=COLUMNS
    )


def _found(folder: Path, root: Path) -> Iterator[Entry]:
    """What lies in a folder; not the members of a set, which its own page has."""
    for path in sorted(child for child in folder.iterdir() if child.is_dir()):
        entry = _entry(path, root)
        if entry is not None:
            yield entry
        elif not path.name.startswith("."):
            yield from _found(path, root)


def _entry(path: Path, root: Path) -> Entry | None:
    what = next((words for file, words in KINDS.items() if (path / file).is_file()), None)
    metrics, record = _json(path / results.METRICS), _json(path / results.RUN)
    good: bool | None = None
    cells: tuple[str, ...] = ()
    if path.name.endswith(results.INCOMPLETE):
        what = "not complete: it runs still, or was cut off (boa bag recover)"
    elif what is None:
        if metrics is None and record is None:
            return None
        what = (record or {}).get("sentence") or (record or {}).get("ended") or "a recorded run"
        if metrics is not None:
            good = bool(metrics["completed"])
            cells = tuple(cell(metrics, column) for column in COLUMNS)
    page = path / results.REPORT
    return Entry(
        str(path.relative_to(root)),
        str(page.relative_to(root)) if page.is_file() else None,
        what,
        good,
        cells,
        datetime.fromtimestamp(path.stat().st_mtime),
    )


def _json(path: Path) -> dict[str, Any] | None:
    """The content of a file; None where there is none, or half of one."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
