# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a robot under way is getting on: way to go, speed, and the largest joint force so far."""

from __future__ import annotations

import math
from time import monotonic
from typing import NamedTuple

import numpy as np
from rclpy.node import Node

from boa_control.experiments.journey.controller import Journey
from boa_control.experiments.journey.parts import State
from boa_control.experiments.journey.pursuit import Pursuit
from boa_control.experiments.journey.whereabouts import Place
from boa_control.messages.forces import ForceCodec
from boa_control.messages.topics import JOINT_FORCES
from boa_control.plant import force_sizes
from boa_control.ros.endpoints import Mailbox
from boa_description.robot import Robot


class Headway(NamedTuple):
    """Of the goals that are pursued.

    Attributes:
        place: of the middle joint.
        to_go: m. speed: along the path, m/s.
        force: the largest at any joint since the goals came, N.
        seconds: since then.
    """

    place: Place
    to_go: float
    speed: float
    force: float
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.to_go:.2f} m to go, {self.speed:.3f} m/s, largest joint force "
            f"{self.force:.0f} N"
        )


class HeadwayWatch:
    """Follows a journey. Forces are the newest ones whenever it is updated: it measures how hard
    the robot works, a blow between two updates escapes it.
    """

    def __init__(self, node: Node, robot: Robot, journey: Journey) -> None:
        """Subscribe; `close` it before the node is destroyed."""
        self._journey = journey
        self._codec = ForceCodec(robot)
        self._forces = Mailbox(node, JOINT_FORCES, newest_only=True)
        self._begin(journey.pursuit)

    def _begin(self, pursuit: Pursuit) -> None:
        self._pursuit, self._since = pursuit, monotonic()
        self._force = 0.0
        self._nearest = math.inf

    def update(self) -> Headway | None:
        """The present headway; None while nothing is pursued or the robot has not told where it is.

        The way to go never grows while it travels one path. Raises MessageError for forces of
        another robot.
        """
        journey = self._journey
        if journey.pursuit is not self._pursuit:
            self._begin(journey.pursuit)
        for _, raw in self._forces.take()[-1:]:
            force = force_sizes(self._codec.decode(raw).force)
            self._force = max(self._force, float(np.nanmax(force, initial=0.0)))
        if not math.isfinite(journey.to_go):
            return None
        travels = journey.state is State.TRAVELLING
        to_go = min(self._nearest, journey.to_go) if travels else journey.to_go
        self._nearest = to_go if travels else math.inf
        seconds = monotonic() - self._since
        return Headway(journey.where.place, to_go, journey.where.rate, self._force, seconds)

    @property
    def sum(self) -> str:
        """For people: how long, and how hard."""
        return f"{monotonic() - self._since:.0f} s, largest joint force {self._force:.0f} N"

    def close(self) -> None:
        """Release the subscription."""
        self._forces.close()
