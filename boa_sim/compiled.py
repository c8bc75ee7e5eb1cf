# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compile all kernels and keep them, those of simulations too: the end of an installation, so that
no first run waits.

python -m boa_sim.compiled
"""

from __future__ import annotations

import numpy as np

from boa_control.compiled.__main__ import main as compile_control
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_sim.duct.model import RESOLVED, WIDE, DuctGait
from boa_sim.duct.run import drive
from boa_sim.factory import plant_from_experiment

ENGINES = ("moreau", "moreau_convex")
SCENARIO = "cobra_vertical_moreau"  # contacts that one sweep does not solve, from the first step on


def main() -> None:
    """Kernels of the control step are compiled when they are imported, those of a simulation when
    they are called: here by two ticks in space, which need all that the plane does, and by a moment
    in a duct.
    """
    compile_control()
    scenario = load_scenario(SCENARIO)
    for engine in ENGINES:
        plant = plant_from_experiment(prepare(changed(scenario, {"plant.engine": engine})))
        plant.arm()
        for _ in range(2):
            plant.write(np.zeros(plant.robot.joints))
    drive(RESOLVED, WIDE, DuctGait(), duration=0.01)


if __name__ == "__main__":
    main()
