# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The varied keys of a sweep as they are shown, and its rows by their values."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from boa_description.arrays import Array
from boa_tools.report.style import SERIES

MOST_LINES = 6  # in a chart; more combinations of the other keys are taken together

Row = Mapping[str, Any]
Point = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class VariedKey:
    """A varied key as it is shown.

    Attributes:
        key: in the scenario, and column of the table.
        values: in order.
        unit: of numbers, where it is known.
    """

    key: str
    values: tuple[Any, ...]
    unit: str | None = None

    @property
    def title(self) -> str:
        """What it is and its unit, in words."""
        name = self.key.rpartition(".")[2].replace("_", " ")
        return f"{name} ({self.unit})" if self.unit and self.unit != "1" else name

    @property
    def labels(self) -> tuple[str, ...]:
        """The values in words: of a controller, or another block, its name where that tells it."""
        names = [v.get("name") if isinstance(v, Mapping) else None for v in self.values]
        told = None not in names and len(set(names)) == len(names)
        values = names if told else self.values
        return tuple(str(value) for value in values)

    def label(self, value: Any) -> str:
        """One of its values in words."""
        return self.labels[[json.dumps(v) for v in self.values].index(json.dumps(value))]

    @property
    def numeric(self) -> bool:
        """Whether the values have places on an axis; else they stand side by side."""
        return all(isinstance(v, int | float) and not isinstance(v, bool) for v in self.values)

    @property
    def logarithmic(self) -> bool:
        """Whether the values are spaced in equal ratios rather than equal steps."""
        values = np.sort(np.array(self.values, float)) if self.numeric else np.zeros(1)
        return len(values) > 2 and bool(values[0] > 0 and values[-1] / values[0] > 20)

    @property
    def places(self) -> Array:
        """Where the values are on an axis."""
        return np.array(self.values if self.numeric else range(len(self.values)), float)


def points(keys: Sequence[VariedKey]) -> list[Point]:
    """All combinations of the values, the last key changing fastest."""
    names = [key.key for key in keys]
    return [
        dict(zip(names, values, strict=True)) for values in product(*(key.values for key in keys))
    ]


@dataclass(frozen=True, slots=True)
class KeyLine:
    """One curve over a varied key: a combination of the others.

    Attributes:
        point: values of the other keys; empty: all combinations together.
        label: the same for people. colour: as in CSS.
    """

    point: Point
    label: str
    colour: str


def lines_over(keys: Sequence[VariedKey], chosen: VariedKey) -> list[KeyLine]:
    """The curves over one key; more than `MOST_LINES` are taken together."""
    given = points([key for key in keys if key is not chosen])
    if len(given) > MOST_LINES:
        given = [{}]
    return [
        KeyLine(
            point,
            ", ".join(
                f"{key.key.rpartition('.')[2].replace('_', ' ')} {key.label(point[key.key])}"
                for key in keys
                if key.key in point
            ),
            SERIES[place % len(SERIES)],
        )
        for place, point in enumerate(given)
    ]


class Runs:
    """The rows of a sweep, sorted by their parameters once: there may be very many.

    Attributes:
        rows: all of them.
        keys: varied keys.
    """

    def __init__(self, rows: Sequence[Row], keys: Sequence[VariedKey]) -> None:
        self.rows = rows
        self.keys = tuple(keys)
        self._groups: dict[tuple[str, ...], list[Row]] = {}
        for row in rows:
            name = tuple(json.dumps(row[key.key]) for key in keys)
            self._groups.setdefault(name, []).append(row)

    def at(self, point: Point) -> list[Row]:
        """The rows with these values of some of the keys, or of all."""
        given = [json.dumps(point[key.key]) if key.key in point else None for key in self.keys]
        return [
            row
            for name, rows in self._groups.items()
            if all(one in (None, has) for one, has in zip(given, name, strict=True))
            for row in rows
        ]
