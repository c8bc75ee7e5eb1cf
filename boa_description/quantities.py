# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Description files: every value has a unit and a source, and becomes a number in SI units."""

from collections.abc import Mapping
from typing import Any, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from boa_description.errors import BoaError, unknown_name
from boa_description.robot import Block
from boa_description.units import to_si
from boa_description.validation import unit_of

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
