# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The parameters of a running plant, read through its services: the scenario that it runs."""

import os
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, NamedTuple

from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import GetParameters
from rclpy.client import Client
from rclpy.node import Node

from boa_control.ros.runtime import Spin

COMMON = ("scenario", "control_rate", "frame_prefix")
OF_A_SIMULATION = "lockstep"  # a parameter that only a simulated plant has
PATIENCE = 2.0  # s for an answer, before it is requested again
SAID_AFTER = 3.0  # s without a plant


class RunningPlant(NamedTuple):
    """The parameters of a plant that others have to share.

    Attributes:
        scenario: name or file.
        control_rate, frame_prefix: as given to the plant.
        simulated: whether it is a simulation.
    """

    scenario: str
    control_rate: float
    frame_prefix: str
    simulated: bool


def wait_for_plant(
    node: Node, spin: Spin, stopped: Callable[[], bool], say: Callable[[str], None]
) -> RunningPlant | None:
    """The plant in the node's namespace, as soon as there is one; None when told to stop.

    Args:
        say: gets a line when nobody answers for some seconds.
    """
    client: Client = node.create_client(GetParameters, "plant/get_parameters")
    started, said = monotonic(), False
    try:
        while not stopped():
            if client.service_is_ready():
                for names in ((*COMMON, OF_A_SIMULATION), COMMON):
                    values = _values(client, names, spin, stopped)
                    if len(values) == len(names):
                        return _described(values)
            spin(0.1)
            if not said and monotonic() - started > SAID_AFTER:
                said = True
                say(
                    f"no plant answers at {node.get_namespace().rstrip('/')}/plant in ROS domain "
                    f"{os.environ.get('ROS_DOMAIN_ID', '0')}; waiting for one (`boa launch` prints "
                    f"its domain; set ROS_DOMAIN_ID, or --namespace)"
                )
        return None
    finally:
        node.destroy_client(client)


def _values(
    client: Client, names: Sequence[str], spin: Spin, stopped: Callable[[], bool]
) -> Sequence[ParameterValue]:
    """The values, or none: without an answer, or where one of the parameters does not exist."""
    future: Any = client.call_async(GetParameters.Request(names=list(names)))
    until = monotonic() + PATIENCE
    while not future.done() and not stopped() and monotonic() < until:
        spin(0.1)
    if not future.done():
        client.remove_pending_request(future)
        return ()
    return () if future.result() is None else tuple(future.result().values)


def _described(values: Sequence[ParameterValue]) -> RunningPlant:
    scenario, rate, prefix = values[: len(COMMON)]
    simulated = len(values) > len(COMMON)
    return RunningPlant(scenario.string_value, rate.double_value, prefix.string_value, simulated)
