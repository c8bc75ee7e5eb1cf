"""The columns of tables that set runs side by side: members of a set, and seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from boa_tools.evaluation.metric_table import DEGREE


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table of runs.

    Attributes:
        key: of the metric.
        name, unit, factor: shown value = factor * metric, in this unit.
        meaning: in a few words.
        worst: of several values.
    """

    key: str
    name: str
    unit: str
    factor: float
    meaning: str
    worst: Callable[[Iterable[float]], float] = max

    @property
    def heading(self) -> str:
        """Name and unit, short."""
        return f"{self.name} {self.unit}"

    @property
    def title(self) -> str:
        """Name and unit, as over a plot."""
        return f"{self.name} ({self.unit})"


COLUMNS: tuple[Column, ...] = (
    Column("path_progress_m", "progress", "m", 1, "along the path", min),
    Column("head_path_error_rms_m", "head", "mm", 1e3, "distance from the head to the path, rms"),
    Column(
        "config_error_rms_rad",
        "shape",
        "deg",
        DEGREE,
        "joint angles against those on the path, rms",
    ),
    Column(
        "force_error_relative",
        "force error",
        "%",
        100,
        "error of the contact forces, rms, over the rms reference: the law's own, or the "
        "scenario's where it has none",
    ),
    Column(
        "contact_lost_fraction",
        "lost",
        "%",
        100,
        "share of the time in which planned contacts did not touch",
    ),
    Column(
        "contact_chatter_per_contact_s",
        "chatter",
        "1/s",
        1,
        "losses regained within 20 ms, per second of contact",
    ),
    Column(
        "form_closure_fraction",
        "closure",
        "%",
        100,
        "share of the time in which the true contacts hold the body",
        min,
    ),
    Column("contact_force_peak_n", "contact peak", "N", 1, "largest contact force"),
    Column("torque_peak_nm", "torque peak", "N m", 1, "largest joint torque"),
)


def headings() -> str:
    """The headings as text, as wide as `cells`."""
    return "  ".join(f"{column.heading:>{_width(column)}}" for column in COLUMNS)


def cells(values: Mapping[str, Any]) -> str:
    """The values of one run as text, below `headings`."""
    return "  ".join(f"{cell(values, column):>{_width(column)}}" for column in COLUMNS)


def cell(values: Mapping[str, Any], column: Column) -> str:
    """One value as text; a dash where it does not apply."""
    value = value_of(values, column.key)
    return "-" if value is None else f"{value * column.factor:.3g}"


def value_of(values: Mapping[str, Any], key: str) -> float | None:
    """A metric by name, whether it is a main one or a further one."""
    value = values.get(key, values.get("extra", {}).get(key))
    return None if value is None else float(value)


def _width(column: Column) -> int:
    return max(len(column.heading), 8)
