# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of what the sensors tell of forces, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.compiled import detection
from boa_description.chain import first_link_rates

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
PITCH = 0.14


@pytest.mark.parametrize("silent", [(), (0,), (2, 4)])
def test_forces_on_links_from_outside_are_those_of_numpy(silent: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    joint_force, angles, acceleration = (rng.normal(size=shape) for shape in ((4, 3), 4, (5, 3)))
    inertial, floor = rng.normal(size=(2, 5))
    acceleration[list(silent)] = np.nan
    loads = along, across, moment = detection.LinkLoads(*np.empty((3, 5)))
    measured_by = detection.Measured(joint_force, angles, acceleration)
    largest = detection.link_forces(loads, measured_by, inertial, floor, 0.7, PITCH / 2)
    assert largest == np.hypot(joint_force[:, 0], joint_force[:, 1]).max()
    turned = (joint_force[:, 0] + 1j * joint_force[:, 1]) * np.exp(1j * angles)
    ahead = np.append(turned, 0.0)
    behind = np.append(0.0, joint_force[:, 0] + 1j * joint_force[:, 1])
    measured = 0.7 * acceleration
    np.testing.assert_allclose(
        along, np.nan_to_num(measured[:, 0]) - (ahead - behind).real, **CLOSE
    )
    own = np.where(np.isnan(measured[:, 1]), inertial, measured[:, 1])
    np.testing.assert_allclose(across, own - floor - (ahead - behind).imag, **CLOSE)
    np.testing.assert_allclose(moment, PITCH / 2 * (ahead + behind).imag, **CLOSE)


def test_the_force_of_a_contact_near_a_joint_is_that_on_both_links() -> None:
    across, force = np.array([1.0, 2.0, 4.0]), np.empty(5)
    link = np.array([0, 0, 1, 2, 2])
    offset = np.array([0.01, PITCH - 0.01, PITCH / 2, 0.01, PITCH - 0.01])
    side = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    detection.contact_forces(force, across, link, offset, side, 0.02, PITCH)
    np.testing.assert_array_equal(force, [-1.0, 3.0, -2.0, 6.0, -4.0])


def test_a_silent_sensor_makes_the_force_unknown_and_leaves_others() -> None:
    across, force = np.array([np.nan, 2.0, 4.0]), np.empty(2)
    middle = np.full(2, PITCH / 2)
    detection.contact_forces(force, across, np.array([0, 2]), middle, np.ones(2), 0.02, PITCH)
    np.testing.assert_array_equal(force, [np.nan, -4.0])


def test_the_foremost_contact_counts_that_may_be_there() -> None:
    link, doubt = np.array([3, 4, 4, 4, 4]), np.full(5, 0.03)
    inside = np.array([-0.01, -0.13, -0.05, 0.02, 0.04])

    def found(settled: np.ndarray) -> int:
        return int(detection.nearest_ahead(link, inside, doubt, settled, 4, 0.09))

    assert found(np.zeros(5, bool)) == 3
    assert found(np.ones(5, bool)) == 2, "the end has come past it"
    assert detection.nearest_ahead(link, inside, doubt, np.ones(5, bool), 5, 0.09) == -1


@pytest.mark.parametrize(("most", "link"), [((2.0, 9.0), 1), ((4.0, 4.0), 5), ((4.0, 6.0), -1)])
def test_the_strongest_force_may_have_either_sign(most: tuple[float, float], link: int) -> None:
    across, along = np.array([1.0, -3.0, 2.0]), np.array([0.0, 4.0, -5.0])
    assert detection.beyond(across, along, *most) == link


@pytest.mark.parametrize(
    ("side", "inside", "rival"),
    [(1.0, -0.02, True), (-1.0, -0.02, False), (1.0, 0.02, False)],
)
def test_only_a_post_beyond_an_end_has_a_rival_inside(
    side: float, inside: float, rival: bool
) -> None:
    link, offset = np.array([2, 4, 4]), np.array([0.1, 0.05, PITCH])
    columns = link, offset, np.array([1.0, 1.0, side]), np.array([0.3, 0.09, inside])
    assert detection.any_rivals(*columns, 0.05, PITCH) == rival


def test_loads_by_the_neighbours_are_those_of_numpy() -> None:
    rng = np.random.default_rng(2)
    force, angles = rng.normal(size=(5, 3)), rng.normal(size=5)
    along, across, moment = np.empty((3, 6))
    heading = np.cos(angles), np.sin(angles)
    detection.neighbour_loads(along, across, moment, force, *heading, PITCH / 2)
    plane = force[:, 0] + 1j * force[:, 1]
    ahead, behind = np.append(plane * np.exp(1j * angles), 0.0), np.append(0.0, plane)
    np.testing.assert_allclose(along + 1j * across, ahead - behind, **CLOSE)
    np.testing.assert_allclose(moment, PITCH / 2 * (ahead + behind).imag, **CLOSE)


def test_turn_rates_of_the_first_link_have_the_bits_of_numpy() -> None:
    rng = np.random.default_rng(3)
    turning, joint_rate = rng.normal(size=13), rng.normal(size=12)
    turning[4] = np.nan
    expected = first_link_rates(turning, joint_rate)
    detection.less_joint_rates(turning, joint_rate)
    np.testing.assert_array_equal(turning, expected)
