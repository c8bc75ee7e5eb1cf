# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameter torque_cap of a plant node: the largest torque of any joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from boa_control.plant import PlantError
from boa_control.ros.services import one_line
from boa_control.safety.supervisor import Supervisor
from boa_description.errors import BoaError

NAME = "torque_cap"


def offer_torque_cap(node: Node, supervisor: Supervisor) -> None:
    """Hand new values to the supervisor, which refuses to raise it while armed; what is refused for
    the sake of another parameter changes nothing.
    """

    def check(changes: Sequence[Parameter]) -> Any:
        try:
            for cap in _caps(changes):
                supervisor.require_cap(cap)
        except (BoaError, PlantError) as error:
            return SetParametersResult(successful=False, reason=one_line(error))
        return SetParametersResult(successful=True)

    def take(changes: Sequence[Parameter]) -> None:
        for cap in _caps(changes):
            supervisor.cap_torque(cap)

    node.add_on_set_parameters_callback(check)
    node.add_post_set_parameters_callback(take)


def _caps(changes: Sequence[Parameter]) -> list[Any]:
    return [change.value for change in changes if change.name == NAME]
