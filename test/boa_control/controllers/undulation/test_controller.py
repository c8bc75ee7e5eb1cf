# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The undulation controller: its law, its estimate of the base, its steering."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.base_estimate import HeadingFusion
from boa_control.controllers.gaits import Wave, joint_reference
from boa_control.controllers.undulation.steering import Steering, SteeringSettings
from boa_control.events import Event, EventKind
from boa_control.experiments.build import build_controller
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.paths.goals import Targets
from boa_control.paths.guide import Guide
from boa_control.plant import ImuSample, SensorFrame
from boa_description.chain import centre_of_mass, link_headings
from boa_description.errors import BoaError
from boa_sim.factory import plant_from_experiment


def check_rates(wave: Wave, time: float) -> None:
    """The reference's rates are the derivatives of its angles."""
    step, still = 1e-5, np.zeros(4)
    before, at, after = (joint_reference(wave, time + k * step, still) for k in (-1, 0, 1))
    assert (after.position - before.position) / (2 * step) == pytest.approx(at.velocity, abs=1e-7)
    assert (after.velocity - before.velocity) / (2 * step) == pytest.approx(
        at.acceleration, abs=1e-6
    )


@pytest.mark.parametrize("time", [0.1, 1.2, 7.0])
def test_waves_of_single_joints_have_right_rates(time: float) -> None:
    check_rates(Wave(amplitudes=(0.1, 0.2, 0.3, 0.4), phases=(0, 1, 3, 2), offset=0.1), time)


def test_equal_amplitudes_and_phases_are_the_plain_wave() -> None:
    plain = Wave(amplitude=0.5, phase_shift=0.7)
    given = Wave(amplitudes=4 * (0.5,), phases=(0, 0.7, 1.4, 2.1))
    for time in (0.0, 1.3):
        assert joint_reference(given, time, np.zeros(4)).position == pytest.approx(
            joint_reference(plain, time, np.zeros(4)).position
        )


def test_wrong_numbers_of_amplitudes_are_refused() -> None:
    scenario = changed(
        load_scenario("wang_free"), {"controller.parameters.gait.amplitudes": [0.1, 0.2]}
    )
    with pytest.raises(BoaError, match="gait: amplitudes: 2 values given, the robot has 9 joints"):
        build_controller(prepare(scenario))


def frame_at(base: np.ndarray, joints: np.ndarray, start: np.ndarray) -> SensorFrame:
    """A robot that lies still; its IMUs were zero at `start`, one is silent."""
    yaw = (link_headings(base, joints) - start + np.pi) % (2 * np.pi) - np.pi
    yaw[2] = np.nan
    still = np.zeros(joints.size)
    imu = ImuSample.planar(5, yaw, np.zeros(yaw.size), np.zeros((yaw.size, 2)))
    return SensorFrame(5, joints, still, still, None, imu, still, still)


def test_the_heading_counts_turns_and_bears_a_silent_imu() -> None:
    """Two whole turns to the left in steps of a third of a turn."""
    joints, bent = np.zeros(3), np.array([0.3, -0.5, 0.2])
    start = np.array([1.0, 2.0, 0.4])
    fusion = HeadingFusion(start, joints)
    for turn in np.linspace(0.4, 0.4 + 4 * np.pi, 7):
        fusion.update(frame_at(np.array([0, 0, turn]), bent, link_headings(start, joints)))
    assert fusion.heading == pytest.approx(0.4 + 4 * np.pi)


def test_joints_answer_in_a_run_as_the_law_says() -> None:
    """phi'' of the simulated robot against k_p (phi_ref - phi) - k_d phi'. What is left comes from
    the velocity of the base, which is estimated with first-order steps: some 1e-5 of it.
    """
    scenario = load_scenario("wang_free")
    at = prepare(scenario)
    controller, plant = build_controller(at), plant_from_experiment(at)
    plant.arm()
    p = scenario.controller.parameters
    largest = residual = 0.0
    for k in range(1000):
        frame = plant.read()
        output = controller.step(frame)
        if k % 50 == 49:
            reference = np.asarray(output.debug["reference_rad"])
            desired = p["kp"] * (reference - frame.position) - p["kd"] * frame.velocity
            plant.world.data.ctrl[:] = output.torque
            plant.world.refresh()
            residual = max(residual, np.abs(plant.world.data.qacc[3:] - desired).max())
            largest = max(largest, np.abs(desired).max())
        plant.write(output.torque)
    assert residual < 1e-3 * largest


def test_the_place_of_ideal_samples_is_the_true_one() -> None:
    at = prepare(load_scenario("wang_free"))
    controller, plant = build_controller(at), plant_from_experiment(at)
    plant.arm()
    for _ in range(800):
        output = controller.step(plant.read())
        truth = plant.truth()
        true = centre_of_mass(at.robot.link.pitch, truth.base, truth.joint_position)
        plant.write(output.torque)
    assert output.debug["position_m"] == pytest.approx(true, abs=1e-4)


def test_without_a_tracker_it_says_what_to_do() -> None:
    scenario = changed(load_scenario("wang_free"), {"plant.tracker": None})
    with pytest.raises(BoaError, match=r"no plant.tracker; add one, or .*dead_reckoning"):
        build_controller(prepare(scenario))


def steering(**settings: float) -> Steering:
    points = np.array([[1.0, 0.0], [1.0, 1.0]])
    goal = Targets(points, 0.1, 0.1, Guide(points))
    return Steering(goal, SteeringSettings(**{"filter": 0.0, **settings}), 0.002)


def test_offsets_turn_towards_the_aim_within_their_limit() -> None:
    """Positive offsets bend to the left."""
    aims = steering(gain=0.5, limit=0.5)
    assert aims.update(np.array([0.0, -1.0]), 0.0).value == pytest.approx(0.5 * np.pi / 4)
    assert aims.update(np.array([0.0, 1.0]), 0.0).value == pytest.approx(-0.5 * np.pi / 4)
    assert aims.update(np.array([1.0, -1.0]), 0.0).value == 0.5
    wound_up = aims.update(np.array([0.5, 0.0]), 6 * np.pi + 0.2).value
    assert wound_up == pytest.approx(-0.1), "headings that count turns are no errors"


def test_reached_targets_are_events_and_the_next_one_is_the_aim() -> None:
    aims = steering()
    aims.update(np.array([0.5, 0.0]), 0.0)
    assert aims.events == () and aims.aim == pytest.approx([1, 0])
    aims.update(np.array([0.95, 0.0]), 0.0)
    reached = Event(kind=EventKind.TARGET_REACHED, count=1)
    assert aims.events == (reached,) and aims.aim == pytest.approx([1, 1])


def test_the_filter_is_critically_damped() -> None:
    """A step after t: 1 - (1 + t / tau) exp(-t / tau)."""
    aims = steering(filter=0.5, gain=1.0, limit=0.2)
    for _ in range(500):
        offset = aims.update(np.array([1.0, -3.0]), 0.0)
    assert offset.value == pytest.approx(0.2 * (1 - 3 * np.exp(-2)), rel=0.01)
