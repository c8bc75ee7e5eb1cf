# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Node /boa/plant with the simulated robot: `ros2 run boa_control sim`, or `python -m
boa_sim.node`.
"""

from boa_control.interface import SIMULATION_PARAMETERS
from boa_control.priority import raise_all_threads
from boa_control.ros.chosen import chosen_experiment
from boa_control.ros.parameters import make_node
from boa_control.ros.plant.node import PlantNode
from boa_control.ros.plant.options import plant_options
from boa_control.ros.runtime import main
from boa_sim.factory import plant_from_experiment

# SCHED_FIFO where that is allowed: ticks in real time are late otherwise when other programs run
PRIORITY = 20


def make() -> PlantNode:
    """Build the node from its parameters. Raises BoaError for a wrong scenario or value."""
    node, values = make_node("plant", SIMULATION_PARAMETERS)
    experiment = chosen_experiment(
        values["scenario"], values["duration"], values["control_rate"], values["frame_prefix"]
    )
    options = plant_options(values, experiment)
    program = PlantNode(
        node, plant_from_experiment(experiment, values["seed"]), experiment, options
    )
    if options.speed:  # as fast as it goes, it would leave nothing to others
        raise_all_threads(PRIORITY)
    return program


if __name__ == "__main__":
    main(make)
