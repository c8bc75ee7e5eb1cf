# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes with the parameters of their table (`boa_control.interface`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy import parameter as ros
from rclpy.exceptions import ParameterNotDeclaredException
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
    runs, and return their values at start. Types and limits are ROS's to keep from then on.

    Raises:
        BoaError: a value of the wrong type or beyond its limits, or a parameter that is not in the
            table.
    """
    node = Node(name, namespace=NAMESPACE, automatically_declare_parameters_from_overrides=True)
    node.add_pre_set_parameters_callback(_as_declared(node, table))
    try:
        return node, _values(node, table)
    except BaseException:
        node.destroy_node()
        raise


def _values(node: Node, table: Sequence[Parameter]) -> dict[str, Any]:
    where = f"node {node.get_fully_qualified_name()}"
    names = [item.name for item in table]
    for given in node.get_parameters_by_prefix(""):
        if given not in names and given.partition(".")[0] not in OF_ROS:
            raise unknown_name("parameter", given, names, where)
    values: dict[str, Any] = {}
    for item in table:
        value = item.default
        if node.has_parameter(item.name):  # given
            value = _checked(node.get_parameter(item.name).value, item, where)
        declare(node, item, value)
        values[item.name] = value
    return values


def declare(node: Node, item: Parameter, value: Value) -> None:
    """Declare a parameter with this value; anew where it is there already."""
    if node.has_parameter(item.name):
        node.undeclare_parameter(item.name)
    node.declare_parameter(item.name, value, _described(item, value), ignore_override=True)


def _as_declared(
    node: Node, table: Sequence[Parameter]
) -> Callable[[list[ros.Parameter]], list[ros.Parameter]]:
    """Whole numbers are numbers, too, but not to ROS, whose limits are those of one type. Names
    that are not declared are refused here: rclpy would leave the first of them out of its answer.
    """
    floats = {item.name for item in table if isinstance(item.default, float)}

    def converted(change: ros.Parameter) -> ros.Parameter:
        whole = change.name in floats and change.type_ is ros.Parameter.Type.INTEGER
        return ros.Parameter(change.name, value=float(change.value)) if whole else change

    def taken(changes: list[ros.Parameter]) -> list[ros.Parameter]:
        if unknown := [change.name for change in changes if not node.has_parameter(change.name)]:
            raise ParameterNotDeclaredException(unknown)
        return [*map(converted, changes)]

    return taken


def _described(item: Parameter, value: Value) -> ParameterDescriptor:
    """The descriptor of a parameter that has this value.

    ROS refuses nan, which stands for the scenario's: as long as there is such a value the
    descriptor has no limits.
    """
    given = ParameterDescriptor(description=item.description, read_only=not item.running)
    limits = item.limits
    if limits is None:
        return given
    given.additional_constraints = str(limits)
    if value != value:  # nan
        return given
    if isinstance(item.default, int):
        limit = IntegerRange(from_value=int(limits.least), to_value=int(limits.most))
        given.integer_range = [limit]
    else:
        given.floating_point_range = [
            FloatingPointRange(from_value=limits.least, to_value=limits.most)
        ]
    return given


def _checked(value: Any, item: Parameter, where: str) -> Value:
    expected, limits = type(item.default), item.limits
    if type(value) is not expected and (type(value), expected) != (int, float):
        raise BoaError(f"{where}: parameter {item.name} is {value!r}; expected {WORDS[expected]}")
    given: Any = expected(value)
    both_nan = given != given and item.default != item.default
    if limits is None or limits.least <= given <= limits.most or both_nan:
        return given
    raise BoaError(f"{where}: parameter {item.name} is {value!r}; expected {limits}")
