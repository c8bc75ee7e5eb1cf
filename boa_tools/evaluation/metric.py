# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A metric: how it is computed, shown and defined, in one declaration."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from boa_description.arrays import Array
from boa_tools.evaluation.analysis import Analysis

Value = float | bool | str | None
Found = TypeVar("Found", bound=Value)
# what a value in SI is multiplied with, by the unit in which it is shown
SHOWN = {"mm": 1e3, "mm/s": 1e3, "mm/J": 1e3, "%": 100.0, "deg": 180 / math.pi}


@dataclass(frozen=True, slots=True)
class Metric(Generic[Found]):
    """One metric of a run: a function of it, with what is said about its value.

    Attributes:
        key: in metrics.json; ends with the SI unit of the value, where it has one.
        label: short name.
        unit: in which it is shown.
        further: stands under "extra".
        compute: the value from a run, SI; None where it does not apply. Its docstring is for
            people: first one plain sentence for the report, then what docs/metrics.md says besides.
    """

    key: str
    label: str
    unit: str
    further: bool
    compute: Callable[[Analysis], Found]

    def __call__(self, run: Analysis) -> Found:
        """The value of a run."""
        return self.compute(run)

    @property
    def factor(self) -> float:
        """Shown value = factor * value."""
        return SHOWN.get(self.unit, 1.0)

    @property
    def meaning(self) -> str:
        """One plain sentence."""
        return self._paragraphs[0]

    @property
    def definition(self) -> str:
        """Markdown for docs/metrics.md; empty where `meaning` says all."""
        return "".join(self._paragraphs[1:])

    @property
    def _paragraphs(self) -> list[str]:
        return [" ".join(part.split()) for part in (self.compute.__doc__ or "").split("\n\n")]


class Marking(Protocol):
    """Makes a function of a run a metric."""

    def __call__(self, compute: Callable[[Analysis], Found]) -> Metric[Found]:
        """Decorate it."""


def metric(key: str, label: str, unit: str = "", *, further: bool = False) -> Marking:
    """Decorator of a function of a run; arguments as of `Metric`."""

    def mark(compute: Callable[[Analysis], Found]) -> Metric[Found]:
        return Metric(key, label, unit, further, compute)

    return mark


def further(key: str, label: str, unit: str = "") -> Marking:
    """The same for a metric that stands under "extra"."""
    return metric(key, label, unit, further=True)


def metrics_of(topic: ModuleType) -> tuple[Metric[Any], ...]:
    """The metrics that a module defines, in their order there."""
    found = (one for one in vars(topic).values() if isinstance(one, Metric))
    return tuple(one for one in found if one.compute.__module__ == topic.__name__)


def rms(values: Array | None) -> float | None:
    """Root mean square of the known values."""
    known = _known(values)
    return float(np.sqrt(np.mean(known**2))) if known.size else None


def peak(values: Array | None) -> float | None:
    """Largest magnitude of the known values."""
    known = _known(values)
    return float(np.abs(known).max()) if known.size else None


def mean(values: Array | None) -> float | None:
    """Mean of the known values."""
    known = _known(values)
    return float(known.mean()) if known.size else None


def _known(values: Array | None) -> Array:
    return np.zeros(0) if values is None else values[np.isfinite(values)]
