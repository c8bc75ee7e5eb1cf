# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A set of scenarios with many seeds of every member, in a folder that goes on where it was broken
off. What a controller refuses is a result, too.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario import Scenario
from boa_control.experiments.scenario_set import Member, ScenarioSet
from boa_description.errors import BoaError
from boa_tools.evaluation.columns import known
from boa_tools.runs import results
from boa_tools.sweeps.definition import begin
from boa_tools.sweeps.goal import columns_of
from boa_tools.sweeps.journal import JOURNAL, read_journal
from boa_tools.sweeps.local import LocalWorkers
from boa_tools.sweeps.remaining import run_remaining
from boa_tools.sweeps.rows import NEEDED, newest
from boa_tools.sweeps.task import Task

DEFINITION = "set.json"

Members = tuple[Member, ...]
Loader = Callable[[int], tuple[ScenarioSet, Members]]


def run_set_seeds(
    load: Loader, seeds: Sequence[int], jobs: int, directory: Path, formats: Sequence[str] = ()
) -> int:
    """Run what is missing of all members and seeds, print the table, and write report.html; status
    1 where it was interrupted, or a run left no result.

    Args:
        load: the set and its members as they are for a seed.
        directory: new, or that of the same set with fewer seeds or broken off.
        formats: of the chart, besides PNG.

    Raises:
        BoaError: a member is wrong, refused without being said to be, or the other way round; the
            folder belongs to another set. Nothing is run then.
    """
    chosen, members = load(seeds[0])
    refusals = refused(chosen, members)
    begin(directory / DEFINITION, _definition(chosen, members), "a set", lambda _: None)
    runs = _SetRuns(lru_cache(1)(load), seeds, chosen, members, refusals)
    go_on = f"The same command with --out {directory} goes on"
    if not run_remaining(runs, directory, LocalWorkers(jobs), go_on):
        return 1
    return report_set(directory, chosen, members, refusals, runs.total, formats)


@dataclass(frozen=True, slots=True)
class _SetRuns:
    """The runs of all members that no controller refuses, seed by seed."""

    load: Loader
    seeds: Sequence[int]
    chosen: ScenarioSet
    members: Members
    refusals: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.chosen.name

    @property
    def total(self) -> int:
        return len(self.seeds) * (len(self.members) - len(self.refusals))

    def runs(self) -> Iterator[tuple[int, dict[str, Any], int]]:
        for seed in self.seeds:
            for number, member in enumerate(self.members):
                if member.folder not in self.refusals:
                    axes = dict(zip(self.chosen.set.vary, member.labels, strict=True))
                    yield seed * len(self.members) + number, axes, seed

    def task(self, point: dict[str, Any], seed: int) -> Task:
        member = next(m for m in self.load(seed)[1] if m.labels == tuple(point.values()))
        return Task(f"{member.folder}, seed {seed}", member.scenario, seed)


def refused(chosen: ScenarioSet, members: Sequence[Member]) -> dict[str, str]:
    """Words of the controllers that refuse members, where the set knows of it, by folder.

    Raises:
        BoaError: another member is refused, or one of these is not.
    """
    said = {}
    for member in members:
        known = member.folder in chosen.set.refused
        try:
            build_controller(prepare(member.scenario))
        except BoaError as error:
            if not known:
                raise BoaError(f"{member.scenario.name}: {error}") from error
            said[member.folder] = str(error)
        else:
            if known:
                raise BoaError(
                    f"set {chosen.name}: its controller does not refuse {member.folder}; take it "
                    "out of 'refused'"
                )
    return said


def report_set(
    directory: Path,
    chosen: ScenarioSet,
    members: Sequence[Member],
    refusals: Mapping[str, str],
    total: int,
    formats: Sequence[str] = (),
) -> int:
    """Print and write the table of the runs so far, and their page; status 1 where one left no
    result. `formats`: of the chart, besides PNG.

    Raises:
        BoaError: no run has ended.
    """
    from boa_tools.report.set_spread import (
        BARS,
        Spread,
        spread_figures,
        spread_markdown,
        spread_page,
        spread_table,
    )
    from boa_tools.report.style import write_figures

    rows = newest(read_journal(directory / JOURNAL, NEEDED))
    if not rows:
        raise BoaError(f"'{directory}' has no run yet")
    spread = Spread(chosen, members, rows, refusals, columns_of(chosen.set.show) or known(rows))
    print(spread_table(spread))
    results.write_text(directory / results.TABLE, spread_markdown(spread))
    plots = write_figures(directory / results.PLOTS, spread_figures(spread), formats)
    results.write_text(directory / results.REPORT, spread_page(spread, plots[BARS]))
    print(directory / results.REPORT)
    failed = [row for row in rows if row["error"] is not None]
    for bad in failed[:1]:
        print(f"boa: {len(failed)} runs left no result, e.g. {bad['error']}", file=sys.stderr)
    return 1 if failed or len(rows) < total else 0


def _definition(chosen: ScenarioSet, members: Sequence[Member]) -> dict[str, Any]:
    def plain(scenario: Scenario) -> dict[str, Any]:
        return scenario.model_dump(mode="json", exclude_unset=True)

    return {
        "set": chosen.name,
        "members": {member.folder: plain(member.scenario) for member in members},
    }
