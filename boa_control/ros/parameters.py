# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes with the parameters of their table (`boa_control.interface`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node

from boa_control.interface import Parameter, Value
from boa_control.messages.topics import NAMESPACE
from boa_description.errors import BoaError, unknown_name

OF_ROS = ("use_sim_time", "start_type_description_service", "qos_overrides")
WORDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
}


def make_node(name: str, table: Sequence[Parameter]) -> tuple[Node, dict[str, Any]]:
    """Make node `/boa/<name>` with its parameters, read-only unless they may change while it
    runs, and return their values at start.

    Raises:
        BoaError: a value of the wrong type, or a parameter that is not in the table.
    """
    node = Node(name, namespace=NAMESPACE, automatically_declare_parameters_from_overrides=True)
    try:
        return node, _values(node, table)
    except BaseException:
        node.destroy_node()
        raise


def check_rates(values: Mapping[str, Any], *names: str) -> None:
    """Raise BoaError unless the named values are rates that a node can keep."""
    for name in names:
        if not 0.01 <= values[name] <= 1000:
            raise BoaError(f"parameter {name} is {values[name]} Hz; expected 0.01 to 1000 Hz")


def _values(node: Node, table: Sequence[Parameter]) -> dict[str, Any]:
    where = f"node {node.get_fully_qualified_name()}"
    names = [item.name for item in table]
    for given in node.get_parameters_by_prefix(""):
        if given not in names and not given.startswith(OF_ROS):
            raise unknown_name("parameter", given, names, where)
    values: dict[str, Any] = {}
    for item in table:
        if node.has_parameter(item.name):
            values[item.name] = _typed(node.get_parameter(item.name).value, item, where)
            node.set_descriptor(item.name, described(item, values[item.name]))
        else:
            descriptor = described(item, item.default)
            values[item.name] = node.declare_parameter(item.name, item.default, descriptor).value
    return values


def described(item: Parameter, value: Value) -> ParameterDescriptor:
    """The descriptor of a parameter that has this value.

    ROS refuses a value outside of the limits without saying of what, and nan, which stands for the
    scenario's: as long as there is such a value the descriptor has no limits.
    """
    given = ParameterDescriptor(
        description=item.description, dynamic_typing=True, read_only=not item.running
    )
    limits = item.limits
    if limits is None:
        return given
    given.additional_constraints = str(limits)
    if isinstance(value, str) or not limits.least <= value <= limits.most:
        return given
    if isinstance(item.default, int):
        limit = IntegerRange(from_value=int(limits.least), to_value=int(limits.most))
        given.integer_range = [limit]
    else:
        given.floating_point_range = [
            FloatingPointRange(from_value=limits.least, to_value=limits.most)
        ]
    return given


def _typed(value: Any, item: Parameter, where: str) -> Value:
    expected = type(item.default)
    if expected is float and type(value) is int:
        return float(value)
    if type(value) is not expected:
        raise BoaError(f"{where}: parameter {item.name} is {value!r}; expected {WORDS[expected]}")
    return expected(value)
