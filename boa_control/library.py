"""Find and load scenarios: the shipped ones by name, a user's own by file name."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from boa_control.scenario import PlantSettings, Scenario
from boa_description.errors import BoaError, unknown_name
from boa_description.validation import explain


def scenario_names() -> tuple[str, ...]:
    """Names of the shipped scenarios, sorted."""
    folder = files("boa_control") / "scenarios"
    return tuple(sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")))


def load_scenario(name_or_file: str) -> Scenario:
    """Load a shipped scenario by name, or one from a YAML file (anything with a slash or ending in .yaml).

    Raises:
        BoaError: no such scenario or file, not YAML, or a wrong key, type or value (all named at once).
    """
    if "/" in name_or_file or name_or_file.endswith((".yaml", ".yml")):
        path = Path(name_or_file)
        if not path.is_file():
            raise BoaError(f"scenario file '{path}' does not exist; shipped scenarios: boa scenarios")
        text, where = path.read_text(encoding="utf-8"), str(path)
    else:
        if name_or_file not in scenario_names():
            raise unknown_name("scenario", name_or_file, scenario_names())
        resource = files("boa_control") / "scenarios" / f"{name_or_file}.yaml"
        text, where = resource.read_text(encoding="utf-8"), f"scenario {name_or_file}"
    return parse_scenario(text, where)


def at_control_rate(scenario: Scenario, rate: float) -> Scenario:
    """The scenario with another control rate, Hz.

    Raises:
        BoaError: out of range, or the control period is not a whole number of physics steps.
    """
    settings = {**scenario.plant.model_dump(exclude_unset=True), "control_rate": rate}
    try:
        plant = PlantSettings.model_validate(settings)
    except ValidationError as error:
        raise explain(error, PlantSettings, f"control rate {rate:g} Hz in scenario {scenario.name}") from error
    return scenario.model_copy(update={"plant": plant})


def parse_scenario(text: str, where: str) -> Scenario:
    """Validate the text of a scenario file. Raises BoaError naming `where`, the key and what would be right."""
    try:
        data: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BoaError(f"{where}: not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(data, dict):
        raise BoaError(f"{where}: expected a mapping of keys, got {type(data).__name__}")
    try:
        return Scenario.model_validate(data)
    except ValidationError as error:
        raise explain(error, Scenario, where) from error
