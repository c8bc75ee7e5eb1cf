# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The spread of runs over their seeds: success rate, medians and quartiles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boa_description.arrays import Array

CONFIDENCE = 1.96  # standard deviations; 95 % of a normal distribution lie within
LEVELS = (0.0, 25.0, 50.0, 75.0, 100.0)  # percentiles: least, quartiles, largest

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of runs with its 95 % interval.

    Attributes:
        count, total: runs that have it, and all.
        low, high: ends of Wilson's score interval (E. B. Wilson 1927, eq. 5), 0 to 1.
    """

    count: int
    total: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Share of the runs; NaN without any."""
        return self.count / self.total if self.total else float("nan")


def success_rate(rows: Sequence[Row]) -> Rate:
    """How many runs were a success."""
    return wilson(sum(bool(row["success"]) for row in rows), len(rows))


def wilson(count: int, total: int) -> Rate:
    """The share `count / total` with its interval, which stays within 0 and 1 for few runs too."""
    if total == 0:
        return Rate(0, 0, 0.0, 1.0)
    share, z2 = count / total, CONFIDENCE**2
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = CONFIDENCE / (1 + z2 / total)
    half *= float(np.sqrt(share * (1 - share) / total + z2 / (4 * total**2)))
    return Rate(count, total, max(0.0, middle - half), min(1.0, middle + half))


def percentiles(rows: Sequence[Row], key: str) -> Array:
    """Least value, quartiles, largest value of a metric, shape (5,); NaN where no run has it."""
    known = [float(row[key]) for row in rows if row.get(key) is not None]
    return np.percentile(known, LEVELS) if known else np.full(len(LEVELS), np.nan)


def median(rows: Sequence[Row], key: str) -> float | None:
    """Median of a metric; None where no run has it."""
    middle = percentiles(rows, key)[2]
    return None if np.isnan(middle) else float(middle)
