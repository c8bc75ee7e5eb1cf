# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Classes in files of the user that a scenario names: its controller and its physics engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_description.registry import FileClass, file_class


def own_files(scenario: Scenario) -> tuple[FileClass, ...]:
    """The classes in files that the scenario names, where it names some.

    Raises:
        BoaError: a file without a class.
    """
    named = map(file_class, (scenario.controller.name, scenario.plant.engine))
    return tuple(file for file in named if file is not None)


def with_own_files(scenario: Scenario, moved: Callable[[FileClass], str]) -> Scenario:
    """The scenario with another name for each of these files.

    Raises:
        BoaError: a file without a class.
    """
    controller, plant = scenario.controller, scenario.plant
    changes: dict[str, object] = {}
    if (file := file_class(controller.name)) is not None:
        changes["controller"] = controller.model_copy(update={"name": moved(file)})
    if (file := file_class(plant.engine)) is not None:
        changes["plant"] = plant.model_copy(update={"engine": moved(file)})
    return scenario.model_copy(update=changes)


def require_beside(scenario: Scenario, folder: Path) -> None:
    """Refuse code that lies elsewhere than in the folder of the scenario's file: who types the path
    of a scenario has not seen what else it names.

    Raises:
        BoaError: with the file.
    """
    for file in own_files(scenario):
        if not file.path.resolve().is_relative_to(folder.resolve()):
            raise BoaError(
                f"scenario {scenario.name} names code outside of its folder, '{file}', which would "
                "be run; read it, and put it beside the scenario, or say --trust to boa run"
            )


def require_trust(scenario: Scenario, source: Path, trusted: bool) -> None:
    """Refuse code that a recording names unless the user trusts it.

    Raises:
        BoaError: with the file.
    """
    for file in own_files(scenario):
        if not trusted:
            raise BoaError(
                f"'{source}' names the code '{file}', which would be run; read it, then say --trust"
            )


def require_own_names(scenario: Scenario) -> None:
    """Refuse two files of one name, of which a results folder could keep only one.

    Raises:
        BoaError: controller and engine lie in such files.
    """
    files = {file.path.name: file.path for file in own_files(scenario)}
    for file in own_files(scenario):
        if files[file.path.name] != file.path:
            raise BoaError(
                f"controller.name and plant.engine are in two files '{file.path.name}' in "
                "different folders, and a results folder keeps copies of both; rename one"
            )
