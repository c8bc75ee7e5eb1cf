# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Force sensors against the motion of the links, after a window of motion: what is wrong is named,
by joint, and nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_hardware.sensors.force_watch import (
    WINDOW,
    ForceWatch,
    SuspectSensor,
    Suspicion,
    suspect_texts,
)

ROBOT = load_robot("boa13")
JOINTS, LINKS, RATE = ROBOT.joints, ROBOT.links, ROBOT.force_sensor.rate
MOVING, STILL = np.full(JOINTS, 0.3), np.zeros(JOINTS)
MS = 1_000_000
SLIP = np.array([3.0, -4.0, 0.0])


class Measured(NamedTuple):
    """Samples: force (T, n - 1, 3), acceleration (T, n, 3) and angle (T, n - 1)."""

    force: Array
    acceleration: Array
    angle: Array


def rotated(vector: Array, by: Array) -> Array:
    cos, sin = np.cos(by), np.sin(by)
    x, y = vector[..., 0], vector[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y, np.zeros_like(x)], axis=-1)


def travel(seed: int, seconds: float = WINDOW, rubs: float = 0.1) -> Measured:
    """A chain between posts by Newton's law in fixed axes: every third link is pushed across by 6
    N, whose post rubs by a share of that; the floor holds all links with 1 N along themselves.
    Noise is that of the data sheets.
    """
    dice, time = np.random.default_rng(seed), np.arange(round(seconds * RATE))[:, None] / RATE
    wave = np.sin(2 * np.pi * 0.2 * time + 0.6 * np.arange(LINKS))
    angle = 0.5 * wave[:, :JOINTS]
    heading = np.concatenate([np.zeros_like(time), np.cumsum(angle, axis=1)], axis=1)
    post = 6.0 * wave * (np.arange(LINKS) % 3 == 1)
    outside = rotated(np.stack([-1.0 - rubs * np.abs(post), post], axis=-1), heading)
    inertia = rotated(0.5 * np.stack([wave, wave**2], axis=-1), heading)
    inertia += (outside - inertia).mean(axis=1, keepdims=True)  # nothing holds either end
    # m a = F_i - F_(i-1) + f, from the head backwards
    passed = np.cumsum((inertia - outside), axis=1)[:, :-1]
    force = rotated(passed, -heading[:, 1:])
    acceleration = rotated(inertia, -heading) / ROBOT.link.mass
    sensor, imu = ROBOT.force_sensor, ROBOT.imu
    return Measured(
        force + sensor.noise * dice.standard_normal(force.shape),
        acceleration + imu.acceleration_noise * dice.standard_normal(acceleration.shape),
        angle,
    )


def judged(measured: Measured, velocity: Array = MOVING) -> tuple[SuspectSensor, ...]:
    watch = ForceWatch(ROBOT)
    for index, sample in enumerate(zip(*measured, strict=True)):
        watch.update((index + 1) * 10 * MS, *sample, velocity)
    return watch.suspects


@pytest.mark.parametrize("seed", range(5))
def test_right_sensors_are_not_suspected(seed: int) -> None:
    assert judged(travel(seed)) == ()


@pytest.mark.parametrize("joint", range(JOINTS))
def test_a_dead_bridge_is_named(joint: int) -> None:
    measured = travel(1)
    noise = np.random.default_rng(2).standard_normal((len(measured.force), 3))
    measured.force[:, joint] = 4.0 + 0.2 * noise
    assert judged(measured) == (SuspectSensor(joint, Suspicion.NOTHING_BUT_NOISE),)


@pytest.mark.parametrize("joint", range(JOINTS))
def test_a_flipped_sign_is_named(joint: int) -> None:
    measured = travel(1)
    measured.force[:, joint] *= -1
    assert judged(measured) == (SuspectSensor(joint, Suspicion.OPPOSITE_SIGN),)


@pytest.mark.parametrize("joint", range(JOINTS - 1))
def test_exchanged_neighbours_are_named(joint: int) -> None:
    measured, pair = travel(1), [joint, joint + 1]
    measured.force[:, pair] = measured.force[:, pair[::-1]]
    assert judged(measured) == (SuspectSensor(joint, Suspicion.EXCHANGED),)


@pytest.mark.parametrize("joint", range(JOINTS))
def test_a_zero_that_slips_while_the_robot_moves_is_named(joint: int) -> None:
    """5 N along and across; the last of two windows is after it, and the slip is told as it is but
    for what rubs.
    """
    measured = travel(1, 2 * WINDOW)
    measured.force[len(measured.force) // 3 :, joint] += SLIP
    (found,) = judged(measured)
    assert found[:2] == (joint, Suspicion.SLIPPED_ZERO)
    assert found.newton == pytest.approx(5.0, abs=0.5)


def test_a_small_slip_and_all_that_posts_and_floor_rub_are_no_error() -> None:
    """Posts that rub by half of what they push, and 1 N, which accelerometers may show as well."""
    measured = travel(1, rubs=0.5)
    measured.force[:, 3] += SLIP / 5.0
    assert judged(measured) == ()


def test_only_motion_is_judged_and_only_whole_windows() -> None:
    dead = travel(1)
    dead.force[:, 3] = 0.0
    assert judged(dead, STILL) == ()
    assert judged(Measured(*(column[:-1] for column in dead))) == ()


def test_a_bridge_that_dies_while_it_moves_is_named_after_a_window() -> None:
    measured = travel(3, seconds=2 * WINDOW)
    measured.force[len(measured.force) // 2 :, 5] = 0.0
    assert judged(measured) == (SuspectSensor(5, Suspicion.NOTHING_BUT_NOISE),)


def test_samples_that_come_again_or_lack_a_value_do_not_count() -> None:
    dead = travel(1)
    dead.force[:, 2] = 0.0
    watch = ForceWatch(ROBOT)
    for index, (force, acceleration, angle) in enumerate(zip(*dead, strict=True)):
        for _ in range(2):
            watch.update((index + 1) * 10 * MS, force, acceleration, angle, MOVING)
        if index == len(dead.force) // 2:
            assert watch.suspects == ()  # as many updates as a window has samples, half of them new
        missing = np.full_like(force, np.nan)
        watch.update((index + 1) * 10 * MS + 1, missing, acceleration, angle, MOVING)
    assert watch.suspects == (SuspectSensor(2, Suspicion.NOTHING_BUT_NOISE),)


def test_each_suspicion_says_what_to_do() -> None:
    suspects = (
        SuspectSensor(0, Suspicion.NOTHING_BUT_NOISE),
        SuspectSensor(1, Suspicion.OPPOSITE_SIGN),
        SuspectSensor(2, Suspicion.EXCHANGED),
        SuspectSensor(3, Suspicion.SLIPPED_ZERO, 5.3),
    )
    assert suspect_texts(suspects, ROBOT.joint_names) == (
        f"force sensor joint_01: shows nothing but noise over {WINDOW:g} s of motion; check its "
        "bridge, cable and amplifier",
        f"force sensor joint_02: shows the opposite of what its links need over {WINDOW:g} s of "
        "motion; check its sign and its mounting",
        f"force sensor joint_03: seems to be exchanged with joint_04 over {WINDOW:g} s of motion; "
        "exchange their cables at the boards",
        f"force sensor joint_04: its zero seems to be off by 5 N over {WINDOW:g} s of motion; "
        "tare; check its mounting if it slips again",
    )
