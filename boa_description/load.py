# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Load a robot description: a shipped robot by name, or a YAML file in which every value has a unit
and a source.
"""

from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from boa_description.errors import BoaError, unknown_name
from boa_description.gearbox import OWN, gearbox_names, load_gearbox
from boa_description.quantities import quantities
from boa_description.registry import is_file_name
from boa_description.robot import Robot
from boa_description.validation import validated
from boa_description.yaml_text import parse_mapping, read_text


def robot_names() -> tuple[str, ...]:
    """Names of the shipped robots, sorted."""
    folder = files("boa_description") / "data"
    return tuple(
        sorted(
            entry.name.removesuffix(".yaml")
            for entry in folder.iterdir()
            if entry.name.endswith(".yaml")
        )
    )


def load_robot(
    name: str,
    *,
    links: int | None = None,
    pitch: float | None = None,
    override: Mapping[str, Any] | None = None,
) -> Robot:
    """Load a robot and, optionally, change single values of it.

    Args:
        name: a shipped robot (`robot_names`), or a YAML file (anything with a slash or ending in
            .yaml).
        links: another number of links, 2 to 100.
        pitch: another distance between neighbouring joint axes, m.
        override: nested values in SI units that replace those of the file, e.g. `{"limits":
            {"torque": 5.0}}`.

    Returns:
        The robot in SI units; `Robot.sources` maps dotted keys ("link.pitch") to where the value
        comes from.

    Raises:
        BoaError: no such robot, file or gearbox, not YAML, or a wrong key, unit, type or range; one
            line, with what is valid.
    """
    text, where = _read(name)
    data, sources = quantities(parse_mapping(text, where), Robot, where)
    changes = _changes(links, pitch, override or {}, where)
    _merge(data, changes)
    sources |= dict.fromkeys(_leaves(changes), "given when the robot was loaded")
    data["name"] = _variant_name(data.get("name"), links, pitch)
    return _with_known_gearbox(validated(Robot, {**data, "sources": sources}, where), name, where)


def _with_known_gearbox(robot: Robot, name: str, where: str) -> Robot:
    """The robot with the path of its gearboxes' file, if it has one, from wherever it is used."""
    model = robot.actuator.gearbox.model
    if model in (*OWN, *gearbox_names()):
        return robot
    if is_file_name(model):
        folder = Path(name).parent if is_file_name(name) else None
        if folder is None or (folder / model).absolute().parent != folder.absolute():
            raise BoaError(
                f"{where}: actuator.gearbox.model: '{model}' does not lie beside the file of the "
                f"robot; put it there and write ./{Path(model).name}. A scenario names others as "
                "plant.effects.gearbox"
            )
        model = str(folder / model)
    try:
        load_gearbox(model)
    except BoaError as error:
        raise BoaError(f"{where}: actuator.gearbox.model: {error}") from error
    return robot.with_gearbox(model)


def _read(name: str) -> tuple[str, str]:
    """Return the text of the description and how to call it in errors."""
    if is_file_name(name):
        path = Path(name)
        if not path.is_file():
            raise BoaError(
                f"robot file '{path}' does not exist; shipped robots: {', '.join(robot_names())}"
            )
        return read_text(path), str(path)
    if name not in robot_names():
        raise unknown_name("robot", name, robot_names())
    return (files("boa_description") / "data" / f"{name}.yaml").read_text(
        encoding="utf-8"
    ), f"robot {name}"


def _changes(
    links: int | None, pitch: float | None, override: Mapping[str, Any], where: str
) -> dict[str, Any]:
    """Everything that was asked for beside the file, as one nested mapping."""
    if not isinstance(override, Mapping):
        raise BoaError(
            f"{where}: override must be nested keys such as {{limits: {{torque: 5.0}}}}, got "
            f"{override!r}"
        )
    changes: dict[str, Any] = {}
    _merge(changes, override)
    if links is not None:
        changes["links"] = links
    if pitch is not None:
        _merge(changes, {"link": {"pitch": pitch}})
    return changes


def _merge(target: dict[str, Any], changes: Mapping[str, Any]) -> None:
    """Put `changes` into `target`, block by block."""
    for key, value in changes.items():
        if isinstance(value, Mapping) and isinstance(target.setdefault(key, {}), dict):
            _merge(target[key], value)
        else:
            target[key] = value


def _leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def _variant_name(name: Any, links: int | None, pitch: float | None) -> Any:
    """E.g. "boa13 with 7 links and pitch 0.2 m"."""
    changed = []
    if links is not None:
        changed.append(f"{links} links")
    if pitch is not None:
        changed.append(f"pitch {pitch} m")
    return f"{name} with {' and '.join(changed)}" if changed else name
