# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters as data: every number has its limits and its unit."""

from __future__ import annotations

import math
from itertools import chain

import pytest

from boa_control.controllers.set_points import HIGHEST_SPEED, LARGEST_FORCE
from boa_control.interface import NODE_PARAMETERS, SET_POINT_PARAMETERS, Parameter

NUMBERS = [
    item
    for item in dict.fromkeys(chain(*NODE_PARAMETERS.values()))
    if type(item.default) in (int, float)
]


@pytest.mark.parametrize("item", NUMBERS, ids=lambda item: item.name)
def test_a_number_has_limits_around_its_default(item: Parameter) -> None:
    assert item.limits is not None
    least, most, _ = item.limits
    assert math.isnan(item.default) or least <= item.default <= most
    assert str(item.limits) == f"{least:.10g} to {most:.10g} {item.limits.unit}".rstrip()


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("speed", (-HIGHEST_SPEED, HIGHEST_SPEED)),
        ("force", (0.0, LARGEST_FORCE)),
        ("force_floor", (0.0, LARGEST_FORCE)),
    ],
)
def test_the_limits_of_set_points_are_those_of_their_parameters(
    name: str, limits: tuple[float, float]
) -> None:
    (item,) = (item for item in SET_POINT_PARAMETERS if item.name == name)
    assert item.limits is not None
    assert item.limits[:2] == limits
