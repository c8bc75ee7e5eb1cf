# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Node /boa/view: the live view of a robot or a simulation, from its topics; orders become calls of
its services. It shows whatever the plant in its namespace says that it runs, and waits for one.
"""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any

from rclpy.node import Node

from boa_control.interface import VIEW_PARAMETERS
from boa_control.messages.cdr import MessageError
from boa_control.ros.chosen import chosen_experiment
from boa_control.ros.parameters import make_node
from boa_control.ros.runtime import Spin, run
from boa_description.errors import BoaError
from boa_tools.nodes.running_plant import RunningPlant, wait_for_plant
from boa_tools.nodes.view_orders import Orders
from boa_tools.nodes.view_planner import ViewPlanner
from boa_tools.nodes.view_topics import ViewTopics
from boa_tools.view.address import split_address
from boa_tools.view.doorkeeper import Doorkeeper
from boa_tools.view.state import scenery
from boa_tools.view.viewer import Viewer

RATE = 25.0  # pictures per second
NICE = 10  # the control loop goes first
SET_SPEED_EVERY = 1.0  # s


class ViewNode:
    """Draws the newest messages. A `Program` for the node runtime.

    Args:
        scenario: that is shown; "": what the plant says.
    """

    def __init__(self, node: Node, scenario: str, listen: tuple[str, int], token: str) -> None:
        self.node = node
        self.nodes = (node,)
        self._scenario, self._listen, self._token = scenario, listen, token
        self._viewer: Viewer | None = None
        self._topics: ViewTopics | None = None
        self._planner: ViewPlanner | None = None

    def run(self, spin: Spin, stopped: Callable[[], bool]) -> int:
        """Draw until told to stop. Raises BoaError where the page cannot be served."""
        plant = wait_for_plant(self.node, spin, stopped, lambda line: print(line, flush=True))
        if plant is not None:
            self._draw(plant, spin, stopped)
        return 0

    def close(self) -> None:
        """Tell the pages; nothing to make safe: a view commands no torque."""
        if self._viewer is not None:
            self._viewer.end(0.2)
        for part in (self._topics, self._planner):
            if part is not None:
                part.close()

    def _draw(self, plant: RunningPlant, spin: Spin, stopped: Callable[[], bool]) -> None:
        experiment = chosen_experiment(
            self._scenario or plant.scenario, -1.0, plant.control_rate, plant.frame_prefix
        )
        self._planner = planner = ViewPlanner(self.node, self._tell)
        orders = Orders(self.node, plant.simulated, planner, self._tell)
        self._topics = topics = ViewTopics(self.node, experiment, plant.simulated)
        self._viewer = viewer = Viewer(
            *self._listen,
            Doorkeeper.of(self._listen[0], self._token),
            scenery(experiment, plant.simulated, self.node.get_namespace()),
            orders.give,
        )
        print(f"live view: {viewer.address}", flush=True)
        due, next_reading = monotonic(), 0.0
        while not stopped():
            while (left := due - monotonic()) > 0 and not stopped():
                spin(left)
            due = max(due + 1.0 / RATE, monotonic())
            if monotonic() > next_reading:
                next_reading = monotonic() + SET_SPEED_EVERY
                orders.read_set_speed()
            with suppress(MessageError):  # of a robot that is another one than the scenario's
                planner.update()
                snapshot = topics.snapshot(orders.set_speed)
                if snapshot is not None:
                    viewer.show(snapshot)
                    viewer.draw()

    def _tell(self, content: Mapping[str, Any]) -> None:
        if self._viewer is not None:
            self._viewer.tell(content)


def view(args: list[str] | None = None) -> int:
    """Show the robot as the node's parameters say; returns the exit status."""

    def make() -> ViewNode:
        os.nice(NICE)
        node, values = make_node("view", VIEW_PARAMETERS)
        try:
            listen = split_address(values["listen"])
        except ValueError as error:
            raise BoaError(f"parameter listen: {error}") from error
        return ViewNode(node, values["scenario"], listen, values["token"])

    return run(make, args)


if __name__ == "__main__":
    sys.exit(view())
