# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The runs that a folder still lacks, done one after the other; what has ended is never lost."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from boa_description.version import software_version
from boa_tools.sweeps.engine import run_all, with_progress
from boa_tools.sweeps.journal import JOURNAL, Row, open_journal, read_journal
from boa_tools.sweeps.rows import NEEDED, ended, row
from boa_tools.sweeps.task import Task, Workers


class Planned(Protocol):
    """Runs that are known before the first of them begins."""

    @property
    def name(self) -> str:
        """Of the scenario, for people."""

    @property
    def total(self) -> int:
        """Number of runs."""

    def runs(self) -> Iterator[tuple[int, dict[str, Any], int]]:
        """Number, parameters and seed of every run, in the order in which they are begun."""

    def task(self, point: dict[str, Any], seed: int) -> Task:
        """One run."""


def run_remaining(plan: Planned, directory: Path, workers: Workers, go_on: str) -> bool:
    """Run what the journal in the folder lacks; whether nothing interrupted it.

    Args:
        go_on: what to do where it is broken off, for people.

    Raises:
        BoaError: the journal is damaged, or another process is at work in the folder.
        OSError: the disk is full; what had ended is kept.
    """
    path = directory / JOURNAL
    with open_journal(path) as journal:
        rows = read_journal(path, NEEDED)
        done = set(ended(rows))
        before = sum(number in done for number, _, _ in plan.runs())
        _tell_of_versions(rows)
        if before:
            print(f"{before} of {plan.total} runs have ended before; going on", file=sys.stderr)
        begun: dict[str, tuple[int, dict[str, Any], int]] = {}

        def tasks() -> Iterator[Task]:
            for number, point, seed in plan.runs():
                if number not in done:
                    task = plan.task(point, seed)
                    begun[task.key] = (number, point, seed)
                    yield task

        runs = run_all(tasks(), workers)
        try:
            for task, result in with_progress(runs, plan.name, plan.total, before):
                journal.append(row(*begun.pop(task.key), result))
        except (KeyboardInterrupt, ConnectionError, OSError) as error:
            tell_of_end(error, go_on)
            if isinstance(error, KeyboardInterrupt):
                return False
            raise
    return True


def judge(rows: Sequence[Row], total: int, directory: Path, command: str) -> int:
    """Status 1 where runs are missing or left no result; what to do then is said."""
    resume = f"boa {command} resume {shlex.quote(str(directory))}"
    failed = [row for row in rows if row["error"] is not None]
    for bad in failed[:1]:
        print(
            f"boa: {len(failed)} runs left no result, e.g. run {bad['run']}: {bad['error']}; try "
            f"them again: {resume}",
            file=sys.stderr,
        )
    if len(rows) < total:
        print(f"boa: {total - len(rows)} runs are missing; {resume}", file=sys.stderr)
    return 1 if failed or len(rows) < total else 0


def _tell_of_versions(rows: Sequence[Row]) -> None:
    here = software_version()
    others = sorted({row["version"] for row in rows if row["version"] not in (None, here)})
    if others:
        print(
            f"boa: earlier runs are of version {', '.join(others)}, this is {here}; the column "
            "'version' of the table tells them apart",
            file=sys.stderr,
        )


def resumed_by(command: str, directory: Path) -> str:
    """The commands that go on in a folder, and that show what there is."""
    typed = shlex.quote(str(directory))
    return f"Go on: boa {command} resume {typed}; see what there is: boa {command} report {typed}"


def tell_of_end(error: BaseException, go_on: str) -> None:
    """Say why runs were broken off, and what to do."""
    why = "stopped by Ctrl-C" if isinstance(error, KeyboardInterrupt) else "broken off"
    print(f"boa: {why}; nothing that had ended is lost. {go_on}", file=sys.stderr)
