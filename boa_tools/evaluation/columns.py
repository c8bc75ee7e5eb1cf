# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The columns of tables that set runs side by side: members of a set, and seeds."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boa_tools.evaluation.metric_table import description


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table of runs.

    Attributes:
        key: of the metric, which has unit, factor and meaning.
        name: heading.
        worst: of several values.
    """

    key: str
    name: str
    worst: Callable[[Iterable[float]], float] = max

    @property
    def unit(self) -> str:
        """Unit of the shown value."""
        return description(self.key).unit

    @property
    def factor(self) -> float:
        """Shown value = factor * metric."""
        return description(self.key).factor

    @property
    def share(self) -> bool:
        """Whether it is a part of a whole, shown from 0 to 100 %."""
        return self.key.endswith("_fraction")

    @property
    def meaning(self) -> str:
        """One plain sentence."""
        return description(self.key).meaning

    @property
    def heading(self) -> str:
        """Name and unit, short."""
        return f"{self.name} {self.unit}"

    @property
    def title(self) -> str:
        """Name and unit, as over a plot."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


COLUMNS: tuple[Column, ...] = (
    Column("path_progress_m", "progress", min),
    Column("displacement_m", "displacement", min),
    Column("head_path_error_rms_m", "head"),
    Column("config_error_rms_rad", "shape"),
    Column("force_error_relative", "force error"),
    Column("contact_lost_fraction", "lost"),
    Column("contact_chatter_per_contact_s", "chatter"),
    Column("form_closure_fraction", "closure", min),
    Column("contact_force_peak_n", "contact peak"),
    Column("torque_peak_nm", "torque peak"),
)


def known(runs: Collection[Mapping[str, Any]]) -> tuple[Column, ...]:
    """The columns of which any of the runs has a value: without a path there is no progress."""
    return tuple(
        column for column in COLUMNS if any(value_of(run, column.key) is not None for run in runs)
    )


def headings(columns: Sequence[Column]) -> str:
    """The headings as text, as wide as `cells`."""
    return "  ".join(f"{column.heading:>{_width(column)}}" for column in columns)


def cells(values: Mapping[str, Any], columns: Sequence[Column]) -> str:
    """The values of one run as text, below `headings`."""
    return "  ".join(f"{cell(values, column):>{_width(column)}}" for column in columns)


def cell(values: Mapping[str, Any], column: Column) -> str:
    """One value as text; a dash where it does not apply."""
    value = value_of(values, column.key)
    return "-" if value is None else f"{value * column.factor:.3g}"


def aligned(rows: Sequence[Sequence[str]], side: str = "<") -> list[str]:
    """Rows of cells as lines of text, each column as wide as its widest cell; `side` ">": to the
    right.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{cell:{side}{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def value_of(values: Mapping[str, Any], key: str) -> float | None:
    """A metric by name, whether it is a main one or a further one."""
    value = values.get(key, values.get("extra", {}).get(key))
    return None if value is None else float(value)


def _width(column: Column) -> int:
    return max(len(column.heading), 8)
