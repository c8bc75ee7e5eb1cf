# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the planner node pursues goals, from its parameters."""

from collections.abc import Mapping
from typing import Any

from boa_control.experiments.journey.parts import JourneySettings

NAMES = ("seconds", "refine", "radius", "back", "follow", "replan")


def journey_settings(values: Mapping[str, Any]) -> JourneySettings:
    """The settings that the parameters of these NAMES give."""
    refine = values["refine"] if values["refine"] >= 0 else None
    return JourneySettings(**{name: values[name] for name in NAMES} | {"refine": refine})
