# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Node /boa/mujoco_view: MuJoCo's own viewer on the screen, moved by what plant and controller say.
It waits for a plant, and ends when its window is closed; the run goes on.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from rclpy.node import Node

from boa_control.interface import MUJOCO_VIEW_PARAMETERS
from boa_control.messages.cdr import MessageError
from boa_control.messages.contacts import TrueContactsCodec
from boa_control.messages.topics import LINK_POSES, SIM_CONTACTS
from boa_control.messages.views import LinkPosesCodec
from boa_control.plant import ContactTruth
from boa_control.ros.chosen import chosen_experiment
from boa_control.ros.endpoints import Mailbox
from boa_control.ros.parameters import make_node
from boa_control.ros.runtime import Spin, run
from boa_sim.rendering.window import Window, check_display
from boa_tools.nodes.running_plant import RunningPlant, wait_for_plant
from boa_tools.report.interactive.scene import path_points

RATE = 30.0  # pictures per second
NICE = 10  # the control loop goes first


class MujocoViewNode:
    """Draws the newest pose. A `Program` for the node runtime.

    Args:
        scenario: that is shown; "": what the plant says.
    """

    def __init__(self, node: Node, scenario: str) -> None:
        self.node = node
        self.nodes = (node,)
        self._scenario = scenario
        self._boxes: tuple[Mailbox, ...] = ()
        self._window: Window | None = None

    def run(self, spin: Spin, stopped: Callable[[], bool]) -> int:
        """Draw until told to stop, or until the window is closed.

        Raises:
            BoaError: there is no display, or the scenario is wrong.
        """
        check_display()
        plant = wait_for_plant(self.node, spin, stopped, lambda line: print(line, flush=True))
        if plant is not None:
            self._draw(plant, spin, stopped)
        return 0

    def close(self) -> None:
        """Close the window."""
        for box in self._boxes:
            box.close()
        if self._window is not None:
            self._window.close()

    def _draw(self, plant: RunningPlant, spin: Spin, stopped: Callable[[], bool]) -> None:
        experiment = chosen_experiment(
            self._scenario or plant.scenario, -1.0, plant.control_rate, plant.frame_prefix
        )
        poses, true = (Mailbox(self.node, t, newest_only=True) for t in (LINK_POSES, SIM_CONTACTS))
        self._boxes = poses, true
        pose_codec = LinkPosesCodec(experiment.robot)
        contact_codec = TrueContactsCodec(experiment.robot)
        self._window = window = Window(
            experiment.robot,
            experiment.obstacles,
            path_points(experiment),
            experiment.scenario.scene.terrain,
        )
        contacts: tuple[ContactTruth, ...] = ()
        due = monotonic()
        while not stopped() and window.open:
            while (left := due - monotonic()) > 0 and not stopped():
                spin(left)
            due = max(due + 1.0 / RATE, monotonic())
            with suppress(MessageError):  # of a robot that is another one than the scenario's
                for _, raw in true.take():
                    contacts = contact_codec.decode(raw)[1]
                for _, raw in poses.take():
                    _, base, joints = pose_codec.decode(raw)
                    window.show(base, joints, contacts)


def view(args: list[str] | None = None) -> int:
    """Show the robot as the node's parameters say; returns the exit status."""

    def make() -> MujocoViewNode:
        os.nice(NICE)
        node, values = make_node("mujoco_view", MUJOCO_VIEW_PARAMETERS)
        return MujocoViewNode(node, values["scenario"])

    return run(make, args)


if __name__ == "__main__":
    sys.exit(view())
