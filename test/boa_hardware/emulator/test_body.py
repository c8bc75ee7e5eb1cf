# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emulated body: the same physics as the simulation, seen joint by joint and link by link."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.load import load_robot
from boa_hardware.emulator.boa import LONGEST_STEP, EmulatedBoa
from boa_hardware.emulator.body import BodyLink, BodyServo, EmulatedBody
from boa_hardware.emulator.server import BODY_PERIOD
from boa_hardware.servo.settings import ServoJoint
from boa_sim.engines.mujoco.world import MujocoWorld
from boa_sim.world import Physics


@pytest.fixture
def body() -> EmulatedBody:
    robot = load_robot("boa3")
    return EmulatedBody(MujocoWorld(robot, physics=Physics(coulomb=0.0)), robot)


def test_it_moves_as_the_physics_under_the_same_torque(body: EmulatedBody) -> None:
    robot = body.robot
    alone = MujocoWorld(robot, physics=Physics(coulomb=0.0))
    torque = np.array([0.2, -0.1])
    for joint, value in enumerate(torque):
        body.drive(joint, value / robot.actuator.torque_constant, 0.0)
    body.run_to(0.1)
    for _ in range(100):
        alone.advance(torque)
    assert body.world.joint_position == pytest.approx(alone.joint_position, abs=1e-12)


def test_a_servo_that_sits_the_other_way_round_turns_the_other_way_round(
    body: EmulatedBody,
) -> None:
    straight = BodyServo(body, 0, ServoJoint(id=1))
    reversed_ = BodyServo(body, 0, ServoJoint(id=1, direction=-1, zero=2.0))
    reversed_.drive(0.1, 0.0)
    body.run_to(0.05)
    assert body.world.joint_position[0] < 0
    assert straight.state(0.05).position - math.pi == pytest.approx(body.world.joint_position[0])
    assert reversed_.state(0.05).position - 2.0 == pytest.approx(-body.world.joint_position[0])
    assert reversed_.state(0.05).current == pytest.approx(0.1)


def test_the_torque_speed_line_limits_the_current(body: EmulatedBody) -> None:
    servo = BodyServo(body, 1, ServoJoint(id=2))
    servo.drive(2.4, 0.0)
    body.run_to(1.0)
    state = servo.state(1.0)
    assert state.velocity < body.robot.actuator.speed_limit
    assert state.current < 2.4


def test_a_motor_warms_up_by_its_losses(body: EmulatedBody) -> None:
    """First seconds: dT/dt = R_th R i^2 / tau, before it loses heat itself."""
    actuator = body.robot.actuator
    servo = BodyServo(body, 0, ServoJoint(id=1))
    servo.drive(1.0, 0.0)
    body.world.model.dof_damping[3:] = 50.0  # held, so that the current is the wanted one
    body.run_to(3.0)
    rise = (
        actuator.thermal_resistance
        * actuator.winding_resistance
        * 3.0
        / actuator.thermal_time_constant
    )
    assert servo.state(3.0).temperature - 25.0 == pytest.approx(rise, rel=0.05)


def test_links_feel_yaw_rate_acceleration_and_force(body: EmulatedBody) -> None:
    body.drive(0, 0.1, 0.0)
    link = BodyLink(body, 1, 0)
    before, after = link.reading(0.05), link.reading(0.06)
    assert (after.yaw - before.yaw) / 0.01 == pytest.approx(
        (after.yaw_rate + before.yaw_rate) / 2, rel=1e-2
    )
    assert after.force[:2] == pytest.approx(body.world.joint_force[0, :2].tolist())
    assert BodyLink(body, 1, None).reading(0.06).force == (0.0, 0.0, 0.0)


def test_a_body_that_is_too_slow_loses_time_instead_of_catching_up() -> None:
    robot = load_robot("boa3")
    body = EmulatedBody(MujocoWorld(robot), robot, real_time=True)
    body.run_to(10.0)
    assert body.lost == pytest.approx(9.9)
    assert body.truth().stamp_ns == pytest.approx(10e9, abs=2e6)


def test_the_emulated_robot_has_the_gearboxes_of_its_scenario() -> None:
    """Motor currents are those of the goals; what reaches the links is less, and with backlash the
    first of it comes late. Encoders sit on the joints' side.
    """
    gearbox = {"model": "g20", "backlash": 0.004, "spread": 0.3}
    scenario = changed(load_scenario("boa_circle"), {"plant.effects.gearbox": gearbox})
    boa = EmulatedBoa(experiment=prepare(scenario), seed=1)
    servo = BodyServo(boa.body, 6, ServoJoint(id=7))
    start = servo.state(0.0).position
    servo.drive(0.75, 0.0)
    boa.body.run_to(0.003)
    assert abs(boa.body.truth().delivered[6]) < 0.01
    assert servo.state(0.003).position == pytest.approx(start, abs=1e-9)
    boa.body.run_to(0.03)
    assert servo.state(0.03).current == pytest.approx(0.75)
    delivered = boa.body.truth().delivered[6]
    assert 0.5 * 0.75 * 2.667 < abs(delivered) < 1.2 * 0.75 * 2.667
    assert servo.state(0.03).position - math.pi == pytest.approx(boa.body.truth().joint_position[6])


def test_a_scenario_that_chooses_none_has_the_gearboxes_of_the_robot() -> None:
    boa = EmulatedBoa(experiment=prepare(load_scenario("boa_circle")))
    assert boa.robot.actuator.gearbox.model == "g20"
    assert boa.body.world.model.nv == 3 + 12, "no backlash unless a scenario asks for it"
    most = boa.body.world.model.actuator_ctrlrange[:, 1]
    assert most / boa.robot.actuator.torque_limit == pytest.approx(np.full(12, 1.332), abs=1e-3)


def test_encoders_and_gyroscopes_never_see_single_steps_of_a_coarse_simulation() -> None:
    """With steps of 2.5 ms rates of joints alternated from one to the next: servos saw the even
    ones and IMUs the odd ones, and a server that moves the body by 2 ms never moved it.
    """
    scenario = changed(load_scenario("boa_blind_field"), {"plant.physics_step": 0.0025})
    boa = EmulatedBoa(experiment=prepare(scenario), real_time=True)
    assert boa.body.world.step == LONGEST_STEP <= BODY_PERIOD
    boa.body.run_to(0.005, BODY_PERIOD)
    assert boa.body.truth().stamp_ns == 2_000_000
