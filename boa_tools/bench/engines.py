# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps of the engines on the way, each in the middle of a run of its scenario, and a whole run in
space.
"""

from collections.abc import Iterator
from functools import partial
from time import process_time

import numpy as np

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_sim.factory import plant_from_experiment
from boa_tools.bench.result import Result, from_times, time_calls
from boa_tools.runs.drive import drive, run_experiment

STEPS = 400
SPACE = "cobra_vertical"
SPACE_PERIOD = 2000.0  # us, of its control loop
FASTER = 5.0  # than real time a run in space should be
WARM_UP = 0.2  # s of a run before it, which loads what it needs
# scenario, engine, physics step (s), target of the median, us
CASES = (
    ("boa_circle", "moreau", 0.001, None),
    ("cobra_vertical_moreau", "moreau", 0.001, 6000.0),
    ("cobra_vertical_moreau", "moreau_convex", 0.001, 2000.0),
    ("cobra_vertical", "mujoco", 0.001, None),
)
SIMULATED = 5.0  # s; it holds the posts after four


def engines() -> Iterator[Result]:
    """One step of the plant's world with the torque of the last tick."""
    for name, engine, physics_step, target in CASES:
        scenario = load_scenario(name)
        settings = scenario.plant.model_copy(
            update={"engine": engine, "physics_step": physics_step}
        )
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
    yield _run_in_space()


def _run_in_space() -> Result:
    """Processor time of a tick of `boa run` with everything but a bag: a busy machine does not
    count.
    """
    short, experiment = (
        prepare(load_scenario(SPACE).model_copy(update={"duration": duration}))
        for duration in (WARM_UP, SIMULATED)
    )
    run_experiment(short)
    before = process_time()
    ticks = run_experiment(experiment).log.ticks
    spent = (process_time() - before) * 1e6 / ticks
    what = f"processor time of a tick in space, no bag: {SPACE_PERIOD / spent:.1f} x real time"
    return Result(f"tick/{SPACE}", what, spent, np.nan, SPACE_PERIOD / FASTER)
