# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tilt of the floor by IMUs and by the weight of links, against tilts that are known."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.estimation.floor_tilt import LEVEL, downhill_of, pull_along
from boa_description.arrays import Array
from boa_description.chain import link_headings
from boa_description.load import load_robot
from boa_description.quaternion import product, turned_about_vertical, yaw_quaternion
from boa_description.robot import Imu
from boa_description.scene import GRAVITY

BOA = load_robot("boa13")
HEADING = 0.4  # of link 1 on the floor, rad
JOINTS = np.linspace(-0.5, 0.6, BOA.joints)
HEADINGS = link_headings(np.array([0.0, 0.0, HEADING]), JOINTS)
IMU: Imu = BOA.imu


def orientations(angle: float, direction: float) -> Array:
    """Of links on a floor that falls by `angle` in `direction`: a turn about the horizontal axis
    across it after that on the floor. Every IMU counts its heading from a start of its own.
    """
    axis = direction + np.pi / 2  # by the right hand, what is downhill sinks
    half = 0.5 * angle
    tilt = np.array([np.cos(axis), np.sin(axis), 0.0, 1.0 / np.tan(half)]) * np.sin(half)
    lying = product(tilt, yaw_quaternion(HEADINGS))
    return turned_about_vertical(lying, np.linspace(-2.0, 3.0, BOA.links))


@pytest.mark.parametrize("direction", [-2.0, 0.0, 1.0])
@pytest.mark.parametrize("degrees", [0.5, 5.0])
def test_gravity_along_the_floor_is_told_in_the_frame_of_link_1(
    degrees: float, direction: float
) -> None:
    angle = np.radians(degrees)
    told = downhill_of(orientations(angle, direction), JOINTS, IMU)
    expected = GRAVITY * np.sin(angle) * np.exp(1j * (direction - HEADING))
    assert told.pull == pytest.approx(expected, abs=1e-12)
    assert told.tilt == pytest.approx(angle)


def test_a_tilt_that_noise_explains_is_none() -> None:
    """0.03 m/s2 of each of 13 IMUs are 0.0083 of all; three times that are 0.15 degrees."""
    assert downhill_of(orientations(np.radians(0.14), 0.0), JOINTS, IMU) == LEVEL
    assert downhill_of(orientations(np.radians(0.16), 0.0), JOINTS, IMU) != LEVEL


def test_imus_that_contradict_each_other_tell_less() -> None:
    """Mounted askew by 2 degrees, each in its own way: 0.5 degrees are not told from none."""
    askew = np.random.default_rng(3).normal(scale=np.radians(2.0), size=(BOA.links, 4))
    askew[:, 2:] = 0.0
    told = orientations(np.radians(0.5), 1.0)
    turned = product(told, np.column_stack((askew[:, :3] / 2, np.ones(BOA.links))))
    assert downhill_of(turned, JOINTS, IMU) == LEVEL


def test_one_wrong_imu_and_silent_ones_change_nothing() -> None:
    told = orientations(0.05, 0.7)
    sound = downhill_of(told, JOINTS, IMU)
    told[3] = np.nan
    told[5] = [0.3, 0.0, 0.0, np.sqrt(1 - 0.09)]
    assert downhill_of(told, JOINTS, IMU).pull == pytest.approx(sound.pull, abs=1e-9)
    told[6:] = np.nan
    assert downhill_of(told, JOINTS, IMU) == LEVEL


def test_what_links_weigh_along_themselves_tells_the_pull() -> None:
    links, mass, pull = np.exp(1j * HEADINGS), 1.7, 0.4 - 0.3j
    force = mass * (pull * links.conj()).real
    told = pull_along(links, force, mass)
    assert told.pull == pytest.approx(pull)
    assert told.std == pytest.approx(0.0, abs=1e-12)
    force[2] = np.nan
    assert pull_along(links, force, mass).pull == pytest.approx(pull)


def test_noise_of_the_weights_is_told_as_their_deviation() -> None:
    """Of 400 draws the pulls scatter as each of them says, to a tenth."""
    links, rng = np.exp(1j * HEADINGS), np.random.default_rng(0)
    told = [pull_along(links, rng.normal(scale=0.2, size=links.size), 1.7) for _ in range(400)]
    scatter = np.sqrt(np.mean([abs(one.pull) ** 2 for one in told]))
    assert np.sqrt(np.mean([one.std**2 for one in told])) == pytest.approx(scatter, rel=0.1)
