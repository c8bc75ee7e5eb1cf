# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes /boa/plant with the simulated robot and /boa/controller in one process: `ros2 run
boa_control sim_with_controller`, or `python -m boa_sim.composed`.
"""

from boa_control.ros.composed import Composed
from boa_control.ros.controller import node as controller_node
from boa_control.ros.runtime import main
from boa_sim import node as plant_node


def make() -> Composed:
    """Build both nodes from their parameters. Raises BoaError for what one of them refuses."""
    # the controller first: the plant raises priorities, and building one takes a second
    controller = controller_node.make()
    return Composed(plant_node.make(), controller)


if __name__ == "__main__":
    main(make)
