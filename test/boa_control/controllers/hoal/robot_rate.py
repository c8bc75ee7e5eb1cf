# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops at the most that a robot on one bus can do: half the rate of the scenarios, and
three fifths of what their runs cost.
"""

from __future__ import annotations

from boa_control.experiments.change import changed
from boa_control.experiments.scenario import Scenario

RATE = 250.0  # Hz, the default of boa_hardware.config


def at_robot_rate(scenario: Scenario) -> Scenario:
    """The scenario at that rate of control."""
    return changed(scenario, {"plant.control_rate": RATE})
