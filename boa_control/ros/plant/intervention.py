# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests to a simulated plant over ROS: pushes and poses."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node

from boa_control.events import Event, EventKind
from boa_control.messages.intervention import decode_state, decode_wrench
from boa_control.messages.topics import APPLY_WRENCH, SET_STATE
from boa_control.plant import PlantError, Simulation
from boa_control.ros.endpoints import subscribe
from boa_description.errors import BoaError
from boa_description.robot import Robot

Say = Callable[[Event], object]


class SimulationInputs:
    """The topics of a simulation that no robot has."""

    def __init__(
        self,
        node: Node,
        robot: Robot,
        simulation: Simulation,
        done: Say,
        refused: Callable[[Exception], None],
    ) -> None:
        """`done` and `refused` tell what has become of a request."""
        self._node = node
        self._robot = robot
        self._simulation = simulation
        self._done = done
        self._refused = refused
        subscribe(node, APPLY_WRENCH, self._guarded(self._push))
        subscribe(node, SET_STATE, self._guarded(self._place))

    def _guarded(self, action: Callable[[bytes], None]) -> Callable[[bytes], None]:
        def guarded(raw: bytes) -> None:
            try:
                action(raw)
            except (BoaError, PlantError) as error:
                self._refused(error)

        return guarded

    def _push(self, raw: bytes) -> None:
        link, wrench = decode_wrench(raw, self._robot)
        duration = self._node.get_parameter("wrench_duration").value
        self._simulation.push(link, wrench, duration)
        along, across, torque = wrench
        self._done(
            Event(
                kind=EventKind.LINK_PUSHED,
                subject=self._robot.link_names[link],
                value=duration,
                note=f"{along:g} N along, {across:g} N across, {torque:g} N m",
            )
        )

    def _place(self, raw: bytes) -> None:
        base, joints = decode_state(raw, self._robot, self._simulation.truth())
        self._simulation.place(base, joints)
        x, y, heading = base
        self._done(
            Event(kind=EventKind.ROBOT_PLACED, place=(float(x), float(y)), value=float(heading))
        )
