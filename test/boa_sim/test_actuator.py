# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The servo model: limits and counts of the data sheet."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.experiments.scenario import Effects, PlantSettings
from boa_description.load import load_robot
from boa_description.robot import Robot
from boa_sim.actuator import AMBIENT, Servos, heated
from boa_sim.plant import SimulatedPlant

SERVO = load_robot("boa13").actuator  # XH540-V150-R
COUNT = 2.69e-3 * 2.667  # N m per count of Goal Current
IDEAL, REAL = Servos(SERVO, Effects()), Servos(SERVO, Effects(fidelity="datasheet"))


@given(torque=st.floats(-10, 10))
def test_ideal_servo_gives_what_is_asked(torque: float) -> None:
    asked = np.array([torque])
    assert IDEAL.commanded(asked) == pytest.approx(asked)
    assert IDEAL.measured(asked) == pytest.approx(asked)


@given(torque=st.floats(-10, 10))
def test_goal_current_is_in_counts_within_the_limit_and_never_more_than_asked(
    torque: float,
) -> None:
    given_torque = REAL.commanded(np.array([torque]))[0]
    assert given_torque / COUNT == pytest.approx(round(given_torque / COUNT), abs=1e-6)
    assert abs(given_torque) <= abs(torque) + 1e-6
    assert abs(given_torque) <= 6.4 + 1e-3  # 2.4 A
    assert given_torque * torque >= 0
    if abs(torque) < 6.4:
        assert abs(torque - given_torque) < COUNT + 1e-6


def test_whole_counts_pass_unchanged() -> None:
    whole = np.arange(-300, 301) * COUNT
    assert REAL.commanded(whole) == pytest.approx(whole, abs=1e-12)


def test_measured_effort_is_the_nearest_count() -> None:
    assert REAL.measured(np.array([10.4, 10.6, -10.6]) * COUNT) == pytest.approx(
        np.array([10.0, 11.0, -11.0]) * COUNT
    )


def test_heating_is_first_order() -> None:
    """Steady: ambient + R_th R I^2; after one time constant 1 - 1/e of that; independent of the
    step.
    """
    torque = np.array([2.667])  # 1 A: 10 W
    rise = 5.0 * 10.0
    assert heated(np.array([AMBIENT]), torque, SERVO, 1e9) == pytest.approx([AMBIENT + rise])
    once = heated(np.array([AMBIENT]), torque, SERVO, 600.0)
    assert once == pytest.approx([AMBIENT + rise * (1 - np.exp(-1))])
    many = np.array([AMBIENT])
    for _ in range(600):
        many = heated(many, torque, SERVO, 1.0)
    assert many == pytest.approx(once)
    assert heated(once, np.zeros(1), SERVO, 1e9) == pytest.approx([AMBIENT])


def test_currents_follow_with_the_lag_of_their_loop(boa3: Robot) -> None:
    """First order: 1 - 1/e of the command after one time constant; none where it is off."""
    robot = load_robot("boa3", override={"actuator": {"current_lag": 0.01}})
    for on, share in ((True, 1 - np.exp(-1)), (False, 1.0)):
        settings = PlantSettings(effects=Effects(current_loop=on))
        plant = SimulatedPlant(robot, settings=settings)
        plant.arm()
        for _ in range(5):  # ticks of 2 ms
            plant.write(np.array([2.0, -1.0]))
        assert plant.read().effort == pytest.approx([2.0 * share, -1.0 * share])
    assert boa3.actuator.current_lag == 0.0


def test_a_free_joint_under_full_torque_stays_below_the_no_load_speed(boa3: Robot) -> None:
    """With the torque-speed line the joint runs up to where the line meets viscous friction;
    without it, beyond.
    """
    top = {}
    for line in (True, False):
        settings = PlantSettings(effects=Effects(torque_speed_line=line))
        plant = SimulatedPlant(boa3, settings=settings)
        plant.arm()
        fastest = 0.0
        for _ in range(120):
            plant.write(np.array([0.0, boa3.actuator.torque_limit]))
            fastest = max(fastest, plant.read().velocity[1])
            if plant.read().position[1] > 1.3:
                break
        top[line] = fastest
    assert top[True] < boa3.actuator.speed_limit < top[False]


def test_motor_heating_shows_in_the_frame(boa3: Robot) -> None:
    plant = SimulatedPlant(boa3, settings=PlantSettings(effects=Effects(motor_heating=True)))
    plant.arm()
    for _ in range(250):
        plant.write(np.array([2.0, -2.0]))
    servo = boa3.actuator
    loss = servo.winding_resistance * (2.0 / servo.torque_constant) ** 2
    rise = servo.thermal_resistance * loss * (1 - np.exp(-0.5 / servo.thermal_time_constant))
    assert plant.read().temperature == pytest.approx([AMBIENT + rise] * 2)
