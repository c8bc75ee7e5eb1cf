# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the planner node pursues goals, from its parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from boa_control.experiments.journey.parts import JourneySettings
from boa_control.interface import PLANNER_PARAMETERS
from boa_description.errors import BoaError

# of numbers: the least value, and whether it is one itself; the largest is that of the parameter,
# within which ROS keeps numbers with a point, but not whole ones
NUMBERS: dict[str, tuple[float, bool]] = {
    "seconds": (0.0, False),
    "refine": (-math.inf, False),
    "radius": (0.0, False),
    "back": (0.0, True),
}
FLAGS = ("follow", "replan")
NAMES = (*NUMBERS, *FLAGS)
MOST = {item.name: item.limits.most for item in PLANNER_PARAMETERS if item.limits is not None}


def journey_settings(values: Mapping[str, Any]) -> JourneySettings:
    """The settings that the parameters of these NAMES give.

    Raises:
        BoaError: out of range or of another type.
    """
    for name, (least, included) in NUMBERS.items():
        value = values[name]
        enough = (
            type(value) in (int, float)
            and value <= MOST[name]
            and (value > least or (included and value == least))
        )
        if not enough:
            wanted = f"{_range(least, included)}, at most {MOST[name]:g}"
            raise BoaError(f"parameter {name} is {value!r}; expected {wanted}")
    for name in FLAGS:
        if type(values[name]) is not bool:
            raise BoaError(f"parameter {name} is {values[name]!r}; expected true or false")
    refine = float(values["refine"])
    return JourneySettings(
        seconds=float(values["seconds"]),
        refine=None if refine < 0 else refine,
        radius=float(values["radius"]),
        back=float(values["back"]),
        follow=values["follow"],
        replan=values["replan"],
    )


def _range(least: float, included: bool) -> str:
    if not math.isfinite(least):
        return "a number"
    return f"{least:g} or more" if included else f"more than {least:g}"
