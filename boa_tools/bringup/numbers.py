# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Launch arguments that are numbers, or a word that stands for one."""

from __future__ import annotations

import math
from collections.abc import Mapping

from boa_description.errors import BoaError

OF_THE_SCENARIO = "scenario"
FASTEST = "max"
LIMITS = "limits"
WORDS = {"speed": FASTEST, "torque_cap": LIMITS}  # of other arguments: OF_THE_SCENARIO


def number(values: Mapping[str, str], name: str) -> float:
    """An argument as a number from 0 up. Raises BoaError."""
    try:
        value = float(values[name])
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        word = WORDS.get(name, OF_THE_SCENARIO)
        raise BoaError(
            f"launch argument {name} is '{values[name]}'; expected a number from 0 up, or '{word}'"
        )
    return value


def whole_number(values: Mapping[str, str], name: str) -> int:
    """An argument as a whole number from 0 up. Raises BoaError."""
    if not values[name].isdecimal():
        raise BoaError(
            f"launch argument {name} is '{values[name]}'; expected a whole number from 0 up"
        )
    return int(values[name])
