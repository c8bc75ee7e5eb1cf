# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Units against published values, and refusals."""

from __future__ import annotations

import math

import pytest

from boa_description.errors import BoaError
from boa_description.units import FACTORS, to_si


@pytest.mark.parametrize(
    ("value", "unit", "wanted", "si"),
    [
        (60.0, "rpm", "rad/s", 2 * math.pi),
        (180.0, "deg", "rad", math.pi),
        (0.229, "rpm", "rad/s", 0.0239808),
        (2.69, "mA", "A", 0.00269),
        (130.0, "mm", "m", 0.13),
        (1.0, "%", "1", 0.01),
        (25.0, "degC", "degC", 25.0),
    ],
)
def test_conversion(value: float, unit: str, wanted: str, si: float) -> None:
    assert to_si(value, unit, wanted, "key") == pytest.approx(si, rel=1e-5)


def test_every_si_unit_is_its_own_with_factor_one() -> None:
    assert all(FACTORS[si] == (si, 1.0) for si, _ in FACTORS.values())


def test_a_unit_of_another_kind_names_the_right_ones() -> None:
    with pytest.raises(BoaError, match=r"link.mass: unit 'mm' does not fit; use one of: kg, g"):
        to_si(1.0, "mm", "kg", "link.mass")
