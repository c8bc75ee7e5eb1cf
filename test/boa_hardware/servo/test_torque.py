# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Current and torque."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from boa_hardware.servo.registers import VELOCITY
from boa_hardware.servo.torque import TorqueMap, TorqueModel, smooth_sign

MODEL = TorqueModel(constant=2.5, coulomb=0.1, viscous=0.2, current_offset=0.01, compensation=1.0)


def test_defaults_are_the_stall_ratio_without_friction() -> None:
    plain = TorqueMap.of([TorqueModel()])
    assert plain.torque(np.array([2.4]), np.array([0.0])) == pytest.approx([6.4])
    assert plain.torque(np.array([2.4]), np.array([3.0])) == pytest.approx([6.4])


def test_friction_takes_from_the_torque_in_both_directions() -> None:
    model = TorqueMap.of([MODEL, MODEL, MODEL])
    torque = model.torque(np.array([1.01, 1.01, -0.99]), np.array([1.0, -1.0, -1.0]))
    assert torque == pytest.approx([2.5 - 0.3, 2.5 + 0.3, -2.5 + 0.3])


@given(st.floats(-6, 6), st.floats(-6, 6))
def test_compensation_makes_no_torque_of_none_and_turns_none_round(
    torque: float, velocity: float
) -> None:
    motor = float(TorqueMap.of([MODEL]).motor_torque(np.array([torque]), np.array([velocity]))[0])
    assert motor * torque >= 0 and abs(motor) <= 2 * abs(torque)


@given(st.floats(1.31, 6), st.sampled_from([-1, 1]), st.floats(-6, 6))
def test_full_compensation_inverts_the_model(size: float, sign: int, velocity: float) -> None:
    """For torques above the friction, which is at most 1.3 N m at 6 rad/s."""
    model, torque = TorqueMap.of([MODEL]), sign * size
    current = model.current(model.motor_torque(np.array([torque]), np.array([velocity])))
    assert model.torque(current, np.array([velocity])) == pytest.approx([torque], abs=1e-12)


def test_without_compensation_the_motor_torque_is_what_was_asked_for() -> None:
    model = TorqueMap.of([MODEL.model_copy(update={"compensation": 0.0})])
    motor = model.motor_torque(np.array([1.0]), np.array([5.0]))
    assert motor == pytest.approx([1.0])
    assert model.current(motor) == pytest.approx([1.0 / 2.5 + 0.01])


def test_what_is_not_known_stays_so() -> None:
    assert np.isnan(TorqueMap.of([MODEL]).torque(np.array([np.nan]), np.array([1.0])))[0]


def test_sign_is_odd_quiet_at_rest_and_full_in_motion() -> None:
    velocity = np.linspace(-1, 1, 201)
    assert smooth_sign(-velocity) == pytest.approx(-smooth_sign(velocity))
    assert smooth_sign(np.zeros(1))[0] == 0.0
    assert smooth_sign(np.array([2 * VELOCITY]))[0] > 0.96


@pytest.mark.parametrize(
    "values", [{"constant": 0.0}, {"coulomb": -0.1}, {"compensation": 1.1}, {"constnat": 1.0}]
)
def test_impossible_models_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        TorqueModel.model_validate(values)
