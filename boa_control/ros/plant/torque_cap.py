# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameter torque_cap of a plant node: the largest torque of any joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from boa_control.plant import PlantError
from boa_control.ros.services import one_line
from boa_control.safety.supervisor import Supervisor
from boa_description.errors import BoaError

NAME = "torque_cap"


class TorqueCap:
    """Hands every new value to the supervisor, which refuses to raise it while armed."""

    def __init__(self, node: Node, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        node.add_on_set_parameters_callback(self._on_parameters)

    def _on_parameters(self, changes: Sequence[Parameter]) -> Any:
        given: Mapping[str, Any] = {change.name: change.value for change in changes}
        if NAME in given:
            try:
                self._supervisor.cap_torque(given[NAME])
            except (BoaError, PlantError) as error:
                return SetParametersResult(successful=False, reason=one_line(error))
        return SetParametersResult(successful=True)
