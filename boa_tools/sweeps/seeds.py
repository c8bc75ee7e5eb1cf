# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The spread of a scenario over seeds: many short runs, worst first."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import Experiment
from boa_tools.evaluation.columns import COLUMNS, cells, headings, known, value_of
from boa_tools.runs import results
from boa_tools.runs.results import write_scenario
from boa_tools.sweeps.engine import failures, gather, report_failures
from boa_tools.sweeps.local import LocalWorkers
from boa_tools.sweeps.task import Finished, Task


def run_seeds(experiment: Experiment, seeds: Sequence[int], jobs: int, directory: Path) -> int:
    """Run every seed, print the table, worst first, and write seeds.json; status 1 unless all were
    completed.

    Where it is interrupted, or a run crashes, the other runs are written and printed all the same.

    Raises:
        BoaError: the controller's parameters or set-points are wrong; nothing is run then.
        RuntimeError: no run left a result.
    """
    build_controller(experiment)  # what is wrong with it is said here, once, and not by every run
    scenario = experiment.scenario
    with results.staged(directory) as scratch:
        tasks = [Task(f"seed {seed}", scenario, seed) for seed in seeds]
        by_key, whole = gather(tasks, LocalWorkers(jobs), scenario.name, len(tasks))
        by_seed = {
            task.seed: result.values
            for task in tasks
            if isinstance(result := by_key.get(task.key), Finished)
        }
        failed = failures(by_key)
        report_failures(failed, none_left=not by_seed)
        ranking = sorted(by_seed, key=lambda seed: badness(by_seed[seed]), reverse=True)
        record = {
            "worst": worst_of(by_seed),
            "seeds": [{"seed": seed, **by_seed[seed]} for seed in ranking],
        }
        results.write_json(scratch / results.SEEDS, record)
        write_scenario(scratch, scenario)
    print(table(by_seed, ranking))
    print(directory / results.SEEDS)
    again = shlex.quote(str(directory / results.SCENARIO))
    print(f"more about the worst: boa run {again} --seed {ranking[0]}")
    completed = all(values["completed"] for values in by_seed.values())
    return 0 if whole and not failed and completed else 1


def badness(values: dict[str, Any]) -> tuple[float, ...]:
    """Sorting key: not completed, then contacts lost or no closure, then force error."""
    extra = values["extra"]
    lost = extra.get("contact_lost_fraction") or 0.0
    closure = values["form_closure_fraction"]
    return (
        float(not values["completed"]),
        -(values["path_progress_m"] or 0.0) if not values["completed"] else 0.0,
        lost + (1.0 - closure if closure is not None else 0.0),
        extra.get("force_error_relative") or 0.0,
    )


def worst_of(by_seed: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """The worst value of every column over all seeds, whichever seed it belongs to."""
    worst: dict[str, Any] = {"completed": all(values["completed"] for values in by_seed.values())}
    for column in COLUMNS:
        known = [
            value
            for values in by_seed.values()
            if (value := value_of(values, column.key)) is not None
        ]
        worst[column.key] = column.worst(known) if known else None
    return worst


def table(by_seed: dict[int, dict[str, Any]], ranking: Sequence[int]) -> str:
    """The metrics of all seeds as text, in the given order; the last line has the worst of each
    column.
    """
    columns = known(by_seed.values())
    lines = [f"seed  done  {headings(columns)}"]
    worst = worst_of(by_seed)
    rows: list[tuple[str, dict[str, Any]]] = [(f"{seed:4d}", by_seed[seed]) for seed in ranking]
    for label, values in [*rows, ("worst", worst)]:
        done = "yes" if values["completed"] else "NO"
        lines.append(f"{label:<5} {done:<4}  {cells(values, columns)}")
    return "\n".join(lines)
