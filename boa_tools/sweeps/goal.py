# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The goal of an optimisation: a metric to bring down or up, and metrics with limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boa_control.safety.ended import Reason
from boa_description.arrays import Array
from boa_description.errors import BoaError, unknown_name
from boa_tools.evaluation.columns import Column
from boa_tools.evaluation.metric_table import FURTHER, METRICS, description

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Limit:
    """A metric that must stay at or below a bound; or at or above it.

    Attributes:
        metric: key.
        bound: in the metric's SI unit.
        least: the bound is a lower one.
    """

    metric: str
    bound: float
    least: bool = False

    def excess(self, value: float) -> float:
        """By how much a value is on the wrong side; negative on the right one."""
        return self.bound - value if self.least else value - self.bound

    def __str__(self) -> str:
        return f"{self.metric} {'at least' if self.least else 'at most'} {self.bound:g}"


@dataclass(frozen=True, slots=True)
class Goal:
    """An objective and limits.

    Attributes:
        metric: key of the objective.
        maximise: the larger, the better.
        limits: all must be kept.
    """

    metric: str
    maximise: bool
    limits: tuple[Limit, ...] = ()

    def objective(self, rows: Sequence[Row]) -> float:
        """Median of the objective over the runs of one evaluation; NaN where one left no result,
        was stopped by a fault or a stop condition, or has no such number: then nothing is known
        about the robot there.
        """
        values = [_value(row, self.metric) for row in rows]
        return float(np.median(values)) if values else float("nan")

    def excess(self, rows: Sequence[Row]) -> Array:
        """The worst of each limit over the runs, shape (m,); NaN as above."""
        worst = [
            max(limit.excess(_value(row, limit.metric)) for row in rows)
            if all(np.isfinite(_value(row, limit.metric)) for row in rows)
            else float("nan")
            for limit in self.limits
        ]
        return np.array(worst, float)

    def kept(self, row: Row) -> bool:
        """Whether one run keeps all limits and has the objective."""
        excess = self.excess([row])
        return bool(np.isfinite(self.objective([row])) and (excess <= 0).all())

    def __str__(self) -> str:
        words = [f"{'largest' if self.maximise else 'smallest'} {self.metric}"]
        return ", ".join([*words, *map(str, self.limits)])


def _value(row: Row, key: str) -> float:
    value = row.get(key)
    if value is None or isinstance(value, str) or Reason(row["ended"]).failed:
        return float("nan")
    return float(value)


def metric_key(text: str) -> str:
    """The key of a metric, with or without `extra.`. Raises BoaError where there is none."""
    key = text.strip().removeprefix("extra.")
    if key not in METRICS and key not in FURTHER:
        raise unknown_name("metric", key, (*METRICS, *FURTHER))
    return key


def columns_of(names: Sequence[str]) -> tuple[Column, ...]:
    """Metrics as columns. Raises BoaError as `metric_key`."""
    return tuple(Column(key, description(key).label) for key in map(metric_key, names))


def parse_bound(text: str, option: str) -> Limit:
    """Read `METRIC>=x` or `METRIC<=x`. Raises BoaError."""
    for sign, other in ((">=", "--least"), ("<=", "--limit")):
        name, found, bound = text.partition(sign)
        if found:
            return parse_limit(f"{name}={bound}", other)
    raise BoaError(f"{option} {text}: write METRIC>=number or METRIC<=number, in SI units")


def parse_limit(text: str, option: str) -> Limit:
    """Read `METRIC=x` of --limit or --least. Raises BoaError."""
    name, _, right = text.partition("=")
    try:
        bound = float(right)
    except ValueError:
        bound = float("nan")
    if not np.isfinite(bound):
        raise BoaError(f"{option} {text}: write METRIC=number, in SI units")
    return Limit(metric_key(name), bound, least=option == "--least")
