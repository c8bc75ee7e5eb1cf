# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Force sensors against each other: dead bridges and flipped signs, after a window of motion."""

from __future__ import annotations

import numpy as np
import pytest

from boa_description.load import load_robot
from boa_hardware.sensors.force_watch import (
    STEP,
    WINDOW,
    ForceWatch,
    Suspicion,
    suspect_texts,
)

ROBOT = load_robot("boa13")
JOINTS, RATE = ROBOT.joints, ROBOT.force_sensor.rate
MOVING, STILL = np.full(JOINTS, 0.3), np.zeros(JOINTS)
MS = 1_000_000


def forces(seed: int, seconds: float = WINDOW) -> np.ndarray:
    """Forces (T, n, 3), N, as waves that run through the chain, 0.6 rad from joint to joint
    (their neighbours' correlation is 0.8 with the noise), with the sensors' noise.
    """
    dice = np.random.default_rng(seed)
    time = np.arange(round(seconds * RATE))[:, None] / RATE
    wave = 1.5 * np.sin(2 * np.pi * 0.5 * time + 0.6 * np.arange(JOINTS))
    along = np.stack([wave, wave, np.full_like(wave, 0.0)], axis=-1)
    return along + ROBOT.force_sensor.noise * dice.standard_normal(along.shape)


def judged(force: np.ndarray, velocity: np.ndarray = MOVING) -> list[tuple[int, Suspicion]]:
    watch = ForceWatch(ROBOT)
    for index, sample in enumerate(force):
        watch.update((index + 1) * 10 * MS, sample, velocity)
    return [tuple(one) for one in watch.suspects]


@pytest.mark.parametrize("seed", range(5))
def test_right_sensors_are_not_suspected(seed: int) -> None:
    assert judged(forces(seed)) == []


@pytest.mark.parametrize("joint", range(JOINTS))
def test_a_dead_bridge_is_named(joint: int) -> None:
    force = forces(1)
    force[:, joint] = 4.0 + 0.2 * np.random.default_rng(2).standard_normal((len(force), 3))
    assert judged(force) == [(joint, Suspicion.NOTHING_BUT_NOISE)]


@pytest.mark.parametrize("joint", range(JOINTS))
def test_a_flipped_sign_is_named_and_no_neighbour(joint: int) -> None:
    force = forces(1)
    force[:, joint] *= -1
    assert judged(force) == [(joint, Suspicion.OPPOSITE_SIGN)]


def test_a_swap_of_neighbours_cannot_be_seen() -> None:
    """Both show what goes through the chain; the manual says so."""
    force = forces(1)
    force[:, [4, 5]] = force[:, [5, 4]]
    assert judged(force) == []


def test_only_motion_is_judged_and_only_whole_windows() -> None:
    dead = forces(1)
    dead[:, 3] = 0.0
    assert judged(dead, STILL) == []
    assert judged(dead[:-1]) == []


def test_a_sensor_that_dies_on_the_way_is_named_as_soon_as_the_window_is_its_own() -> None:
    watch, force = ForceWatch(ROBOT), forces(3, 2 * WINDOW + STEP)
    dies = round((WINDOW + 1.0) * RATE)
    force[dies:, 6] = 0.0
    named = 0
    for index, sample in enumerate(force):
        watch.update((index + 1) * 10 * MS, sample, MOVING)
        if watch.suspects and not named:
            named = index
    assert watch.suspects == ((6, Suspicion.NOTHING_BUT_NOISE),)
    assert (named - dies) / RATE <= WINDOW + STEP


def test_a_sample_that_comes_again_counts_once() -> None:
    watch, dead = ForceWatch(ROBOT), forces(1)
    dead[:, 3] = 0.0
    for index, sample in enumerate(dead[: len(dead) // 2]):
        for _ in range(2):
            watch.update((index + 1) * 10 * MS, sample, MOVING)
    assert watch.suspects == ()


def test_every_suspicion_has_a_line_with_its_remedy() -> None:
    force = forces(1)
    force[:, 2] = 0.0
    force[:, 7] *= -1
    watch = ForceWatch(ROBOT)
    for index, sample in enumerate(force):
        watch.update((index + 1) * 10 * MS, sample, MOVING)
    dead, flipped = suspect_texts(watch.suspects, ROBOT.joint_names)
    assert dead.startswith("force sensor joint_03: shows nothing but noise over 8 s of motion; ")
    assert flipped.startswith("force sensor joint_08: shows the opposite of its neighbours")
