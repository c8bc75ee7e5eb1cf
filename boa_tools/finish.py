"""From a finished run to its results: metrics, plots, picture, page. Used by `boa run`, `boa launch`, `boa report`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from boa_control.experiment import Experiment
from boa_control.scenario import Scenario
from boa_tools import results
from boa_tools.console import summary
from boa_tools.metrics import metrics
from boa_tools.run import RunResult
from boa_tools.runlog import RunLog


def save_run(result: RunResult, experiment: Experiment, seed: int, directory: Path) -> None:
    """Write scenario, run record and bag: the whole folder or, on any error, nothing."""
    with results.staged(directory) as scratch:
        write_scenario(experiment.scenario, scratch)
        record = {"scenario": experiment.scenario.name, "seed": seed, "ended": result.ended}
        results.write_text(scratch / results.RUN, json.dumps(record, indent=2) + "\n")


def write_scenario(scenario: Scenario, directory: Path) -> None:
    """Write the scenario as it was run."""
    text = yaml.safe_dump(scenario.model_dump(mode="json", exclude_defaults=True), sort_keys=False)
    results.write_text(directory / results.SCENARIO, text)


def finish(
    log: RunLog, experiment: Experiment, directory: Path, *, report: bool = True, video: bool = False
) -> dict[str, Any]:
    """Write the metrics (and plots, picture, page) of a run, print the summary and the paths; return the metrics."""
    values = metrics(log, experiment)
    results.write_text(directory / results.METRICS, json.dumps(values, indent=2, allow_nan=False) + "\n")
    print(summary(values))
    print(directory / results.METRICS)
    return values
