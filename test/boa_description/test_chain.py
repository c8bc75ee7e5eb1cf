# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Link poses against complex-number kinematics, and shapes for series of poses."""

from __future__ import annotations

import numpy as np

from boa_description.chain import first_link_rates, joint_axes, link_headings


def test_axes_are_a_sum_of_turned_links() -> None:
    rng = np.random.default_rng(1)
    base, joints, pitch = rng.normal(size=3), rng.uniform(-2, 2, 6), 0.13
    place, turn = complex(*base[:2]), np.exp(1j * base[2])
    expected = [place]
    for angle in [0.0, *joints]:
        turn *= np.exp(1j * angle)
        place += pitch * turn
        expected.append(place)
    axes = joint_axes(pitch, base, joints)
    np.testing.assert_allclose(axes[:, 0] + 1j * axes[:, 1], expected, atol=1e-14)
    assert link_headings(base, joints)[-1] == base[2] + np.cumsum(joints)[-1]


def test_a_series_of_poses_is_each_pose() -> None:
    rng = np.random.default_rng(2)
    base, joints = rng.normal(size=(4, 5, 3)), rng.normal(size=(4, 5, 2))
    axes = joint_axes(0.2, base, joints)
    assert axes.shape == (4, 5, 4, 2)
    np.testing.assert_array_equal(axes[3, 1], joint_axes(0.2, base[3, 1], joints[3, 1]))


def test_every_link_tells_the_turn_rate_of_the_first() -> None:
    rng = np.random.default_rng(3)
    turning, joint_rate = rng.normal(size=(4, 1)), rng.normal(size=(4, 5))
    still = np.concatenate([np.zeros((4, 2)), turning], axis=1)
    yaw_rate = link_headings(still, joint_rate)  # rates add up along the chain as angles do
    yaw_rate[2, 3] = np.nan
    first = first_link_rates(yaw_rate, joint_rate)
    assert np.isnan(first[2, 3]) and np.isnan(first).sum() == 1
    known = ~np.isnan(first)
    expected = np.broadcast_to(turning, first.shape)
    np.testing.assert_allclose(first[known], expected[known], atol=1e-14)
