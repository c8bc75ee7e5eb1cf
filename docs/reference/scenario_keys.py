# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every key of a scenario, of the parameters of every controller, and of other files."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from boa_control.controllers import CONTROLLERS, controller_class
from boa_control.controllers.hoal.constant import Room
from boa_control.controllers.hoal.tuning import Tuning
from boa_control.experiments.scenario import Scenario
from boa_description.validation import unit_of
from reference.markdown import item, paragraph, plain

Model = type[BaseModel]
LIMITS = {"gt": "above {:g}", "ge": "at least {:g}", "lt": "below {:g}", "le": "at most {:g}"}


def scenario_keys() -> dict[str, list[str]]:
    """A section for each block of a scenario."""
    return {"scenario": list(_sections(Scenario, ""))}


def controller_keys() -> dict[str, list[str]]:
    """The same for the parameters of each shipped controller."""
    lines: list[str] = []
    for name in CONTROLLERS:
        chosen = controller_class(name)
        summary = (inspect.getdoc(chosen) or "").split("\n\n")[0]
        lines += ["", f"### Controller {name}", "", *paragraph(plain(summary)), ""]
        lines += _sections(chosen.Parameters, "controller.parameters", told=True)
    return {"controllers": lines}


def keys_of(model: Model) -> dict[str, list[str]]:
    """The keys of a file that `model` describes, and a section for each block in it."""
    return {"keys": list(_sections(model, "", told=True))}


def _sections(model: Model, place: str, told: bool = False) -> Iterator[str]:
    """Of a block, and of those in it, each once."""
    if not told:
        yield from ("", f"### {_title(model, place)}", "")
        yield from paragraph(plain((inspect.getdoc(model) or "").split("\n\n")[0]))
        yield ""
    inner: dict[Model, str] = {}
    for key, field in model.model_fields.items():
        yield from _field(key, field)
        within = f"{place}.{key}".removeprefix(".")
        for part in _models(field.annotation):
            if part is not Tuning and not issubclass(part, Room):
                inner.setdefault(part, within)  # told where it is first met
    for part, within in inner.items():
        yield from _sections(part, within)


def _title(model: Model, place: str) -> str:
    kind = model.model_fields.get("kind")
    kinds = get_args(kind.annotation) if kind is not None else ()
    return f"`{place or 'scenario'}`" + (f", kind {' or '.join(kinds)}" if kinds else "")


def _models(annotation: Any) -> Iterator[Model]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    else:
        for part in get_args(annotation):
            yield from _models(part)


def _field(key: str, field: FieldInfo) -> list[str]:
    unit = unit_of(field)
    facts = [_default(field), "" if unit == "1" else unit, *_choices(field), *_limits(field)]
    head = f"`{key}` ({', '.join(fact for fact in facts if fact)})"
    return item(head, plain(field.description or ""))


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if len(get_args(field.annotation)) == 1:  # the name of a kind
        return ""
    value = field.get_default(call_default_factory=True)
    if value is None or value is PydanticUndefined or value in ((), {}):
        return "none"
    if isinstance(value, BaseModel):
        return "block"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, float):
        return f"{value:g}"
    return str(list(value) if isinstance(value, tuple) else value).replace("'", "")


def _choices(field: FieldInfo) -> list[str]:
    if get_origin(field.annotation) is Literal:
        return [" or ".join(f"`{choice}`" for choice in get_args(field.annotation))]
    return []


def _limits(field: FieldInfo) -> Iterator[str]:
    for known in field.metadata:
        for name, text in LIMITS.items():
            bound = getattr(known, name, None)
            if isinstance(bound, int | float):
                yield text.format(bound)
