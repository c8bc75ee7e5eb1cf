# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated plant beyond the common contract: truth, reset, determinism, disturbances, odd
input.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.experiments.disturbance import Disturbance
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Effects, PlantSettings
from boa_control.plant import PlantError, SensorFrame
from boa_description.robot import Robot
from boa_description.scene import ContactModel, GroundFriction
from boa_sim.factory import plant_from_experiment
from boa_sim.plant import SimulatedPlant

EVERYTHING = Disturbance(
    obstacle_offset=0.002,
    initial_head_error=0.005,
    sensor_noise=0.05,
    sensor_delay_ticks=1,
    stiction=0.05,
    extra_damping=0.05,
    mass_error=0.1,
)


def make(robot: Robot, arch: Any, seed: int = 0, **changes: Any) -> SimulatedPlant:
    options: dict[str, Any] = {
        "ground": GroundFriction(model="coulomb", mu=0.1),
        "contact": ContactModel(friction=0.1),
        "settings": PlantSettings(effects=Effects(fidelity="datasheet")),
        "disturbance": EVERYTHING,
    } | changes
    return SimulatedPlant(
        robot,
        obstacles=arch.posts,
        start_base=arch.base,
        start_joints=arch.joints,
        seed=seed,
        **options,
    )


def run(plant: SimulatedPlant, ticks: int = 150) -> list[SensorFrame]:
    plant.arm()
    frames = [plant.read()]
    for number in range(ticks):
        feedback = 0.1 * frames[-1].velocity
        plant.write(1.0 + np.sin(number * 0.05 + np.arange(2)) - feedback)
        frames.append(plant.read())
    return frames


def fingerprint(frames: list[SensorFrame]) -> bytes:
    parts = []
    for f in frames:
        parts += [
            f.position.tobytes(),
            f.velocity.tobytes(),
            f.effort.tobytes(),
            f.temperature.tobytes(),
        ]
        if f.joint_force is not None:
            parts.append(f.joint_force.force.tobytes())
        if f.imu is not None:
            parts += [f.imu.yaw.tobytes(), f.imu.yaw_rate.tobytes(), f.imu.acceleration.tobytes()]
    return b"".join(parts)


def test_the_same_seed_gives_the_same_bits(boa3: Robot, arch: Any) -> None:
    first, second, other = (fingerprint(run(make(boa3, arch, seed))) for seed in (7, 7, 8))
    assert first == second
    assert first != other


def test_reset_repeats_the_run_from_the_first_tick(boa3: Robot, arch: Any) -> None:
    plant = make(boa3, arch)
    first = run(plant)
    plant.reset()
    assert plant.read().stamp_ns == plant.control_period_ns, "0 would be a stamp nobody has set"
    for _ in range(5):
        plant.write(np.full(2, 5.0))  # disarmed again
    assert np.abs(plant.read().effort).max() == 0
    plant.reset()
    assert fingerprint(run(plant)) == fingerprint(first)


def test_truth_is_noiseless_and_of_the_same_instant(boa3: Robot, arch: Any) -> None:
    plant = make(boa3, arch, settings=PlantSettings(), disturbance=Disturbance())
    frame = run(plant)[-1]
    truth = plant.truth()
    assert truth.stamp_ns == frame.stamp_ns == 151 * plant.control_period_ns
    assert np.array_equal(truth.joint_position, frame.position)
    assert np.array_equal(truth.joint_velocity, frame.velocity)
    assert frame.imu is not None
    assert truth.base[2] - arch.base[2] == pytest.approx(frame.imu.yaw[0])
    assert truth.base_velocity[2] == pytest.approx(frame.imu.yaw_rate[0])


def test_true_contacts_explain_the_measured_joint_forces(boa3: Robot, arch: Any) -> None:
    """Newton for the tail link at one instant: m a = contact force + joint force, in the world
    frame.
    """
    plant = make(
        boa3, arch, settings=PlantSettings(), disturbance=Disturbance(), ground=GroundFriction()
    )
    plant.arm()
    worst = 0.0
    for number in range(300):
        plant.write(1.0 + np.sin(number * 0.05 + np.arange(2)))
        frame, truth = plant.read(), plant.truth()
        assert frame.joint_force is not None
        assert frame.imu is not None
        heading = truth.base[2] + np.array([0.0, truth.joint_position[0]])
        turn = [np.array([[np.cos(h), -np.sin(h)], [np.sin(h), np.cos(h)]]) for h in heading]
        total = turn[1] @ frame.joint_force.force[0, :2]
        for c in truth.contacts:
            if c.link == 0:
                total = total + c.force[:2]
        inertia = boa3.link.mass * turn[0] @ frame.imu.acceleration[0]
        worst = max(worst, float(np.abs(total - inertia).max()))
    assert worst < 1e-6


def test_write_advances_by_one_period_in_substeps(boa3: Robot, arch: Any) -> None:
    plant = make(boa3, arch, settings=PlantSettings(control_rate=200, physics_step=0.0005))
    first = plant.read().stamp_ns
    plant.write(np.zeros(2))
    assert plant.read().stamp_ns - first == 5_000_000
    assert plant.world.data.time == pytest.approx(0.005)


def test_obstacles_are_displaced_and_the_start_is_free(boa3: Robot, arch: Any) -> None:
    plant = make(boa3, arch, disturbance=Disturbance(obstacle_offset=0.01))
    assert plant.obstacles != arch.posts
    forces = [c.normal_force for c in plant.truth().contacts]
    assert max(forces, default=0.0) < 1.0  # an overlap of a millimetre would be hundreds of newtons


def test_the_true_masses_differ_and_the_description_does_not(boa3: Robot, arch: Any) -> None:
    plant = make(boa3, arch, disturbance=Disturbance(mass_error=0.2))
    links = [plant.world.model.body(name).mass[0] for name in boa3.link_names]
    assert plant.robot is boa3
    assert all(0.8 <= mass / boa3.link.mass <= 1.2 for mass in links)
    assert len(set(links)) == 3
    turning = [plant.world.model.body(name).inertia[2] for name in boa3.link_names]
    assert np.array(turning) / links == pytest.approx(
        np.full(3, boa3.link.yaw_inertia / boa3.link.mass)
    )


def test_stiction_comes_on_top_of_the_gearbox(boa3: Robot, arch: Any) -> None:
    for gearbox in (False, True):
        settings = PlantSettings(effects=Effects(gearbox=gearbox))
        plant = make(boa3, arch, settings=settings, disturbance=Disturbance(stiction=0.3))
        assert plant.world.model.dof_frictionloss[3:] == pytest.approx(
            [0.3 + gearbox * boa3.actuator.coulomb] * boa3.joints
        )


def test_disarmed_the_physics_goes_on(boa3: Robot) -> None:
    plant = SimulatedPlant(boa3)
    plant.arm()
    for _ in range(25):
        plant.write(np.array([1.0, 0.0]))
    plant.disarm()
    before = plant.read().position[0]
    plant.write(np.array([1.0, 0.0]))
    assert plant.read().position[0] > before  # it coasts


def test_an_explosion_is_reported_and_disarms(boa3: Robot) -> None:
    plant = SimulatedPlant(boa3)
    plant.arm()
    plant.world.data.qvel[:] = np.inf
    with pytest.raises(PlantError, match=r"unstable.*physics_step"):
        plant.write(np.zeros(2))


@pytest.mark.parametrize("name", ["boa_circle", "boa_datasheet", "boa_offset_10mm", "thesis_5_1_1"])
def test_plants_of_scenarios(name: str) -> None:
    experiment = prepare(load_scenario(name))
    plant = plant_from_experiment(experiment, seed=3)
    assert plant.control_period_ns == round(1e9 / experiment.scenario.plant.control_rate)
    assert plant.truth().joint_position == pytest.approx(experiment.start_joints, abs=0.2)
    assert len(plant.obstacles) == len(experiment.obstacles)
    for _ in range(5):
        plant.write(np.zeros(experiment.robot.joints))
    assert np.isfinite(plant.read().position).all()


@pytest.mark.parametrize("engine", ["mujoco", "moreau"])
def test_servos_report_no_more_than_their_stall_torque(boa3: Robot, engine: str) -> None:
    """More than that the joint does not get, whatever is commanded and however strong it is."""
    stall = boa3.actuator.torque_limit
    plant = SimulatedPlant(
        boa3, settings=PlantSettings(engine=engine), disturbance=Disturbance(torque_error=0.5)
    )
    plant.arm()
    plant.write(np.array([100.0, -100.0]))
    np.testing.assert_allclose(plant.read().effort, [stall, -stall])
