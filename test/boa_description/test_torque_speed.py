# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The torque-speed line of the servo, against its data sheet and its own symmetries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_description.load import load_robot
from boa_description.torque_speed import TorqueSpeedLine

BOA = load_robot("boa13")
SERVO = BOA.actuator  # XH540-V150-R
SPEEDS = st.floats(-2.0, 2.0)  # of the no-load speed


@pytest.mark.parametrize("share", [-1.2, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.2])
def test_driving_is_on_the_line_and_braking_at_full_torque(share: float) -> None:
    line, velocity = TorqueSpeedLine(SERVO, 1), np.array([share * SERVO.speed_limit])
    driving = np.clip(1 - share, 0, 1) * SERVO.torque_limit
    assert line.clip(np.array([99.0]), velocity)[0] == pytest.approx(driving)
    assert line.clip(np.array([-99.0]), -velocity)[0] == pytest.approx(-driving)


@given(speeds=st.lists(SPEEDS, min_size=12, max_size=12), used=st.floats(0.1, 1.0))
def test_limit_and_share(speeds: list[float], used: float) -> None:
    """The bounds are those of the motor cut at the limit, times the share; turned motion turns them
    round.
    """
    velocity = np.array(speeds) * SERVO.speed_limit
    least, most = TorqueSpeedLine(SERVO, 12, limit=BOA.limits.torque, share=used).bounds(velocity)
    motor = np.clip(SERVO.torque_limit * (1 - velocity / SERVO.speed_limit), 0, SERVO.torque_limit)
    np.testing.assert_allclose(most, used * np.minimum(motor, BOA.limits.torque), atol=1e-12)
    turned = TorqueSpeedLine(SERVO, 12, limit=BOA.limits.torque, share=used).bounds(-velocity)
    np.testing.assert_allclose(turned, [-most, -least], atol=1e-12)


@given(torque=st.floats(-10, 10), speed=SPEEDS)
def test_what_the_motor_can_give_passes_unchanged(torque: float, speed: float) -> None:
    line, velocity = TorqueSpeedLine(SERVO, 1), np.array([speed * SERVO.speed_limit])
    (least,), (most,) = line.bounds(velocity)
    assert -line.limit <= least <= 0.0 <= most <= line.limit == SERVO.torque_limit
    given_torque = line.clip(np.array([torque]), velocity)[0]
    assert given_torque == (
        torque if least <= torque <= most else least if torque < least else most
    )
