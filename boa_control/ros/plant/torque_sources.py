# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who publishes torque commands, as DDS tells it; who may, `boa_control.safety.torque_sources`
decides.
"""

from __future__ import annotations

from time import perf_counter, sleep

from rclpy.node import Node
from rclpy.subscription import Subscription

from boa_control.ros.endpoints import Connections, publishers
from boa_control.safety.faults import Fault
from boa_control.safety.torque_sources import (
    SourceState,
    TorqueSource,
    claim,
    second_appeared,
    sources_fault,
)

# s that the names of new publishers may take: they travel apart from the publishers themselves
NAME_PATIENCE = 0.5
UNKNOWN = "_NODE_NAME_UNKNOWN_"  # rmw's word


class TorqueSources:
    """The publishers of a subscription: the one the plant was armed for, and others."""

    def __init__(self, node: Node, subscription: Subscription) -> None:
        self._node = node
        self._subscription = subscription
        self._connections = Connections(subscription)
        self._state: SourceState | None = None

    @property
    def connected(self) -> int:
        """Publishers connected now."""
        return self._connections.read().now

    def claim(self) -> None:
        """The plant is being armed. Raises PlantError when several publish, with their names."""
        connected = self._connections.read()
        self._state = claim(self._present(connected.now), connected.now, connected.ever)

    @property
    def second_appeared(self) -> bool:
        """Whether somebody besides the owner has connected since arming."""
        connected = self._connections.read()
        return self._state is not None and second_appeared(self._state, connected.ever)

    def fault(self) -> Fault:
        """The fault of a second source, once it has appeared. Waits for its name if that has not
        arrived yet; so remove the torque first.
        """
        assert self._state is not None
        return sources_fault(self._state, self._present(self._connections.read().now))

    def close(self) -> None:
        """Release the subscription."""
        self._connections.close()

    def _present(self, count: int) -> tuple[TorqueSource, ...]:
        """The publishers that the graph shows, once these are `count` and all have a name."""
        begin = perf_counter()
        while True:
            infos = publishers(self._node, self._subscription)
            complete = len(infos) == count and all(info.node_name != UNKNOWN for info in infos)
            if complete or perf_counter() - begin > NAME_PATIENCE:
                break
            sleep(0.002)
        return tuple(
            TorqueSource(
                bytes(info.endpoint_gid), f"{info.node_namespace.rstrip('/')}/{info.node_name}"
            )
            for info in infos
        )
