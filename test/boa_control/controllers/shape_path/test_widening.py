# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The wave widens without progress, and a robot that is caught at its start comes free by it."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.shape_path.virtual_robot import GaitSegment, VirtualRobot
from boa_control.controllers.shape_path.widening import Widening, WideningSettings

PERIOD = 0.1
SETTINGS = WideningSettings(patience=5.0, progress=0.1, step=0.5, most=2.0)


def after(widening: Widening, ticks: int, place: float) -> int:
    """How often it widens while the robot stays at a place."""
    return sum(widening.update(place) for _ in range(ticks))


def test_it_widens_every_five_seconds_up_to_the_most() -> None:
    widening = Widening(SETTINGS, PERIOD)
    assert after(widening, 49, 1.0) == 0 and widening.width == 1.0
    assert after(widening, 3, 1.0) == 1 and widening.width == 1.5
    assert after(widening, 200, 1.0) == 1 and widening.width == 2.0, "no further, and says it once"


def test_progress_brings_it_back_and_standing_still_counts_from_there() -> None:
    widening = Widening(SETTINGS, PERIOD)
    after(widening, 60, 0.0)
    assert widening.width == 1.5
    assert not widening.update(0.11) and widening.width == 1.0
    assert after(widening, 49, 0.2) == 0, "0.09 m further on is no progress"
    assert after(widening, 3, 0.2) == 1


def test_a_robot_that_was_pushed_back_needs_no_old_place_again() -> None:
    """After a widening progress counts from where the robot is then."""
    widening = Widening(SETTINGS, PERIOD)
    after(widening, 20, 1.0)
    after(widening, 40, 0.5)
    assert widening.width == 1.5
    widening.update(0.61)
    assert widening.width == 1.0


def test_without_settings_the_wave_stays() -> None:
    widening = Widening(WideningSettings(), PERIOD)
    assert after(widening, 1000, 0.0) == 0 and widening.width == 1.0


@pytest.mark.parametrize("width", [1.0, 2.0])
def test_a_wider_wave_has_a_larger_amplitude(width: float) -> None:
    """Points lie within the amplitude on either side of the line of the gait, twice as far apart
    across it at twice the width.
    """
    virtual = VirtualRobot(11, 0.16, GaitSegment(), None, 1)
    virtual.reset(np.zeros(2), 0.0)
    still = np.zeros(11)
    for _ in range(600):
        turn = -float(virtual.shape.headings.mean())  # the gait's line stays along x
        virtual.step(0.2, turn, still, 0.02, width)
    across = np.ptp(virtual.points[:, 1])
    assert across == pytest.approx(2 * 0.18 * width, rel=0.02)
