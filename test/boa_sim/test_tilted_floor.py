# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A floor that is not level, in the simulated plant."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.estimation.floor_tilt import downhill_of
from boa_control.experiments.disturbance import Disturbance, FloorTilt
from boa_control.experiments.scenario import PlantSettings
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import GRAVITY, GroundFriction
from boa_sim.disturbance import downhill
from boa_sim.plant import SimulatedPlant

BOA = load_robot("boa13")
COBRA = load_robot("cobra12")
ANGLE, DIRECTION = 0.05, 2.0
TILTED = Disturbance(floor_tilt=FloorTilt(angle=ANGLE, direction=DIRECTION))
BENT = np.full(BOA.joints, 0.2)


def slid(ticks: int) -> SimulatedPlant:
    plant = SimulatedPlant(
        BOA, disturbance=TILTED, start_base=np.array([0.0, 0.0, 0.3]), start_joints=BENT
    )
    for _ in range(ticks):
        plant.write(np.zeros(BOA.joints))
    return plant


def test_a_body_that_nothing_holds_slides_downhill_as_a_block() -> None:
    """s = a t^2 / 2 in 0.2 s; all links fall alike, so no joint bends and none carries anything."""
    plant = slid(100)
    moved = plant.world.truth(0).base[:2]
    expected = 0.5 * GRAVITY * np.sin(ANGLE) * 0.2**2
    np.testing.assert_allclose(
        moved, expected * np.array([np.cos(DIRECTION), np.sin(DIRECTION)]), rtol=0.01
    )
    frame = plant.read()
    np.testing.assert_allclose(frame.position, BENT, atol=1e-9)
    assert frame.joint_force is not None
    np.testing.assert_allclose(frame.joint_force.force, 0.0, atol=1e-9)


def test_a_steep_floor_rubs_with_the_weight_that_it_bears() -> None:
    """g (sin a - mu cos a); with the whole weight it would be 4 % less at 0.4 rad."""
    steep, mu = 0.4, 0.3
    plant = SimulatedPlant(
        BOA,
        disturbance=Disturbance(floor_tilt=FloorTilt(angle=steep, direction=0.0)),
        ground=GroundFriction(model="coulomb", mu=mu),
    )
    rates = []
    for _ in range(2):
        for _ in range(100):
            plant.write(np.zeros(BOA.joints))
        rates.append(plant.world.truth(0).base_velocity[0])
    expected = GRAVITY * (np.sin(steep) - mu * np.cos(steep))
    assert (rates[1] - rates[0]) / 0.2 == pytest.approx(expected, rel=1e-3)


def test_its_imus_tell_the_acceleration_without_gravity_and_the_tilt() -> None:
    imu = slid(100).read().imu
    assert imu is not None and imu.rotation is not None
    size = np.hypot(*imu.acceleration.T)
    np.testing.assert_allclose(size, GRAVITY * np.sin(ANGLE), rtol=1e-6)
    told = downhill_of(imu.rotation, BENT, BOA.imu)
    assert told.tilt == pytest.approx(ANGLE)
    assert np.angle(told.pull) == pytest.approx(DIRECTION - 0.3, abs=1e-6)
    np.testing.assert_allclose(imu.heading, 0.0, atol=1e-9)


def test_a_direction_that_is_not_given_is_drawn_from_the_seed() -> None:
    tilt = FloorTilt(angle=ANGLE)
    drawn = {downhill(tilt, seed) for seed in range(3)}
    assert len(drawn) == 3 and downhill(tilt, 1) in drawn
    np.testing.assert_allclose([np.hypot(*one) for one in drawn], GRAVITY * np.sin(ANGLE))
    assert downhill(FloorTilt(), 1) == (0.0, 0.0)


@pytest.mark.parametrize("engine", ["moreau", "mujoco"])
def test_engines_and_robots_without_a_tilted_floor_say_so(engine: str) -> None:
    robot = BOA if engine == "moreau" else COBRA
    with pytest.raises(BoaError, match="floor_tilt"):
        SimulatedPlant(robot, settings=PlantSettings(engine=engine), disturbance=TILTED)
