# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Learn to go through unmapped posts: `python examples/learned/train.py walk.onnx --minutes 25`.

The policy is one layer: a wave, a turn against the heading, and what the joints beside a link do
about its angles and the forces on it, alike along the whole robot. Its eleven numbers are searched
by CMA-ES (package cmaes) with the environment of docs/learned.md; each generation meets the same
new field. Fields from 300 on judge.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import process_time

import numpy as np
from cmaes import CMA

from boa_control.controllers.policy.file import PolicyRecord
from boa_control.controllers.policy.interface import Angles, PolicyInterface
from boa_control.experiments.library import load_scenario
from boa_description.arrays import Array
from boa_tools.gym.environment import BoaEnv
from boa_tools.gym.export import layers_model, write_policy

SCENARIO = Path(__file__).with_name("walk.yaml")
FIELDS = (0, 199)  # seeds to learn on
EPISODE = 12.0  # s
FORCE = 10.0  # N that count as one
STOPPED = 1.0  # m, the price of an end at the gate
# amplitude and phase of the wave, its rate in rad/s, turn against the heading, then the angles
# of the joints behind, here and ahead, and the forces on the links from one behind to one ahead
START = np.array([1.2, 0.82, 1.07, 0.5, *np.zeros(3), *np.zeros(4)])
SPREAD = 0.15


def interface(numbers: Array) -> PolicyInterface:
    """What the policy is shown."""
    return PolicyInterface(
        observation=("position", "lateral_force", "heading"),
        clock=float(max(numbers[2], 0.1)),
        last_action=False,
        action=Angles(scale=0.8, kp=15.0, kd=4.0),
    )


def layer(numbers: Array, joints: int) -> Array:
    """Its weights on normalised observations, shape (joints, 3 joints + 4)."""
    amplitude, phase, _, turn = numbers[:4]
    angles, forces = np.zeros((joints, joints + 2)), np.zeros((joints, joints + 3))
    for joint in range(joints):
        angles[joint, joint : joint + 3] = numbers[4:7]
        forces[joint, joint : joint + 4] = numbers[7:]
    heading = np.full((joints, joints + 1), -turn / (joints + 1))
    phases = phase * np.arange(joints)
    wave = amplitude * np.column_stack((np.cos(phases), np.sin(phases)))
    return np.hstack((angles[:, 1:-1], forces[:, 1:-1], heading, wave))


def distance(numbers: Array, field: int, seconds: float) -> float:
    """How far the policy comes through a field, m, less the price of an end at the gate."""
    scenario = load_scenario(str(SCENARIO)).model_copy(update={"duration": seconds})
    ranges = {"scene.fields.0.seed": (field, field)}
    with BoaEnv(scenario, interface(numbers), randomise=ranges) as env:
        observed, _ = env.reset(seed=field)
        joints = env.action_space.shape[0]
        weights = layer(numbers, joints) / scales(joints)
        total, over = 0.0, False
        while not over:
            observed, reward, stopped, late, _ = env.step(np.tanh(weights @ observed))
            total, over = total + reward - STOPPED * stopped, stopped or late
    return total


def scales(joints: int) -> Array:
    """Of the observations: radians as they are, forces by FORCE."""
    return np.concatenate((np.ones(joints), np.full(joints + 1, FORCE), np.ones(joints + 3)))


def main() -> None:
    """Search until the processor time is spent; the mean of the last generation is written."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=25.0, help="of processor time")
    parser.add_argument("--episode", type=float, default=EPISODE, help="length, s")
    arguments = parser.parse_args()
    search = CMA(START, SPREAD, seed=0)
    rng = np.random.default_rng(0)
    while True:
        field = int(rng.integers(*FIELDS, endpoint=True))
        tried = [search.ask() for _ in range(search.population_size)]
        way = [distance(one, field, arguments.episode) for one in tried]
        search.tell([(one, -far) for one, far in zip(tried, way, strict=True)])
        middle = search.mean
        line = {"field": field, "mean_m": np.mean(way), "best_m": max(way), "at_s": process_time()}
        print(json.dumps(line | {"numbers": middle.round(3).tolist()}), flush=True)
        weights = layer(middle, 12)
        zero = np.zeros(weights.shape[0])
        record = PolicyRecord(
            interface=interface(middle), mean=(0.0,) * weights.shape[1], scale=tuple(scales(12))
        )
        write_policy(arguments.out, layers_model([(weights, zero)]), record)
        if process_time() > 60 * arguments.minutes:
            return


if __name__ == "__main__":
    main()
