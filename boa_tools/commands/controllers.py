# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa controllers [NAME]`: the controllers that scenarios can name, and their parameters."""

from __future__ import annotations

import argparse
import inspect
from typing import TYPE_CHECKING, Any

from boa_tools.commands.arguments import argument

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(
        parser,
        "name NAME",
        "only this one, with every parameter: a name, or a class in a file (./limp.py:Limp)",
        nargs="?",
    )


def main(arguments: argparse.Namespace) -> None:
    """Print name, origin, summary and parameters of every controller, or all about one."""
    from boa_control.controllers import REGISTRY, controller_class
    from boa_control.controllers.left_out import parameters_of
    from boa_description.errors import BoaError

    if arguments.name is not None:
        print("\n".join(described(controller_class(arguments.name))))
        return
    entries = REGISTRY.entries()
    width = max(len(entry.name) for entry in entries)
    origins = max(len(entry.origin) for entry in entries)
    for entry in entries:
        head = f"{entry.name:<{width}}  {entry.origin:<{origins}}  "
        try:
            chosen = controller_class(entry.name)
        except BoaError as error:  # one broken package must not hide the others
            print(f"{head}cannot be used: {' '.join(str(error).split())}")
            continue
        print(f"{head}{summary(chosen)}")
        parameters = ", ".join(_fields(parameters_of(chosen))) or "none"
        print(f"{'':<{width}}  {'':<{origins}}  parameters: {parameters}")


def summary(chosen: Any) -> str:
    """The first paragraph of a class's docstring, on one line."""
    paragraph = (inspect.getdoc(chosen) or "no docstring").split("\n\n")[0]
    return " ".join(paragraph.split())


def described(chosen: Any) -> list[str]:
    """Summary, class and a line per parameter: name, default, unit or type, meaning."""
    from boa_control.controllers.left_out import parameters_of

    rows = _rows(parameters_of(chosen))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    lines = [summary(chosen), f"class {chosen.__qualname__} in {inspect.getfile(chosen)}"]
    lines += [
        "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    return [line.rstrip() for line in lines]


def _fields(parameters: type[BaseModel]) -> dict[str, FieldInfo]:
    """Of a controller: first its own, then those that it shares with others."""
    own = parameters.__annotations__
    return dict(sorted(parameters.model_fields.items(), key=lambda field: field[0] not in own))


def _rows(parameters: type[BaseModel], within: str = "") -> list[tuple[str, str, str, str]]:
    """Of all parameters; those of a block follow one another, named as `block.parameter`, but where
    there are several kinds of it.
    """
    from pydantic import BaseModel

    rows = []
    for name, field in _fields(parameters).items():
        block = None if field.is_required() else field.get_default(call_default_factory=True)
        if isinstance(block, BaseModel) and field.annotation is type(block):
            rows += _rows(type(block), f"{within}{name}.")
        else:
            rows.append(_row(within + name, field))
    return rows


def _row(name: str, field: FieldInfo) -> tuple[str, str, str, str]:
    from boa_description.validation import unit_of

    required = field.is_required()
    default = "required" if required else _short(field.get_default(call_default_factory=True))
    return name, default, unit_of(field) or "", field.description or ""


def _short(value: Any) -> str:
    from pydantic import BaseModel

    return "block" if isinstance(value, BaseModel) else str(value)
