# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Turn pydantic's findings into one clear line each: where, what, and what would be right."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from boa_description.errors import BoaError, unknown_name
from boa_description.units import FACTORS, Quantity, Unit

Model = TypeVar("Model", bound=BaseModel)
FINDINGS = 4  # that one line tells: a file of another kind, or a map in mm, has dozens
UPPER_BOUNDS = {"less_than": "lt", "less_than_equal": "le"}
BOUNDS = {"greater_than", "greater_than_equal", *UPPER_BOUNDS}
NUMBERS = {"float_parsing": "a plain number", "int_parsing": "a whole number"}
SHAPES = {
    "tuple_type": "a list",
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "keys with values"),
}
WITH_UNIT = re.compile(r"(?P<value>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?) *(?P<unit>[^\d\s].*)")


def explain(error: ValidationError, model: type[BaseModel], where: str) -> BoaError:
    """Return a BoaError that names the first wrong keys and values in `error`, found while
    validating `model`; missing keys last, for one that was mistyped is missing, too.
    """
    errors = sorted(error.errors(include_url=False), key=lambda item: item["type"] == "missing")
    findings = dict.fromkeys(_finding(item, model) for item in errors)
    rest = [f"and {len(findings) - FINDINGS} more"] if len(findings) > FINDINGS else []
    return BoaError(f"{where}: " + "; ".join([*islice(findings, FINDINGS), *rest]))


def validated(model: type[Model], data: Any, where: str) -> Model:
    """What keys and values say, as `model`.

    Raises:
        BoaError: the first wrong ones, in what is called `where`.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise explain(error, model, where) from error


def unit_of(field: FieldInfo) -> str | None:
    """SI unit in a field's annotation, also inside `X | None`; None for counts and the like."""
    return next((item.symbol for item in _metadata(field) if isinstance(item, Unit)), None)


def _metadata(field: FieldInfo) -> Iterator[Any]:
    yield from field.metadata
    for member in get_args(field.annotation):
        yield from getattr(member, "__metadata__", ())


def _finding(item: Any, model: type[BaseModel]) -> str:
    location, _ = _walk(model, item["loc"])
    key = ".".join(str(part) for part in location)
    if item["type"] == "extra_forbidden":
        valid = _valid_keys(model, item["loc"][:-1])
        near = get_close_matches(str(location[-1]), valid, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        return f"unknown key '{key}'{hint} (valid: {', '.join(valid)})"
    if item["type"] == "missing":
        return f"key '{key}' is missing"
    if item["type"] == "union_tag_not_found":
        return f"key '{key}.kind' is missing"
    place = f"{key}: " if key else ""
    if item["type"] == "union_tag_invalid":
        kinds = item["ctx"]["expected_tags"].replace("'", "").split(", ")
        return f"{place}{unknown_name('kind', item['ctx']['tag'], kinds)}"
    if item["type"] == "too_short":
        return (
            f"{place}{item['ctx']['min_length']} or more entries are needed (given: "
            f"{item['ctx']['actual_length']})"
        )
    if item["type"] in BOUNDS or item["type"] in NUMBERS:
        return place + _number(item, _field_at(model, item["loc"]))
    given = item.get("input")
    shown = "" if isinstance(given, dict | list | BaseModel) else f" (given: {given!r})"
    if item["type"] in SHAPES:
        return f"{place}{SHAPES[item['type']]} must stand here{shown}"
    message = item["msg"].removeprefix("Value error, ")
    return f"{place}{message[0].lower()}{message[1:]}{shown}"


def _number(item: Any, field: FieldInfo | None) -> str:
    """Error text of a number: limit or form with the unit, value, and what was perhaps meant."""
    unit = unit_of(field) if field is not None else None
    symbol = f" {unit}" if unit not in (None, "1") else ""
    given, kind = item["input"], item["type"]
    if kind in BOUNDS:
        message = f"{item['msg'][0].lower()}{item['msg'][1:]}{symbol}"
    else:
        message = f"{NUMBERS[kind]}{symbol and ' in'}{symbol} is needed"
    meant = _meant(item, unit) if unit is not None else None
    if meant is not None:
        return f"{message} (given: {given!r}); did you mean {meant}?"
    described = (
        ""
        if unit is not None or field is None or not field.description
        else f"; {field.description}"
    )
    return f"{message} (given: {given!r}{described})"


def _meant(item: Any, target: str) -> str | None:
    """E.g. "0.5236 (30 deg)" for 30 rad, or for the text "30 deg"; None where no unit fits."""
    if isinstance(item["input"], Quantity):  # its unit was given
        return None
    others = {spelling: factor for spelling, (si, factor) in FACTORS.items() if si == target}
    if item["type"] in UPPER_BOUNDS:
        limit, value = item["ctx"][UPPER_BOUNDS[item["type"]]], item["input"]
        units = [
            unit
            for unit, factor in others.items()
            if isinstance(value, int | float) and value * factor < limit
        ]
    elif match := WITH_UNIT.fullmatch(str(item["input"]).strip()):
        value, units = float(match["value"]), [unit for unit in others if unit == match["unit"]]
    else:
        return None
    return f"{value * others[units[0]]:.4g} ({value:g} {units[0]})" if units else None


def _valid_keys(model: type[BaseModel], location: tuple[Any, ...]) -> list[str]:
    """Keys that are valid at `location` inside `model`."""
    _, models = _walk(model, location)
    return sorted({name for candidate in models for name in candidate.model_fields})


def _field_at(model: type[BaseModel], location: tuple[Any, ...]) -> FieldInfo | None:
    """The field at `location` inside `model`, or that of which it is an entry."""
    last = max((place for place, part in enumerate(location) if isinstance(part, str)), default=0)
    for candidate in _walk(model, location[:last])[1]:
        if field := candidate.model_fields.get(location[last]):
            return field
    return None


def _walk(
    model: type[BaseModel], location: tuple[Any, ...]
) -> tuple[list[Any], list[type[BaseModel]]]:
    """`location` as the user wrote it, and the models that may stand there. Discriminated unions
    put the chosen `kind` into the location, which is no key.
    """
    candidates: list[type[BaseModel]] = [model]
    written: list[Any] = []
    for part in location:
        chosen = [one for one in candidates if part in _kinds(one)] if candidates[1:] else []
        if chosen:
            candidates = chosen
            continue
        written.append(part)
        deeper: list[type[BaseModel]] = []
        for candidate in candidates:
            if isinstance(part, str) and part in candidate.model_fields:
                deeper += _models_in(candidate.model_fields[part].annotation)
        candidates = deeper or candidates
    return written, candidates


def _kinds(model: type[BaseModel]) -> tuple[Any, ...]:
    field = model.model_fields.get("kind")
    return get_args(field.annotation) if field is not None else ()


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models_in(argument)]
