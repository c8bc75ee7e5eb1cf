# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Units of description files: a closed list, each with its factor to SI."""

import math
from dataclasses import dataclass

from boa_description.errors import BoaError


@dataclass(frozen=True, slots=True)
class Unit:
    """The SI unit of a parameter, carried in its type annotation."""

    symbol: str


RPM = 2 * math.pi / 60
DEG = math.pi / 180

# accepted spelling -> (SI unit, factor)
FACTORS: dict[str, tuple[str, float]] = {
    "1": ("1", 1.0),
    "%": ("1", 0.01),
    "m": ("m", 1.0),
    "mm": ("m", 1e-3),
    "kg": ("kg", 1.0),
    "g": ("kg", 1e-3),
    "kg m2": ("kg m2", 1.0),
    "s": ("s", 1.0),
    "ms": ("s", 1e-3),
    "Hz": ("Hz", 1.0),
    "rad": ("rad", 1.0),
    "deg": ("rad", DEG),
    "rad/s": ("rad/s", 1.0),
    "deg/s": ("rad/s", DEG),
    "rpm": ("rad/s", RPM),
    "rad/sqrt(s)": ("rad/sqrt(s)", 1.0),
    "deg/sqrt(s)": ("rad/sqrt(s)", DEG),
    "m/s": ("m/s", 1.0),
    "m/s2": ("m/s2", 1.0),
    "N": ("N", 1.0),
    "N/sqrt(s)": ("N/sqrt(s)", 1.0),
    "N m": ("N m", 1.0),
    "N m/s": ("N m/s", 1.0),
    "N m s": ("N m s", 1.0),
    "N m/A": ("N m/A", 1.0),
    "A": ("A", 1.0),
    "mA": ("A", 1e-3),
    "ohm": ("ohm", 1.0),
    "K/W": ("K/W", 1.0),
    "degC": ("degC", 1.0),
}


class Quantity(float):
    """A number in SI units, which errors show in the unit that it was given in."""

    given: str

    def __repr__(self) -> str:
        """E.g. "200 deg" of 3.49 rad."""
        return self.given


def to_si(value: float, unit: str, target: str, where: str) -> Quantity:
    """Convert `value` in `unit` to SI.

    Raises:
        BoaError: the unit is unknown or of another kind than `target`.
    """
    valid = [spelling for spelling, (si, _) in FACTORS.items() if si == target]
    if unit not in valid:
        raise BoaError(f"{where}: unit '{unit}' does not fit; use one of: {', '.join(valid)}")
    quantity = Quantity(value * FACTORS[unit][1])
    quantity.given = f"{value:g} {unit}"
    return quantity
