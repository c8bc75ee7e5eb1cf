# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaits in space: their motion against its own derivatives and against each other, and which way
they drive COBRA (simulated).
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controllers.common import check_gait
from boa_control.controllers.gaits import JointReference, joint_reference, ramped
from boa_control.controllers.joint_pd import pd_torque
from boa_control.controllers.space_gaits import (
    QUARTER,
    Rolling,
    Sampled,
    Sidewinding,
    SpaceGait,
    VerticalWave,
)
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.plant import pose_of
from boa_description.errors import BoaError
from boa_description.link_frames import centre_in_space
from boa_description.load import load_robot
from boa_description.scene import ContactModel
from boa_sim.engines.mujoco.spatial import SpatialMujocoWorld
from boa_sim.world import Physics
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import run_experiment

COBRA = load_robot("cobra12")
PITCH = COBRA.pitch_joints
YAW = tuple(index for index in range(COBRA.joints) if index not in PITCH)
STRAIGHT = np.zeros(COBRA.joints)
SOFT = ContactModel(solref=(0.01, 1.0), solimp=(0.9, 0.95, 0.001), friction=0.5)
GAITS: list[SpaceGait] = [
    VerticalWave(amplitude=(1.0, 1.1, 1.2, 1.1, 1.0, 0.9), phase=(1.2, 1.3, 1.4, 1.5, 1.6)),
    Sidewinding(turn=0.1),
    Rolling(towards="right"),
]
ROWS = tuple(map(tuple, np.random.default_rng(0).normal(0.0, 0.5, (12, len(PITCH)))))


def sampled(gait: VerticalWave, rows: int) -> Sampled:
    """A wave given by its angles at instants of one period."""
    times = np.arange(rows) / rows / gait.frequency
    motion = [angles(gait, time)[list(PITCH)] for time in times]
    return Sampled(frequency=gait.frequency, angles=tuple(map(tuple, motion)))


def reference_of(gait: SpaceGait, time: float) -> JointReference:
    return joint_reference(gait.motion(COBRA.joints, PITCH), time, STRAIGHT)


def angles(gait: SpaceGait, time: float) -> np.ndarray:
    return reference_of(gait, time).position


def test_a_wave_by_its_samples_is_the_wave() -> None:
    """A cubic spline through 24 points of a sine of 1.2 rad errs by h^4 / 384 of its fourth
    derivative: 1.5e-5 rad. It passes the points themselves exactly, and is periodic.
    """
    wave = VerticalWave(amplitude=1.2, phase=1.3, frequency=0.5)
    gait = sampled(wave, 24)
    for time in (0.0, 0.25, 0.3, 1.97, 2.3):
        np.testing.assert_allclose(angles(gait, time), angles(wave, time), atol=2e-5)
    for row, values in enumerate(ROWS):
        time = row / len(ROWS) / 0.5
        rough = Sampled(frequency=0.5, angles=ROWS)
        np.testing.assert_allclose(angles(rough, time)[list(PITCH)], values, atol=1e-12)
        np.testing.assert_allclose(angles(rough, time), angles(rough, time + 4.0), atol=1e-12)
        assert not angles(rough, time)[list(YAW)].any()


@given(time=st.floats(0, 20), gait=st.sampled_from(GAITS))
def test_rates_are_derivatives(time: float, gait: SpaceGait) -> None:
    step = 1e-5
    before, now, after = (reference_of(gait, time + shift) for shift in (-step, 0.0, step))
    rate = (after.position - before.position) / (2 * step)
    np.testing.assert_allclose(now.velocity, rate, atol=1e-6)
    bend = (after.velocity - before.velocity) / (2 * step)
    np.testing.assert_allclose(now.acceleration, bend, atol=1e-6)


def test_the_family_closes() -> None:
    """Without bend, sidewinding is the vertical wave; without phase along the body, rolling."""
    flat = Sidewinding(lift=0.7, bend=0.0, phase=1.3)
    wave = VerticalWave(amplitude=0.7, phase=1.3)
    stiff = Sidewinding(lift=0.4, bend=0.4, phase=0.0, between=-QUARTER)
    roll = Rolling(amplitude=0.4)
    for time in (0.0, 0.3, 1.7):
        np.testing.assert_allclose(angles(flat, time), angles(wave, time), atol=1e-12)
        np.testing.assert_allclose(angles(stiff, time), angles(roll, time), atol=1e-12)


def test_the_two_waves_of_sidewinding_run_from_tail_to_head_at_one_speed() -> None:
    """A yaw joint does a quarter of a period earlier what the pitch joint behind it does, but for
    half the phase by which it lies further ahead.
    """
    gait = Sidewinding(lift=0.5, bend=0.5, phase=1.0, frequency=0.5)
    rate = 2 * np.pi * gait.frequency
    for time in (0.4, 2.0):
        ahead = angles(gait, time + 1.0 / rate)
        np.testing.assert_allclose(ahead[2:], angles(gait, time)[:-2], atol=1e-12)
        shifted = angles(gait, time + (0.5 - QUARTER) / rate)
        np.testing.assert_allclose(shifted[list(YAW)], angles(gait, time)[list(PITCH[:-1])])


def test_the_other_side_mirrors_the_yaw_joints() -> None:
    for left, right in (
        (Rolling(), Rolling(towards="right")),
        (Sidewinding(turn=0.1), Sidewinding(turn=-0.1, between=-QUARTER)),
    ):
        one, other = angles(left, 0.7), angles(right, 0.7)
        np.testing.assert_allclose(one[list(PITCH)], other[list(PITCH)])
        np.testing.assert_allclose(one[list(YAW)], -other[list(YAW)], atol=1e-12)


@pytest.mark.parametrize(
    ("gait", "robot", "message"),
    [
        (VerticalWave(amplitude=(1.0, 1.0)), "cobra12", "2 values of amplitude given for 6 pitch"),
        (VerticalWave(phase=(1.0,) * 6), "cobra12", "6 values of phase .* give one or 5"),
        (Sampled(angles=((0.1,) * 5,) * 4), "cobra12", "5 values of angles .* joints; give 6"),
        (Sidewinding(), "boa13", "sidewinding needs joints that lift"),
        (Rolling(), "boa13", "rolling needs joints that lift"),
    ],
)
def test_gaits_of_other_robots_are_refused(gait: SpaceGait, robot: str, message: str) -> None:
    with pytest.raises(BoaError, match=message):
        check_gait(gait, load_robot(robot), "here")


def slopes(gait: SpaceGait, time: float) -> np.ndarray:
    """Slopes of the links (n,) against their mean, which is the body's direction, rad."""
    joints = np.zeros(COBRA.joints)
    joints[list(PITCH)] = angles(gait, time)[list(PITCH)]
    slope = np.concatenate(([0.0], np.cumsum(joints)))
    return slope - slope.mean()


@pytest.mark.closed_loop
@pytest.mark.parametrize(("amplitude", "frequency"), [(1.0472, 0.55), (1.2, 0.5)])
def test_a_wave_travels_as_the_closed_form_says_on_a_floor_that_bears_the_weight(
    amplitude: float, frequency: float
) -> None:
    """V = f sum l (1 - cos slope) within 20 % over two whole periods on soft contact, where nothing
    is cut; the floor's mean force is the weight within 0.5 %.
    """
    gait = VerticalWave(amplitude=amplitude, frequency=frequency, phase=1.53)
    world = SpatialMujocoWorld(COBRA, physics=Physics(contact=SOFT, step=0.002))
    begin, end = (round(time / 0.002) for time in (1.5, 1.5 + 2 / frequency))
    places, loads, demand = [], [], 0.0
    for tick in range(end):
        time = 0.002 * tick
        reference = ramped(reference_of(gait, time), STRAIGHT, time, 1.0)
        error = reference.position - world.joint_position
        rate = reference.velocity - world.joint_velocity
        torque = pd_torque(11.6, 1.48, error, rate)
        demand = max(demand, float(np.abs(torque).max()))
        world.advance(torque)
        if tick >= begin:
            world.refresh()
            truth = world.truth(0)
            places.append(centre_in_space(COBRA, pose_of(truth), truth.joint_position)[0])
            loads.append(sum(contact.force[2] for contact in truth.contacts))
    assert demand < COBRA.limits.torque
    speed = (places[-1] - places[0]) / (0.002 * (len(places) - 1))
    times = np.linspace(0.0, 1.0 / frequency, 50, endpoint=False)
    lost = np.mean([(1.0 - np.cos(slopes(gait, time))).sum() for time in times])
    assert speed == pytest.approx(frequency * COBRA.link.pitch * lost, rel=0.2)
    assert np.mean(loads) == pytest.approx(9.81 * COBRA.mass, rel=0.005)


def travelled(gait: dict, seconds: float) -> tuple[np.ndarray, dict]:
    """Way of COBRA's centre of mass (2,), m, under a gait, and the metrics of the run."""
    given = load_scenario("cobra_vertical").model_dump()
    given["duration"] = seconds
    given["controller"]["parameters"] |= {"kp": 20.0, "kd": 1.5, "gait": gait}
    experiment = prepare(Scenario.model_validate(given))
    analysis = Analysis(run_experiment(experiment).log, experiment)
    assert analysis.free is not None
    return analysis.free.centre[-1] - analysis.free.centre[0], metrics(analysis)


@pytest.mark.closed_loop
@pytest.mark.parametrize(("towards", "sign"), [("left", 1), ("right", -1)])
def test_rolling_goes_to_the_side_it_is_told(towards: str, sign: int) -> None:
    way, found = travelled({"kind": "rolling", "amplitude": 0.3, "towards": towards}, 4.0)
    assert sign * way[1] > 0.3
    assert abs(way[0]) < 0.1
    assert found["extra"]["displacement_m"] == pytest.approx(np.hypot(*way))


@pytest.mark.closed_loop
@pytest.mark.parametrize("ahead", [1, -1])
def test_sidewinding_goes_to_the_left_and_against_its_waves(ahead: int) -> None:
    way, found = travelled({"kind": "sidewinding", "phase": -ahead * 1.0}, 4.0)
    assert way[1] > 0.5
    assert ahead * way[0] > 0.3
    assert found["gate_trips"] == 0
    assert found["extra"]["torque_demand_peak_nm"] < 9.8
