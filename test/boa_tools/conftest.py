# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`run_fakes` for all tests here (they are no package), one browser for those of a file, and one
long run for all that learn from it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boa_control.experiments.change import changed
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_tools.bags.ticks import bag_sink
from boa_tools.runs import results
from boa_tools.runs.drive import run_experiment
from boa_tools.runs.runlog import RunLog

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium; skips the test where there is none."""
    from browser import chromium

    with chromium() as program:
        yield program


@pytest.fixture(scope="session")
def gearbox_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunLog, Experiment, Path]:
    """34 s of boa_gearbox with seed 401, and the folder with its bag: 8 stretches to fit after the
    start are the least that is accepted.
    """
    experiment = prepare(changed(load_scenario("boa_gearbox"), {"duration": 34.0}))
    folder = tmp_path_factory.mktemp("gearbox")
    (folder / results.SCENARIO).write_text(
        results.scenario_text(experiment.scenario), encoding="utf-8"
    )
    with bag_sink(folder / results.BAG, experiment) as sinks:
        log = run_experiment(experiment, seed=401, sinks=sinks).log
    return log, experiment, folder
