# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How long MuJoCo itself takes: the unit in which `boa bench` gives everything else."""

from time import perf_counter_ns

import mujoco
import numpy as np

from boa_description.arrays import Array
from boa_sim.engines.mujoco.world import MujocoWorld

State = tuple[Array, ...]


def state_of(world: MujocoWorld) -> State:
    """The present state with everything that the duration of a step depends on."""
    data = world.data
    return tuple(
        part.copy()
        for part in (data.qpos, data.qvel, data.qacc_warmstart, data.ctrl, data.xfrc_applied)
    )


def step_times(world: MujocoWorld, states: list[State]) -> Array:
    """Times of one `mj_step` from each of the states, us. The world is elsewhere afterwards."""
    data = world.data
    parts = data.qpos, data.qvel, data.qacc_warmstart, data.ctrl, data.xfrc_applied
    times = np.empty(len(states))
    for k, state in enumerate(states):
        for part, value in zip(parts, state, strict=True):
            part[:] = value
        mujoco.mj_step(world.model, data)  # whatever comes first after a jump is no typical step
        before = perf_counter_ns()
        mujoco.mj_step(world.model, data)
        times[k] = perf_counter_ns() - before
    return times * 1e-3
