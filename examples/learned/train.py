# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Learn to go through unmapped posts: `python examples/learned/train.py walk.onnx --minutes 25`.

The policy is one layer: a wave, a turn against the heading, and what a joint does about the angle
of the one ahead and the forces on the links around it, alike along the whole robot. Its eight
numbers are searched by CMA-ES (package cmaes) with the environment of docs/learned.md; each
generation meets the same new field. Fields from 300 on judge.
"""

from __future__ import annotations

import argparse
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
EPISODE = 8.0  # s
FORCE = 10.0  # N that count as one
JOINTS = 12
STOPPED = 1.0  # m, the price of an end at the gate
TURN = 0.5  # against the mean heading of the links
# amplitude and phase of the wave, its rate in rad/s, share of the angle of the joint ahead, and
# of the forces on four links around; the wave is that of shape_path, which has no such shares
START = np.array([1.2, 0.82, 1.07, 0.0, *np.zeros(4)])
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
    amplitude, phase, _, ahead = numbers[:4]
    angles, forces = ahead * np.eye(joints, k=1), np.zeros((joints, joints + 3))
    for joint in range(joints):
        forces[joint, joint : joint + 4] = numbers[4:]
    heading = np.full((joints, joints + 1), -TURN / (joints + 1))
    phases = phase * np.arange(joints)
    wave = amplitude * np.column_stack((np.cos(phases), np.sin(phases)))
    return np.hstack((angles, forces[:, 1:-1], heading, wave))


def distance(numbers: Array, field: int, seconds: float) -> float:
    """How far the policy comes through a field, m, less the price of an end at the gate."""
    scenario = load_scenario(str(SCENARIO)).model_copy(update={"duration": seconds})
    ranges = {"scene.fields.0.seed": (field, field)}
    with BoaEnv(scenario, interface(numbers), randomise=ranges) as env:
        observed, _ = env.reset(seed=field)
        weights = layer(numbers, JOINTS) / scales(JOINTS)
        total, over = 0.0, False
        while not over:
            observed, reward, stopped, late, _ = env.step(np.tanh(weights @ observed))
            total, over = total + reward - STOPPED * stopped, stopped or late
    return total


def scales(joints: int) -> Array:
    """Of the observations: radians as they are, forces by FORCE."""
    return np.concatenate((np.ones(joints), np.full(joints + 1, FORCE), np.ones(joints + 3)))


def main() -> None:
    """Search until the processor time is spent; the mean of each generation is written."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=25.0, help="of processor time")
    parser.add_argument("--episode", type=float, default=EPISODE, help="length, s")
    arguments = parser.parse_args()
    search, rng = CMA(START, SPREAD, seed=0), np.random.default_rng(0)
    while process_time() < 60 * arguments.minutes:
        field = int(rng.integers(*FIELDS, endpoint=True))
        tried = [search.ask() for _ in range(search.population_size)]
        way = [distance(one, field, arguments.episode) for one in tried]
        search.tell([(one, -far) for one, far in zip(tried, way, strict=True)])
        print(
            f"{process_time():.0f} s, field {field}: {np.mean(way):.3f} m, best {max(way):.3f} m, "
            f"{search.mean.round(3).tolist()}",
            flush=True,
        )
        write(arguments.out, search.mean)


def write(path: Path, numbers: Array) -> None:
    """The policy of Boa's twelve joints into a file."""
    weights, scale = layer(numbers, JOINTS), scales(JOINTS)
    record = PolicyRecord(
        interface=interface(numbers), mean=(0.0,) * scale.size, scale=tuple(scale)
    )
    write_policy(path, layers_model([(weights, np.zeros(JOINTS))]), record)


if __name__ == "__main__":
    main()
