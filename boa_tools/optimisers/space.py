# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The variables of an optimisation and the unit cube in which samplers work."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from boa_description.arrays import Array
from boa_description.errors import BoaError

DIGITS = 6  # of a value; more says nothing, but is hard to read


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable.

    Attributes:
        name: of the variable.
        low, high: bounds, both allowed.
        whole: takes whole numbers only.
        log: equal ratios are equally far apart.

    Raises:
        ValueError: the bounds leave nothing to choose, or a logarithmic range includes 0.
    """

    name: str
    low: float
    high: float
    whole: bool = False
    log: bool = False

    def __post_init__(self) -> None:
        if not (np.isfinite([self.low, self.high]).all() and self.low < self.high):
            raise ValueError(f"{self.name}: the range from {self.low} to {self.high} is empty")
        if self.log and self.low <= 0:
            raise ValueError(f"{self.name}: a logarithmic range must lie above 0, not {self.low}")
        if self.whole and not (float(self.low).is_integer() and float(self.high).is_integer()):
            raise ValueError(f"{self.name}: the ends of a range of whole numbers must be whole")

    def values(self, units: Array) -> Array:
        """Values at places from 0 to 1, shape (k,)."""
        low, high = self._ends()
        if self.whole and not self.log:  # every whole number gets the same share of the way
            exact = np.floor(self.low + units * (self.high - self.low + 1))
        else:
            exact = low + units * (high - low)
            exact = np.exp(exact) if self.log else exact
        rounded = np.round(exact) if self.whole else _readable(exact)
        return np.clip(rounded, self.low, self.high)

    def units(self, values: Array) -> Array:
        """Places from 0 to 1 of values, shape (k,); of a whole number the middle of its share."""
        low, high = self._ends()
        if self.whole and not self.log:
            return (values - self.low + 0.5) / (self.high - self.low + 1)
        return ((np.log(values) if self.log else values) - low) / (high - low)

    def _ends(self) -> tuple[float, float]:
        if self.log:
            return float(np.log(self.low)), float(np.log(self.high))
        return self.low, self.high


def _readable(values: Array) -> Array:
    """The values to so many `DIGITS`; `np.round` knows those behind the point only."""
    return np.array([float(f"{value:.{DIGITS}g}") for value in values.tolist()])


@dataclass(frozen=True, slots=True)
class Space:
    """All variables.

    Raises:
        BoaError: two of the same name.
    """

    variables: tuple[Variable, ...]

    def __post_init__(self) -> None:
        names = [variable.name for variable in self.variables]
        for name in names:
            if names.count(name) > 1:
                raise BoaError(f"--over {name} is given twice; give it once")

    @property
    def size(self) -> int:
        """Number of variables."""
        return len(self.variables)

    def values(self, point: Array) -> dict[str, float]:
        """Values by name at a point of the unit cube, shape (d,); whole numbers are ints."""
        pairs = zip(self.variables, point[:, None], strict=True)
        values = [(variable, float(variable.values(unit)[0])) for variable, unit in pairs]
        return {
            variable.name: int(value) if variable.whole else value for variable, value in values
        }

    def point(self, values: Mapping[str, float]) -> Array:
        """Point of the unit cube of these values, shape (d,)."""
        pairs = [(variable, np.array([values[variable.name]])) for variable in self.variables]
        return np.concatenate([variable.units(value) for variable, value in pairs])

    def snapped(self, points: Array) -> Array:
        """The points that the values at `points`, shape (k, d), really have."""
        columns = zip(self.variables, points.T, strict=True)
        return np.column_stack([one.units(one.values(units)) for one, units in columns])
