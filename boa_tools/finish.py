"""From a finished run to its results: metrics, plots, picture, page. Used by `boa run`, `boa launch`, `boa report`."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from boa_control.experiment import Experiment
from boa_tools import results
from boa_tools.analysis import Analysis
from boa_tools.metric_table import summary
from boa_tools.metrics import metrics
from boa_tools.runlog import RunLog


def write_record(directory: Path, scenario: str, seed: int | None, ended: str) -> None:
    """Write how the run came about: seed, why it ended, versions of what took part."""
    versions = {name: version(name) for name in ("boa_control", "mujoco", "numpy")}
    record = {
        "scenario": scenario,
        "seed": seed,
        "ended": ended,
        "written": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "python": platform.python_version(),
        "machine": platform.platform(),
        "versions": versions,
    }
    results.write_text(directory / results.RUN, json.dumps(record, indent=2) + "\n")


def finish(
    log: RunLog, experiment: Experiment, directory: Path, *, report: bool = True, video: bool = False
) -> dict[str, Any]:
    """Write the metrics (and plots, picture, page) of a run, print the summary and the paths; return the metrics."""
    analysis = Analysis(log, experiment)
    values = metrics(analysis)
    results.write_text(directory / results.METRICS, json.dumps(values, indent=2, allow_nan=False) + "\n")
    print(summary(values))
    print(directory / results.METRICS)
    return values
