"""Steps of the rigid engine on the way, each in the middle of a run of its scenario."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from boa_control.experiments.experiment import build_controller, prepare
from boa_control.experiments.library import load_scenario
from boa_sim.factory import plant_from_experiment
from boa_tools.bench.result import Result, from_times, time_calls
from boa_tools.runs.drive import drive

SIMULATED = 5.0  # s until the steps are measured; boa_circle holds its posts after four
STEPS = 400
# scenario, engine, target of the median, us
CASES = (
    ("boa_circle", "moreau", None),
    ("cobra_vertical_moreau", "moreau", 6000.0),
    ("cobra_vertical_moreau", "moreau_convex", 2000.0),
    ("cobra_vertical", "mujoco", None),
)


def engines() -> Iterator[Result]:
    """One step of the plant's world with the torque of the last tick."""
    for name, engine, target in CASES:
        scenario = load_scenario(name)
        settings = scenario.plant.model_copy(update={"engine": engine})
        update = {"plant": settings, "duration": SIMULATED, "distance": None}
        experiment = prepare(scenario.model_copy(update=update))
        plant = plant_from_experiment(experiment)
        log = drive(experiment, plant, build_controller(experiment)).log
        torque = np.ascontiguousarray(log.applied[-1])
        world = plant.world
        times = time_calls(partial(world.advance, torque), STEPS)
        step = f"{1e3 * world.step:g} ms"
        yield from_times(
            f"engine_step/{engine}/{name}", f"one step of {step} on the way", times, target
        )
