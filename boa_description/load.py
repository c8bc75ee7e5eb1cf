# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Load a robot description: a shipped robot by name, or a YAML file in which every value has a unit
and a source.
"""

from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from boa_description.errors import BoaError, unknown_name
from boa_description.registry import is_file_name
from boa_description.robot import Block, Robot
from boa_description.units import to_si
from boa_description.validation import unit_of, validated
from boa_description.yaml_text import parse_mapping, read_text

# texts; every other leaf is a quantity with unit and source
PLAIN_KEYS = (
    "name",
    "summary",
    "mount",
    "joint.axes",
    "joint.first",
    "actuator.gearbox.model",
)
QUANTITY_KEYS = ("value", "unit", "source")


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
        BoaError: no such robot or file, not YAML, or a wrong key, unit, type or range; one line,
            with what is valid.
    """
    text, where = _read(name)
    data, sources = quantities(parse_mapping(text, where), Robot, where)
    changes = _changes(links, pitch, override or {}, where)
    _merge(data, changes)
    sources |= dict.fromkeys(_leaves(changes), "given when the robot was loaded")
    data["name"] = _variant_name(data.get("name"), links, pitch)
    return validated(Robot, {**data, "sources": sources}, where)


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


def quantities(
    data: Mapping[str, Any], model: type[BaseModel], where: str, prefix: str = ""
) -> tuple[dict[str, Any], dict[str, str]]:
    """Replace every quantity in `data` by its SI value; return the values and their sources.

    Unknown keys and wrong shapes pass through untouched: the model's own validation names them.

    Args:
        data: of a file, or of the block `prefix` in it.
        model: that the values are for.
        where: the file, for errors.

    Raises:
        BoaError: a value without unit or source.
    """
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for key, given in data.items():
        path = f"{prefix}{key}"
        field = model.model_fields.get(key)
        block = _block_type(field)
        if field is None or path in PLAIN_KEYS or path == "sources":
            if path == "sources":
                raise BoaError(
                    f"{where}: 'sources' is collected from the values; write `source:` beside "
                    f"each value"
                )
            values[key] = given
        elif block is not None and isinstance(given, Mapping):
            values[key], inner = quantities(given, block, where, f"{path}.")
            sources |= inner
        elif block is not None:
            raise BoaError(
                f"{where}: {path} must be a block with keys {', '.join(block.model_fields)}"
            )
        else:
            listed = get_origin(field.annotation) is tuple
            values[key], sources[path] = _quantity(
                given, unit_of(field), f"{where}: {path}", listed
            )
    return values, sources


def _quantity(
    given: Any, unit: str | None, where: str, listed: bool = False
) -> tuple[float | int | list[Any], str]:
    """Return the SI value, or list of values, and the source of `{value, unit, source}` (no unit
    for counts).
    """
    expected = [key for key in QUANTITY_KEYS if key != "unit" or unit is not None]
    example = (
        "{value: 13, source: ...}" if unit is None else f"{{value: 1.0, unit: {unit}, source: ...}}"
    )
    if not isinstance(given, Mapping):
        raise BoaError(f"{where}: expected {example}, got {given!r}")
    for key in given:
        if key not in expected:
            raise unknown_name("key", str(key), expected, where)
    for key in expected:
        if key not in given:
            raise BoaError(f"{where}: key '{key}' is missing; write {example}")
    value, source = given["value"], given["source"]
    if listed and isinstance(value, list):
        each = [_quantity({**given, "value": one}, unit, where)[0] for one in value]
        return each, str(source)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BoaError(
            f"{where}: value must be a number, got {value!r} (YAML needs the point in 1.0e-3)"
        )
    if not isinstance(source, str) or not source.strip():
        raise BoaError(f"{where}: source must be a text that says where {value} comes from")
    return (
        value if unit is None else to_si(float(value), str(given["unit"]), unit, where)
    ), source.strip()


def _block_type(field: FieldInfo | None) -> type[Block] | None:
    annotation = field.annotation if field is not None else None
    return annotation if isinstance(annotation, type) and issubclass(annotation, Block) else None


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
