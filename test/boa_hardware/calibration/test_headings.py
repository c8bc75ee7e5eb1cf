# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a recording tells of servos and IMUs, against a chain that was put together wrongly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_hardware.calibration.headings import MISFIT, layout, responses
from test.boa_hardware.calibration.moved_chain import (
    COUNT,
    JOINTS,
    LINKS,
    STEP,
    bent_in_turn,
    measured,
)

ANGLE, HEADING = bent_in_turn()


def exchanged(count: int, pair: tuple[int, int]) -> list[int]:
    order = list(range(count))
    first, second = pair[0] % count, pair[1] % count
    order[first], order[second] = order[second], order[first]
    return order


PAIRS = st.tuples(st.integers(0, 12), st.integers(0, 12))
NONE = st.just((0, 0))


@given(
    exchanges=st.tuples(PAIRS, NONE) | st.tuples(NONE, PAIRS),
    backwards=st.sets(st.integers(0, JOINTS - 1), max_size=3),
    upside_down=st.sets(st.integers(0, LINKS - 1), max_size=2),
    seed=st.integers(0, 1000),
)
def test_order_and_signs_of_servos_and_imus_are_found(
    exchanges: tuple[tuple[int, int], tuple[int, int]],
    backwards: set[int],
    upside_down: set[int],
    seed: int,
) -> None:
    """Any two servos or any two boards exchanged, with signs reversed at once. Servos and boards
    that are exchanged at the same place may hide each other.
    """
    servos, boards = exchanges
    joint, link = np.array(exchanged(JOINTS, servos)), np.array(exchanged(LINKS, boards))
    direction = np.array([-1.0 if servo in backwards else 1.0 for servo in range(JOINTS)])
    sign = np.array([-1.0 if imu in upside_down else 1.0 for imu in range(LINKS)])
    seen = layout(
        measured(direction * ANGLE[:, joint], COUNT, seed),
        measured(sign * HEADING[:, link], STEP, seed + 1),
    )
    assert seen.joint.tolist() == joint.tolist()
    assert seen.direction.tolist() == direction.tolist()
    assert seen.link.tolist() == link.tolist()
    assert seen.sign.tolist() == sign.tolist()
    assert seen.servo_misfit.max() < MISFIT > seen.imu_misfit.max()


def test_the_response_to_a_servo_is_a_step_at_its_joint() -> None:
    step = np.diff(responses(ANGLE, HEADING), axis=0)
    assert step == pytest.approx(np.eye(JOINTS), abs=1e-9)


def test_a_servo_that_slips_fits_nowhere() -> None:
    angle = ANGLE.copy()
    angle[:, 4] *= 0.3
    seen = layout(angle, HEADING)
    assert np.flatnonzero(seen.servo_misfit > MISFIT).tolist() == [4]


def test_an_imu_that_stands_still_fits_nowhere() -> None:
    heading = HEADING.copy()
    heading[:, 6] = 0.3
    seen = layout(ANGLE, heading)
    assert np.flatnonzero(seen.imu_misfit > MISFIT).tolist() == [6]


def test_a_servo_that_was_not_moved_tells_nothing() -> None:
    angle, heading = ANGLE.copy(), HEADING - np.pad(ANGLE, ((0, 0), (1, 0))).cumsum(axis=1)
    angle[:, 7] = 0.0
    heading = heading + np.pad(angle, ((0, 0), (1, 0))).cumsum(axis=1)
    seen = layout(angle, heading)
    assert np.flatnonzero(~seen.moved).tolist() == [7]
    assert seen.joint.tolist() == list(range(JOINTS))
