# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot stands where it comes no further, though it may rock."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.journey.whereabouts import STILL_TIME, Whereabouts
from boa_control.paths.settings import SegmentPath

PATH = SegmentPath(
    kind="segments", start=(0.0, 0.0), heading=0.0, segments=((3.0, 0.0),), posts=(), contacts=()
)


@pytest.mark.parametrize(
    ("desired", "drift", "rocking", "stands"),
    [
        (0.0, 0.0, 0.0, True),
        (0.0, 0.0, 2e-4, True),  # at 6.5 Hz: up to 8 mm/s
        (0.0, 0.02, 0.0, False),
        (0.01, 0.0, 0.0, False),
    ],
)
def test_a_robot_stands_that_shall_and_comes_no_further(desired, drift, rocking, stands):
    clock = [0.0]
    where = Whereabouts(PATH, {}, lambda: clock[0])
    turning = 2 * np.pi * 6.5
    for now in np.arange(0.0, STILL_TIME + 0.1, 0.002):
        clock[0] = float(now)
        progress = 1.0 + drift * now + rocking * np.sin(turning * now)
        rate = drift + rocking * turning * np.cos(turning * now)
        where.update(float(progress), desired, float(rate))
    assert where.stands is stands


def test_it_counts_anew():
    clock = [0.0]
    where = Whereabouts(PATH, {}, lambda: clock[0])
    for now in (0.0, STILL_TIME):
        clock[0] = float(now)
        where.update(1.0, 0.0, 0.0)
    assert where.stands
    where.count_anew()
    assert not where.stands
