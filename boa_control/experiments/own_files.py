# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Files of the user that a scenario names: classes of its controller and its physics engine, the
file of its controller's parameters, such as a learned policy, its robot and its gearboxes.
"""

from collections.abc import Callable
from pathlib import Path

from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.registry import file_class, is_file_name

FILE = "file"  # the parameter of any controller that names a file


def own_files(scenario: Scenario) -> tuple[Path, ...]:
    """The files that the scenario names, where it names some, and that which its robot's file
    names.

    Raises:
        BoaError: a file of a class without the class; a robot's file that cannot be used.
    """
    found: list[Path] = []

    def note(path: Path) -> str:
        found.append(path)
        return str(path)

    with_own_files(scenario, note)
    robot = scenario.robot
    if is_file_name(robot.name):
        model = load_robot(robot.name, override=robot.override).actuator.gearbox.model
        found += [Path(model)] if is_file_name(model) else []
    return tuple(found)


def with_own_files(scenario: Scenario, moved: Callable[[Path], str]) -> Scenario:
    """The scenario with another path to each of these files.

    Raises:
        BoaError: a file of a class without the class.
    """
    controller, plant, robot = scenario.controller, scenario.plant, scenario.robot
    gearbox = plant.effects.gearbox
    choice: dict[str, object] = {}
    changes: dict[str, object] = {}
    of_plant: dict[str, object] = {}
    if (file := file_class(controller.name)) is not None:
        choice["name"] = f"{moved(file.path)}:{file.name}"
    if isinstance(given := controller.parameters.get(FILE), str):
        choice["parameters"] = {**controller.parameters, FILE: moved(Path(given))}
    if choice:
        changes["controller"] = controller.model_copy(update=choice)
    if (file := file_class(plant.engine)) is not None:
        of_plant["engine"] = f"{moved(file.path)}:{file.name}"
    if gearbox is not None and gearbox.model is not None and is_file_name(gearbox.model):
        block = gearbox.model_copy(update={"model": moved(Path(gearbox.model))})
        of_plant["effects"] = plant.effects.model_copy(update={"gearbox": block})
    if of_plant:
        changes["plant"] = plant.model_copy(update=of_plant)
    if is_file_name(robot.name):
        changes["robot"] = robot.model_copy(update={"name": moved(Path(robot.name))})
    return scenario.model_copy(update=changes)


def require_beside(scenario: Scenario, folder: Path) -> None:
    """Refuse code that lies elsewhere than in the folder of the scenario's file: who types the path
    of a scenario has not seen what else it names.

    Raises:
        BoaError: with the file.
    """
    for file in _code(scenario):
        if not file.resolve().is_relative_to(folder.resolve()):
            raise BoaError(
                f"scenario {scenario.name} names code outside of its folder, '{file}', which would "
                "be run; read it, and put it beside the scenario, or say --trust to boa run"
            )


def require_trust(scenario: Scenario, source: Path, trusted: bool) -> None:
    """Refuse code that a recording names unless the user trusts it.

    Raises:
        BoaError: with the file.
    """
    for file in _code(scenario):
        if not trusted:
            raise BoaError(
                f"'{source}' names the code '{file}', which would be run; read it, then say --trust"
            )


def _code(scenario: Scenario) -> tuple[Path, ...]:
    """Those of its files that would be run."""
    return tuple(file for file in own_files(scenario) if file.suffix == ".py")


def require_own_names(scenario: Scenario) -> None:
    """Refuse two files of one name, of which a results folder could keep only one.

    Raises:
        BoaError: two of its files are called alike.
    """
    files: dict[str, Path] = {}
    for path in own_files(scenario):
        if files.setdefault(path.name, path) != path:
            raise BoaError(
                f"scenario {scenario.name} names two files '{path.name}' in different folders, and "
                "a results folder keeps copies of both; rename one"
            )
