"""The scenario of a run as text, for results folders and bags."""

from __future__ import annotations

import shutil
from pathlib import Path

import yaml

from boa_control.experiments.scenario import Scenario
from boa_description.registry import FileClass, file_class
from boa_tools.runs import results


def scenario_text(scenario: Scenario) -> str:
    """The scenario as it is run, as YAML; what was left out stays out and has its default."""
    return yaml.safe_dump(scenario.model_dump(mode="json", exclude_unset=True), sort_keys=False)


def write_scenario(folder: Path, scenario: Scenario) -> None:
    """Write scenario.yaml into a results folder, with a copy of the file of its controller, if it
    has one: the folder repeats the run as it was, wherever it is moved.
    """
    file = file_class(scenario.controller.name)
    if file is not None:
        shutil.copyfile(file.path, folder / file.path.name)
        beside = str(FileClass(Path(file.path.name), file.name))
        choice = scenario.controller.model_copy(update={"name": f"./{beside}"})
        scenario = scenario.model_copy(update={"controller": choice})
    results.write_text(folder / results.SCENARIO, scenario_text(scenario))
