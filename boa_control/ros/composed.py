# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plant and controller in one process."""

from __future__ import annotations

from collections.abc import Callable

from boa_control.ros.controller.node import ControllerNode
from boa_control.ros.plant.node import PlantNode
from boa_control.ros.runtime import Spin


class Composed:
    """A simulated plant and its controller, which works while the plant waits for its answer: one
    thread has both, and in lockstep none of them ever has to be woken. A `Program`.

    They are the nodes that they are in processes of their own, and their messages go through the
    middleware, which hands them over in the thread that publishes. Only for lockstep: otherwise a
    late controller would hold up the plant.
    """

    def __init__(self, plant: PlantNode, controller: ControllerNode) -> None:
        self._plant = plant
        self._controller = controller
        self.nodes = (plant.node, controller.node)

    def run(self, spin: Spin, stopped: Callable[[], bool]) -> int:
        """Run the plant to its end."""
        status = self._plant.run(lambda seconds: self._controller.turn(spin, seconds), stopped)
        self._controller.publish_records()
        return status

    def close(self) -> None:
        """Torque off first."""
        self._plant.close()
        self._controller.close()
