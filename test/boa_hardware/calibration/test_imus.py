# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How IMUs sit in their links, from turns and shoves."""

from __future__ import annotations

import numpy as np
import pytest

from boa_hardware.calibration.imus import mounting_angles, rate_shares, turned_shares

TIME = np.linspace(0.0, 2.0, 201)
TURN = 0.4 * (1 - np.cos(np.pi * TIME / 2))


def test_a_heading_that_turns_the_other_way_has_share_minus_one() -> None:
    yaw = TURN[:, None] * np.array([1.0, -1.0, 1.0, 0.0, 1.0])
    assert turned_shares(yaw) == pytest.approx([1, -1, 1, 0, 1])


def test_a_rate_of_another_sign_or_unit_is_seen_in_its_share() -> None:
    yaw = np.stack([TURN, TURN, TURN], axis=1)
    rate = np.gradient(TURN, TIME)[:, None] * np.array([1.0, -1.0, 180 / np.pi])
    assert rate_shares(TIME, yaw, rate) == pytest.approx([1, -1, 180 / np.pi], rel=1e-3)


@pytest.mark.parametrize("way", [0.0, np.pi / 2])
def test_the_mounting_angle_is_found_whatever_the_tilt(way: float) -> None:
    """A shove from rest to rest; the floor is not level: 0.2 m/s2 of gravity on every sensor."""
    shove = np.sin(2 * np.pi * TIME / 2.0)[:, None] * np.array([np.cos(way), np.sin(way)])
    mounted = np.array([0.0, 0.5, -np.pi / 2, 3.0])
    seen = np.stack(
        [
            np.stack(
                [
                    np.cos(m) * shove[:, 0] + np.sin(m) * shove[:, 1],
                    np.cos(m) * shove[:, 1] - np.sin(m) * shove[:, 0],
                ],
                axis=1,
            )
            for m in mounted
        ],
        axis=1,
    )
    assert mounting_angles(seen + 0.2, way) == pytest.approx(mounted, abs=1e-6)
