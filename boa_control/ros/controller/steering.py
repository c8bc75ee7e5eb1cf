# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How an operator's requests reach the controller node: a topic, services and parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from boa_control.interface import SET_POINT_PARAMETERS, STEERING_SERVICES
from boa_control.messages.cdr import deserialize
from boa_control.messages.topics import SPEED
from boa_control.ros.controller.operator import Operator
from boa_control.ros.endpoints import subscribe
from boa_control.ros.parameters import declare
from boa_control.ros.services import offer, one_line
from boa_description.errors import BoaError

NAMES = tuple(item.name for item in SET_POINT_PARAMETERS)
Guard = Callable[[Callable[[bytes], None]], Callable[[bytes], None]]


class Steering:
    """The topic ~/speed, the services ~/start and ~/stop, the parameters that may change while the
    controller runs.
    """

    def __init__(
        self, node: Node, operator: Operator, guard: Guard, given: Mapping[str, float]
    ) -> None:
        """Make them.

        Args:
            guard: turns refused messages into warnings.
            given: values of the parameters at start; NaN where the scenario's count.

        Raises:
            BoaError: a given value that the controller cannot follow.
        """
        self._operator = operator
        chosen = {name: value for name, value in given.items() if not math.isnan(value)}
        if chosen:
            operator.change(chosen)
        present = asdict(operator.set_point)
        for item in SET_POINT_PARAMETERS:
            declare(node, item, present[item.name])
        subscribe(node, SPEED, guard(self._on_speed))
        offer(node, STEERING_SERVICES, operator)
        node.add_on_set_parameters_callback(self._on_parameters)

    def _on_speed(self, raw: bytes) -> None:
        self._operator.speed(deserialize(raw, SPEED.msgtype).data)

    def _on_parameters(self, changes: Sequence[Parameter]) -> Any:
        try:
            values = {change.name: change.value for change in changes if change.name in NAMES}
            if values:
                self._operator.change(values)
        except BoaError as error:
            return SetParametersResult(successful=False, reason=one_line(error))
        return SetParametersResult(successful=True)
