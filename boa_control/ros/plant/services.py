# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Services of /boa/plant: verbs that answer whether they were done, and if not, why."""

from __future__ import annotations

from typing import Protocol

from rclpy.node import Node

from boa_control.interface import PLANT_SERVICES, SIMULATION_SERVICES
from boa_control.ros.services import offer


class PlantVerbs(Protocol):
    """Requests to a plant node. Each returns what was done; raises PlantError with the
    reason if not.
    """

    def arm(self) -> str: ...
    def disarm(self) -> str: ...
    def reset_fault(self) -> str: ...
    def tare(self) -> str: ...
    def pause(self, paused: bool) -> str: ...
    def step(self) -> str: ...
    def reset(self) -> str: ...


def offer_services(node: Node, verbs: PlantVerbs, simulated: bool) -> None:
    """Create the services of a plant node; each calls the verb of its name."""
    offer(node, (*PLANT_SERVICES, *(SIMULATION_SERVICES if simulated else ())), verbs)
