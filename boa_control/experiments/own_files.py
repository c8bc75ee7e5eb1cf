# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Classes in files of the user that a scenario names: its controller and its physics engine."""

from __future__ import annotations

from collections.abc import Callable

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
