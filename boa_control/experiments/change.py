# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scenario with other values at single keys: `controller.parameters.speed`."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from boa_control.controllers import checked_parameters, controller_class
from boa_control.controllers.left_out import parameters_of
from boa_control.experiments.scenario import Scenario
from boa_control.experiments.scenario_set import KEPT
from boa_description.errors import BoaError
from boa_description.validation import explain, unit_of

PARAMETERS = "controller.parameters"


def changed(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """The scenario with these values. A key names its place with dots; entries of a list are
    counted from 0 (`scene.obstacles.0.x`).

    Raises:
        BoaError: a key that does not exist (with the nearest that does), one that cannot be
            changed, or a value that the scenario or its controller's parameters refuse.
    """
    data = scenario.model_dump(mode="json", exclude_unset=True)
    for key, value in changes.items():
        _put(data, key, value)
    try:
        result = Scenario.model_validate(data)
    except ValidationError as error:
        if any(item["type"] == "extra_forbidden" for item in error.errors()):
            _refuse_unknown(scenario, changes)
        where = ", ".join(f"{key}={value}" for key, value in changes.items())
        raise explain(error, Scenario, where) from error
    checked_parameters(result.controller.name, result.controller.parameters)
    return result


def value_at(scenario: Scenario, key: str) -> Any:
    """The value that a scenario has at a key, defaults included; None where it has none."""
    data = scenario.model_dump(mode="json")
    data["controller"]["parameters"] = checked_parameters(
        scenario.controller.name, scenario.controller.parameters
    ).model_dump(mode="json")
    node: Any = data
    for part in key.split("."):
        if isinstance(node, list):
            node = node[_index(node, part, key)]
        else:
            node = node.get(part) if isinstance(node, dict) else None
    return node


def _put(data: dict[str, Any], key: str, value: Any) -> None:
    """Set the value at a dotted key; blocks that the scenario leaves out are made."""
    *blocks, last = key.split(".")
    if not all((*blocks, last)):
        raise BoaError(f"'{key}' is not a key; write its place with dots: {PARAMETERS}.speed")
    if key in KEPT:
        raise BoaError(f"'{key}' only labels a scenario; a run does not depend on it")
    node: Any = data
    for depth, block in enumerate(blocks):
        place = ".".join(blocks[: depth + 1])
        if isinstance(node, list):
            node = node[_index(node, block, place)]
            continue
        if node.get(block) is None:
            node[block] = {}
        node = node[block]
        if not isinstance(node, dict | list):
            raise BoaError(f"'{key}': {place} is the value {node!r}, not a block with keys")
    if isinstance(node, list):
        node[_index(node, last, key)] = value
    else:
        node[last] = value


def _index(entries: list[Any], text: str, place: str) -> int:
    if not (text.isdecimal() and int(text) < len(entries)):
        raise BoaError(
            f"'{place}': there are {len(entries)} entries, counted from 0; '{text}' is none of them"
        )
    return int(text)


def _refuse_unknown(scenario: Scenario, changes: Mapping[str, Any]) -> None:
    """Raise BoaError for a key that does not exist while one is spelt alike."""
    known = known_keys(scenario)
    for key in changes:
        near = _nearest(key, known)
        if key not in known and near is not None:
            raise BoaError(f"scenario {scenario.name} has no key '{key}'; did you mean '{near}'?")


def _nearest(key: str, known: tuple[str, ...]) -> str | None:
    """A key that ends the same way, else one that is spelt alike."""
    last = key.rpartition(".")[2]
    same_end = [other for other in known if other.rpartition(".")[2] == last]
    near = get_close_matches(key, same_end or known, n=1, cutoff=0.0 if same_end else 0.6)
    return near[0] if near else None


def known_keys(scenario: Scenario) -> tuple[str, ...]:
    """All keys with dots that a scenario may have, with the parameters of this one's controller."""
    return tuple(_known_fields(scenario))


def unit_of_key(scenario: Scenario, key: str) -> str | None:
    """SI unit of the value at a key; None for counts, texts and keys of free blocks."""
    field = _known_fields(scenario).get(key)
    return None if field is None else unit_of(field)


def is_whole_number(scenario: Scenario, key: str) -> bool:
    """Whether the value at a key is a whole number by its declaration."""
    field = _known_fields(scenario).get(key)
    if field is None:
        return False
    kinds = get_args(field.annotation) or (field.annotation,)
    return int in kinds and float not in kinds


def _known_fields(scenario: Scenario) -> dict[str, FieldInfo]:
    parameters = parameters_of(controller_class(scenario.controller.name))
    return dict(_fields(Scenario, "")) | dict(_fields(parameters, f"{PARAMETERS}."))


def _fields(model: type[BaseModel], before: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        yield before + name, field
        for block in _blocks(field.annotation):
            yield from _fields(block, f"{before}{name}.")


def _blocks(annotation: Any) -> Iterator[type[BaseModel]]:
    """Models in an annotation, also inside of `X | None`; entries of lists have no name."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif getattr(annotation, "__origin__", None) not in (tuple, list, dict):
        for argument in get_args(annotation):
            yield from _blocks(argument)
