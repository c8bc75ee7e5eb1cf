"""Turn pydantic's findings into one clear line each: where, what, and what would be right."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from boa_description.errors import BoaError, unknown_name


def explain(error: ValidationError, model: type[BaseModel], where: str) -> BoaError:
    """Return a BoaError that names every wrong key or value in `error`, found while validating `model`."""
    findings = [_finding(item, model) for item in error.errors(include_url=False)]
    return BoaError(f"{where}: " + "; ".join(dict.fromkeys(findings)))


def _finding(item: Any, model: type[BaseModel]) -> str:
    location = [part for part in item["loc"] if not _is_tag(part, item)]
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
        return f"{place}{item['ctx']['min_length']} or more entries are needed (given: {item['ctx']['actual_length']})"
    message = item["msg"].removeprefix("Value error, ")
    given = item.get("input")
    shown = "" if isinstance(given, dict | list | BaseModel) else f" (given: {given!r})"
    return f"{place}{message[0].lower()}{message[1:]}{shown}"


def _is_tag(part: Any, item: Any) -> bool:
    """Discriminated unions put the chosen tag into the location; users did not write it as a key."""
    return (
        isinstance(part, str) and part in {"circle", "straight", "waypoints", "box", "wall"} and part != item["loc"][-1]
    )


def _valid_keys(model: type[BaseModel], location: tuple[Any, ...]) -> list[str]:
    """Keys that are valid at `location` inside `model`."""
    candidates: list[type[BaseModel]] = [model]
    for part in location:
        deeper: list[type[BaseModel]] = []
        for candidate in candidates:
            if isinstance(part, str) and part in candidate.model_fields:
                deeper += _models_in(candidate.model_fields[part].annotation)
        candidates = deeper or candidates
    return sorted({name for candidate in candidates for name in candidate.model_fields})


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for argument in get_args(annotation) for found in _models_in(argument)]
