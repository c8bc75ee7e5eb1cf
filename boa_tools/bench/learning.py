# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How fast a learner gets its steps, in one process."""

from collections.abc import Iterator
from time import perf_counter_ns

import numpy as np

from boa_control.experiments.change import changed
from boa_control.experiments.library import load_scenario
from boa_description.errors import BoaError
from boa_tools.bench.result import Result, from_times

SCENARIO = "scp_boa_field"
SEED = 0


def environment(seconds: float) -> Iterator[Result]:
    """A step of the environment, and what of it falls to one physics step; so many simulated
    seconds.

    Raises:
        BoaError: gymnasium is not installed.
    """
    try:
        from boa_tools.gym.environment import BoaEnv
    except ImportError as error:
        raise BoaError(
            "boa bench gym needs gymnasium, which is not installed: pip install boa_control[gym]"
        ) from error
    scenario = changed(load_scenario(SCENARIO), {"duration": seconds, "evaluation.heading": 0.0})
    with BoaEnv(scenario) as env:
        env.reset(seed=SEED)
        env.action_space.seed(SEED)
        times, over = [], False
        while not over:
            action = 0.3 * env.action_space.sample()
            before = perf_counter_ns()
            _, _, terminated, truncated, _ = env.step(action)
            times.append((perf_counter_ns() - before) * 1e-3)
            over = terminated or truncated
        spent, physics = np.array(times), env.physics_steps
    rate = 1e6 / spent.mean()
    what = f"a step of the environment on {SCENARIO}, {physics} physics steps; {rate:.0f} a second"
    yield from_times("gym/step", what, spent)
    yield from_times("gym/physics_step", "its share for one physics step", spent / physics)
