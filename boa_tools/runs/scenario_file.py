# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scenario of a run as text, for results folders and bags."""

from __future__ import annotations

import shutil
from pathlib import Path

import yaml

from boa_control.experiments.own_files import with_own_files
from boa_control.experiments.scenario import Scenario
from boa_tools.runs import results


def scenario_text(scenario: Scenario) -> str:
    """The scenario as it is run, as YAML; what was left out stays out and has its default."""
    return yaml.safe_dump(scenario.model_dump(mode="json", exclude_unset=True), sort_keys=False)


def write_scenario(folder: Path, scenario: Scenario) -> None:
    """Write scenario.yaml into a results folder, with copies of the user's files that it names, if
    it has such: the folder repeats the run as it was, wherever it is moved.
    """

    def copied(path: Path) -> str:
        shutil.copyfile(path, folder / path.name)
        return f"./{path.name}"

    beside = with_own_files(scenario, copied)
    results.write_text(folder / results.SCENARIO, scenario_text(beside))
