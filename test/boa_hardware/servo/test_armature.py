# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rotor inertia in the robot files against the lab's recording of the servo."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_description.load import load_robot
from boa_hardware.servo.identify import Identification, identify, load_sweep

RECORDING = Path(__file__).parents[2] / "data" / "boa_lab" / "servo_moving.csv"
SUPPLY = 24.0  # V
GEAR_RATIO = 152.3  # XH540-V150-R (e-manual)
G_CM2 = 1e-7  # kg m2


@pytest.fixture(scope="module")
def recorded() -> Identification:
    """The recording with the torque constant of the motor itself.

    The rotor is accelerated by what the current makes in the air gap, before the gears take their
    share: N m/A is V s/rad of the back EMF, the supply voltage less the drop of the no-load current
    over the no-load speed. The stall ratio (2.67 N m/A) contains the gears' losses.
    """
    actuator = load_robot("boa13").actuator
    sweep = load_sweep(RECORDING)
    loss = identify(sweep).model
    no_load_current = (loss.coulomb + loss.viscous * actuator.speed_limit) / loss.constant
    drop = no_load_current * actuator.winding_resistance
    return identify(sweep, constant=(SUPPLY - drop) / actuator.speed_limit)


@pytest.mark.parametrize("name", ["boa3", "boa13", "boa20"])
def test_armature_is_what_the_recording_shows(name: str, recorded: Identification) -> None:
    armature = load_robot(name).actuator.armature
    assert abs(armature - recorded.inertia) < 2 * recorded.standard_error["inertia"]


def test_a_tenth_of_it_is_excluded(recorded: Identification) -> None:
    """0.43 g cm2 for the rotor, as the file once said, was a slip by a digit."""
    slip = 0.43 * G_CM2 * GEAR_RATIO**2
    assert recorded.inertia - slip > 10 * recorded.standard_error["inertia"]


def test_the_rotor_is_one_of_a_motor_of_that_size() -> None:
    """maxon's motors of 22 mm that fit into the servo's case: 2 to 9 g cm2 (A-max 22: 4.4)."""
    rotor = load_robot("boa13").actuator.armature / GEAR_RATIO**2
    assert 2 * G_CM2 < rotor < 9 * G_CM2
