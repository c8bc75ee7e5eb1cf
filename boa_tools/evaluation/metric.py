# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A metric: how it is computed, shown and defined, in one declaration."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boa_description.arrays import Array
from boa_tools.evaluation.analysis import Analysis

Value = float | bool | str | None


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of a run.

    Attributes:
        key: in metrics.json; ends with the SI unit of the value, where it has one.
        label: short name.
        factor, unit: shown value = factor * value, in this unit.
        meaning: one plain sentence, for the report.
        compute: the value from a run, SI; None where it does not apply.
        definition: Markdown for docs/metrics.md; empty where `meaning` says all.
        further: stands under "extra".
    """

    key: str
    label: str
    factor: float
    unit: str
    meaning: str
    compute: Callable[[Analysis], Value]
    definition: str = ""
    further: bool = False


def further(
    key: str,
    label: str,
    factor: float,
    unit: str,
    meaning: str,
    compute: Callable[[Analysis], Value],
    definition: str = "",
) -> Metric:
    """A metric that stands under "extra"."""
    return Metric(key, label, factor, unit, meaning, compute, definition, further=True)


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
