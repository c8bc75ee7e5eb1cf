# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Running, resuming and reporting an optimisation."""

import sys
from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from boa_control.experiments.change import unit_of_key
from boa_control.experiments.library import load_scenario
from boa_control.experiments.own_files import own_files
from boa_description.errors import BoaError
from boa_tools.evaluation.metric_table import description, shown
from boa_tools.report.optimisation import (
    Evaluation,
    Finalist,
    optimisation_figures,
    optimisation_page,
)
from boa_tools.report.style import write_figures
from boa_tools.runs import results
from boa_tools.runs.results import scenario_text, write_scenario
from boa_tools.sweeps.definition import FORMAT, begin, go_on_by, read_definition, undamaged
from boa_tools.sweeps.engine import run_all, with_progress
from boa_tools.sweeps.journal import (
    JOURNAL,
    Journal,
    open_journal,
    read_journal,
)
from boa_tools.sweeps.plan import said, try_out
from boa_tools.sweeps.remaining import resumed_by, tell_of_end
from boa_tools.sweeps.rows import NEEDED, row
from boa_tools.sweeps.study import Job, Optimisation, Study
from boa_tools.sweeps.task import Failed, Result, Task, Workers

DEFINITION = "optimisation.json"
BEST = "best.yaml"
WHAT = "an optimisation"
NEEDS = (*NEEDED, "evaluation", "phase")


def prepare_optimisation(optimisation: Optimisation, directory: Path) -> None:
    """Check the optimisation and make its folder; one that exists already is kept if it is of this
    very one.

    Raises:
        BoaError: anything wrong; nothing has been written then.
    """
    _check(optimisation)
    base = optimisation.base
    begin(
        directory / DEFINITION,
        _definition(optimisation),
        WHAT,
        lambda scratch: write_scenario(scratch, base),
        files=own_files(base),
        remedy=go_on_by("optimise", directory),
    )


def run_optimisation(directory: Path, workers: Workers) -> int:
    """Evaluate what is missing, run the best again with neighbours, write the report; status 1
    where it was interrupted, or nothing keeps the limits.

    Raises:
        BoaError: the folder is damaged, or another process is at work in it.
        OSError: the disk is full; what had ended is kept.
    """
    optimisation = _load(directory)
    path = directory / JOURNAL
    with open_journal(path) as journal:
        study = Study(optimisation, read_journal(path, NEEDS), repeat_failed=True)
        jobs: dict[str, Job] = {}
        before = len(study.rows)
        if before:
            print(f"{before} runs have ended before; going on", file=sys.stderr)
        runs = run_all(_tasks(study, jobs, journal), workers)
        name, total = optimisation.base.name, optimisation.total
        try:
            for task, result in with_progress(runs, name, total, before, lambda: _note(study)):
                _keep(study, journal, jobs.pop(task.key), result)
        except (KeyboardInterrupt, ConnectionError, OSError) as error:
            tell_of_end(error, resumed_by("optimise", directory))
            if isinstance(error, KeyboardInterrupt):
                return 1
            raise
    return report_optimisation(directory)


def report_optimisation(directory: Path, formats: Sequence[str] = ()) -> int:
    """Write plots, page and the best scenario from the runs so far, and print the finalists; status
    1 where nothing keeps the limits. `formats`: of plots, besides PNG.

    Raises:
        BoaError: the folder is not that of an optimisation, is damaged, or has no evaluation yet.
    """
    optimisation = _load(directory)
    study = Study(optimisation, read_journal(directory / JOURNAL, NEEDS))
    if not study.samples:
        raise BoaError(f"'{directory}' has no evaluation yet; boa optimise resume does them")
    evaluations = _evaluations(study)
    finalists = _finalists(study)
    units = {
        variable.name: unit_of_key(optimisation.base, variable.name)
        for variable in optimisation.space.variables
    }
    goal = optimisation.goal
    figures = optimisation_figures(
        evaluations, optimisation.space, units, goal.metric, goal.maximise
    )
    plots = write_figures(directory / results.PLOTS, figures, formats)
    if finalists:
        best = optimisation.scenario(finalists[0].evaluation.values)
        results.write_text(directory / BEST, scenario_text(best))
    page = optimisation_page(
        optimisation.base.name,
        f"{optimisation.base.summary.rstrip('.')}. Sought: {optimisation.goal}.",
        evaluations,
        finalists,
        plots,
        {"total": optimisation.evaluations, "yaml": scenario_text(optimisation.base)}
        | {"why_none": "" if finalists else _why_none(study)}
        | {"limits": [str(limit) for limit in optimisation.goal.limits]},
        optimisation.goal.metric,
    )
    results.write_text(directory / results.REPORT, page)
    _print(study, finalists, directory)
    return 0 if finalists else 1


def _tasks(study: Study, jobs: dict[str, Job], journal: Journal) -> Iterator[Task | None]:
    """The tasks of the jobs; values that the scenario refuses are a result at once."""
    for job in study.jobs():
        if job is None:
            yield None
            continue
        try:
            task = job.task(study.optimisation)
        except BoaError as error:
            _keep(study, journal, job, Failed(str(error)))
            continue
        jobs[task.key] = job
        yield task


def _keep(study: Study, journal: Journal, job: Job, result: Result) -> None:
    line = row(job.number, job.values, job.seed, result)
    line |= {"evaluation": job.evaluation, "phase": job.phase}
    journal.append(line)
    study.add(line)


def _note(study: Study) -> str:
    """The best so far, for the progress bar."""
    finalists = study.finalists()
    if not finalists:
        return "none within the limits yet"
    sample = study.samples[study.numbers.index(finalists[0])]
    goal = study.optimisation.goal
    return f"best {-sample.objective if goal.maximise else sample.objective:.4g}"


def _check(optimisation: Optimisation) -> None:
    """Build the middle of the ranges, and every end of each with the others in the middle."""
    space = optimisation.space
    middle = space.snapped(np.full((1, space.size), 0.5))[0]
    points = [middle]
    for place in range(space.size):
        for end in (0.0, 1.0):
            point = middle.copy()
            point[place] = end
            points.append(point)
    for point in points:
        values = space.values(point)
        try_out(optimisation.scenario(values), 0, said(values))
    optimisation.make_sampler().propose(space, (), (), 0)


def _definition(optimisation: Optimisation) -> dict[str, Any]:
    scenario = optimisation.base.model_dump(mode="json", exclude_unset=True)
    return {"format": FORMAT, "scenario": scenario, **optimisation.record()}


def _load(directory: Path) -> Optimisation:
    path = directory / DEFINITION
    known = read_definition(path, WHAT)
    base = load_scenario(str(directory / results.SCENARIO))
    with undamaged(path):
        return Optimisation.of(known, base)


def _evaluations(study: Study) -> list[Evaluation]:
    sign = -1.0 if study.optimisation.goal.maximise else 1.0
    return [
        Evaluation(
            number,
            study.values(number),
            sign * sample.objective,
            tuple(float(excess) for excess in sample.excess),
            sample.feasible,
        )
        for number, sample in zip(study.numbers, study.samples, strict=True)
    ]


def _finalists(study: Study) -> list[Finalist]:
    goal = study.optimisation.goal
    by_number = {evaluation.number: evaluation for evaluation in _evaluations(study)}
    return [
        Finalist(
            by_number[number],
            study.median(number),
            sum(goal.kept(row) for row in study.checks(number)),
            len(study.checks(number)),
        )
        for number in study.judged()
    ]


def _print(study: Study, finalists: list[Finalist], directory: Path) -> None:
    goal = study.optimisation.goal
    failed = sum(sample.failed for sample in study.samples)
    kept = sum(sample.feasible for sample in study.samples)
    print(f"{goal}: {len(study.samples)} evaluations, {kept} within the limits, {failed} failed")
    for place, finalist in enumerate(finalists):
        label = description(goal.metric)
        median = shown(goal.metric, None if isnan(finalist.median) else finalist.median)
        print(
            f"  {'best' if place == 0 else '    '}  {said(finalist.evaluation.values)}: "
            f"{label.label} {shown(goal.metric, finalist.evaluation.objective)}, again with "
            f"neighbours: median {median}, {finalist.kept} of {finalist.total} within the limits"
        )
    if not finalists:
        print(f"boa: {_why_none(study)}; {results.REPORT} shows more", file=sys.stderr)
    for name in ((BEST,) if finalists else ()) + (results.REPORT,):
        print(directory / name)


def _why_none(study: Study) -> str:
    """Why there is no best."""
    if not all(sample.failed for sample in study.samples):
        return "no evaluation keeps all limits"
    first, goal = study.rows[0], study.optimisation.goal
    missing = [
        key
        for key in (goal.metric, *(limit.metric for limit in goal.limits))
        if first.get(key) is None
    ]
    cause = first["error"] or first["fault"]
    if cause is None:
        settle = study.optimisation.base.evaluation.settle
        cause = f"its run has no {' and no '.join(missing)}; the first {settle:g} s are not judged"
    return f"all evaluations failed; the first: {cause}"
