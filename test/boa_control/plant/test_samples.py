# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Samples of sensors."""

from __future__ import annotations

import numpy as np

from boa_control.plant import ImuSample, force_components, force_sizes, orientations
from boa_description.quaternion import yaw_quaternion

LINKS = 5


def flat(stamp: int) -> ImuSample:
    heading = np.random.default_rng(stamp).uniform(-9.0, 9.0, LINKS)
    return ImuSample.planar(stamp, heading, np.zeros(LINKS), np.zeros((LINKS, 2)))


def tilted(stamp: int) -> ImuSample:
    turned = np.random.default_rng(stamp).normal(size=(LINKS, 4))
    nothing = np.zeros((LINKS, 3))
    return ImuSample(stamp, turned, nothing, nothing, np.zeros(LINKS))


def test_the_heading_of_a_link_in_the_plane_is_its_orientation() -> None:
    sample = flat(0)
    np.testing.assert_array_equal(sample.orientation, yaw_quaternion(sample.heading))


def test_orientations_of_many_samples_are_those_of_each() -> None:
    for samples in ([flat(0), flat(1)], [tilted(0), tilted(1)], [flat(0), tilted(1)]):
        each = [sample.orientation for sample in samples]
        np.testing.assert_array_equal(orientations(samples), each)


def test_the_orientation_of_a_silent_sensor_is_unknown() -> None:
    sample = flat(0)._replace(heading=np.array([0.1, np.nan, 0.2, 0.3, 0.4]))
    missing = np.isnan(orientations([sample])[0]).any(axis=1)
    np.testing.assert_array_equal(missing, [False, True, False, False, False])


def test_a_force_counts_without_the_axis_that_the_robot_does_not_measure() -> None:
    nan = np.nan
    force = np.array([[30.0, -40.0, nan], [3.0, 0.0, -4.0], [nan, 2.0, nan], [nan, nan, nan]])
    np.testing.assert_array_equal(force_components(force), [40.0, 4.0, 2.0, nan])
    np.testing.assert_array_equal(force_sizes(force), [50.0, 5.0, nan, nan])
