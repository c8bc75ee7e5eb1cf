# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One varied key of a sweep and its values, as on the command line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from boa_description.errors import BoaError
from boa_description.yaml_text import parse_yaml

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
RANGE = re.compile(rf"({NUMBER}):({NUMBER}):(\d+)(:log)?")
LOOKS_LIKE_RANGE = re.compile(rf"{NUMBER}(:{NUMBER})+(:\w*)?")
FORMS = "KEY=first:last:count, KEY=first:last:count:log or KEY=value,value,..."
DIGITS = 12  # of the values of a range: 0.006, not 0.006000000000000001
MOST_VALUES = 10_000  # of one range; more is a slip of the hand


@dataclass(frozen=True, slots=True)
class Axis:
    """A key of the scenario with dots, and the values that it takes."""

    key: str
    values: tuple[Any, ...]


def parse_axis(text: str) -> Axis:
    """Read `KEY=first:last:count` (both ends belong to it; `:log` for equal ratios), or
    `KEY=value,value,...` with values as in YAML.

    Raises:
        BoaError: not of that form, an empty range, or a value given twice.
    """
    key, equals, right = text.partition("=")
    if not (key and equals and right.strip()):
        raise BoaError(f"--vary {text}: write {FORMS}")
    values = _range(text, right) if LOOKS_LIKE_RANGE.fullmatch(right) else _list(text, right)
    seen = set()
    for value in values:
        if repr(value) in seen:
            raise BoaError(f"--vary {text}: the value {value} comes twice; give it once")
        seen.add(repr(value))
    return Axis(key.strip(), values)


def _range(text: str, right: str) -> tuple[float, ...]:
    match = RANGE.fullmatch(right)
    if match is None:
        raise BoaError(f"--vary {text}: a range is first:last:count or first:last:count:log")
    first, last, count = float(match[1]), float(match[2]), int(match[3])
    if count < 2 or first == last:
        raise BoaError(
            f"--vary {text}: the range from {first:g} to {last:g} with {count} values is empty; "
            "give two different ends and a count of 2 or more, or single values: KEY=value,..."
        )
    if count > MOST_VALUES:
        raise BoaError(f"--vary {text}: {count} values, at most {MOST_VALUES}; take fewer")
    if match[4] and not first * last > 0:
        raise BoaError(f"--vary {text}: a range in equal ratios needs ends of one sign, not 0")
    spaced = np.geomspace(first, last, count) if match[4] else np.linspace(first, last, count)
    values = [float(f"{value:.{DIGITS}g}") for value in spaced]
    whole = all(value.is_integer() for value in values) and "." not in match[1] + match[2]
    return tuple(int(value) for value in values) if whole else tuple(values)


def _list(text: str, right: str) -> tuple[Any, ...]:
    values = parse_yaml(f"[{right}]", f"--vary {text}")
    if not isinstance(values, list) or not values:
        raise BoaError(f"--vary {text}: write {FORMS}")
    return tuple(plain_number(value) for value in values)


def plain_number(value: Any) -> Any:
    """YAML takes 1e-3 for a text; we do not."""
    return float(value) if isinstance(value, str) and re.fullmatch(NUMBER, value) else value
