# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Find and load scenarios and sets of them: the shipped ones by name, a user's own by file name."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from boa_control.experiments.own_files import (
    own_files,
    require_beside,
    require_own_names,
    with_own_files,
)
from boa_control.experiments.scenario import PlantSettings, Scenario
from boa_control.experiments.scenario_set import Member, ScenarioSet, members
from boa_description.errors import BoaError, unknown_name
from boa_description.registry import is_file_name
from boa_description.validation import validated
from boa_description.yaml_text import parse_mapping, read_text


def scenario_names() -> tuple[str, ...]:
    """Names of the shipped scenarios, sorted."""
    return _shipped("scenarios")


def set_names() -> tuple[str, ...]:
    """Names of the shipped sets of scenarios, sorted."""
    return _shipped("scenario_sets")


def summary(name: str) -> str:
    """The purpose of a shipped scenario or set, one line."""
    loaded = load_scenario(name) if name in scenario_names() else load_members(name)[0]
    return loaded.summary


def load_scenario(name_or_file: str, trusted: bool = False) -> Scenario:
    """Load a shipped scenario by name, or one from a YAML file (anything with a slash or ending in
    .yaml).

    A file that it names (`own_files`), such as `./limp.py:Limp` or `./my_robot.yaml`, is named
    relative to the scenario's file; in the loaded scenario its path is absolute. Unless the
    scenario is `trusted`, code lies in the folder of the scenario's file or below.

    Raises:
        BoaError: no such scenario or file, not YAML, a set, code elsewhere, or a wrong key, type or
            value (all named at once).
    """
    text, where = _read(name_or_file)
    scenario = _located(parse_scenario(text, where), name_or_file)
    if is_file_name(name_or_file) and not trusted:
        require_beside(scenario, Path(name_or_file).parent)
    return scenario


def is_set(name_or_file: str) -> bool:
    """Whether this is a set of scenarios.

    Raises BoaError when there is no such scenario or file.
    """
    return "set" in parse_mapping(*_read(name_or_file))


def load_members(
    name_or_file: str, seed: int = 0, trusted: bool = False
) -> tuple[ScenarioSet, tuple[Member, ...]]:
    """Load a set and all its scenarios, as they are for a seed.

    Raises:
        BoaError: as `load_scenario`; also for the base scenario and every member.
    """
    text, where = _read(name_or_file)
    chosen = validated(ScenarioSet, parse_mapping(text, where), where)
    base = chosen.set.base
    if is_file_name(base) and is_file_name(name_or_file):
        base = str(Path(name_or_file).parent / base)
    standing = _base(base, seed, trusted)
    parts = tuple(
        replace(member, scenario=_located(member.scenario, name_or_file))
        for member in members(chosen, standing, seed)
    )
    for member in parts:
        if not trusted and own_files(member.scenario) != own_files(standing):
            require_beside(member.scenario, Path(name_or_file).parent)
    return chosen, parts


def _base(name_or_file: str, seed: int, trusted: bool) -> Scenario:
    """What a set changes: a scenario, or of another set one member with every seed, in turn."""
    if not is_set(name_or_file):
        return load_scenario(name_or_file, trusted)
    _, parts = load_members(name_or_file, seed, trusted)
    return parts[seed % len(parts)].scenario


def at_control_rate(scenario: Scenario, rate: float) -> Scenario:
    """The scenario with another control rate, Hz.

    Raises:
        BoaError: out of range, or the control period is not a whole number of physics steps.
    """
    settings = {**scenario.plant.model_dump(exclude_unset=True), "control_rate": rate}
    where = f"control rate {rate:g} Hz in scenario {scenario.name}"
    plant = validated(PlantSettings, settings, where)
    return scenario.model_copy(update={"plant": plant})


def with_frame_prefix(scenario: Scenario, prefix: str) -> Scenario:
    """The scenario with another `frame_prefix` of its robot; so its bag says it, too."""
    choice = scenario.robot
    override = {**choice.override, "frame_prefix": prefix}
    return scenario.model_copy(update={"robot": choice.model_copy(update={"override": override})})


def parse_scenario(text: str, where: str) -> Scenario:
    """Validate the text of a scenario file.

    Raises BoaError naming `where`, the key and what would be right.
    """
    data = parse_mapping(text, where)
    if "set" in data:
        raise BoaError(
            f"{where} is a set of scenarios, not a single one; only 'boa run' takes sets"
        )
    if "posts" in data:
        raise BoaError(
            f"{where} is a map of posts, not a scenario; for one that travels through them: boa "
            f"plan path {where} --from X,Y --to X,Y"
        )
    return validated(Scenario, data, where)


def _located(scenario: Scenario, name_or_file: str) -> Scenario:
    """The scenario with absolute paths to the user's files that it names, if it has such.

    Raises:
        BoaError: a file without a class, or two files of one name.
    """
    if is_file_name(name_or_file):
        folder = Path(name_or_file).absolute().parent
        scenario = with_own_files(scenario, lambda path: str((folder / path).absolute()))
    require_own_names(scenario)
    return scenario


def _shipped(folder: str) -> tuple[str, ...]:
    entries = (files("boa_control") / folder).iterdir()
    return tuple(
        sorted(
            entry.name.removesuffix(".yaml") for entry in entries if entry.name.endswith(".yaml")
        )
    )


def _read(name_or_file: str) -> tuple[str, str]:
    """Text of a scenario or set, and what to call it in errors."""
    if is_file_name(name_or_file):
        path = Path(name_or_file)
        if path.is_dir():
            file = path / "scenario.yaml"
            raise BoaError(f"'{path}' is a folder; give {file if file.is_file() else 'a file'}")
        if not path.is_file():
            raise BoaError(
                f"scenario file '{path}' does not exist; shipped scenarios: boa scenarios"
            )
        return read_text(path), str(path)
    folder = "scenarios" if name_or_file in scenario_names() else "scenario_sets"
    if folder == "scenario_sets" and name_or_file not in set_names():
        valid = (*scenario_names(), *set_names())
        raise unknown_name("scenario", name_or_file, valid, listed_by="boa scenarios")
    resource = files("boa_control") / folder / f"{name_or_file}.yaml"
    return resource.read_text(encoding="utf-8"), f"scenario {name_or_file}"
