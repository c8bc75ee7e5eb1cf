# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a run to the programme, and from its answer to a gait."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from boa_control.controllers import checked_parameters
from boa_control.controllers.gaits import joint_reference
from boa_control.controllers.joint_pd import JointPd
from boa_control.controllers.space_gaits import Sampled
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_tools.contact_implicit.motion import Motion
from boa_tools.contact_implicit.warm_start import gait_of, played, programme_near
from boa_tools.runs.runlog import RunLog

SCENARIO = load_scenario("cobra_fastest")
GAIT = gait_of(SCENARIO)
EXPERIMENT = prepare(SCENARIO)
PITCH = list(EXPERIMENT.robot.pitch_joints)
KNOTS = 40
SPEED = 0.3  # m/s


def recorded(last: float) -> RunLog:
    """A run that goes ahead with a rocking tail, heading to the left, in time with its gait."""
    time = np.arange(0.0, last, 0.002)
    turn = 2 * np.pi * GAIT.wave.frequency * time
    wave = GAIT.wave.motion(EXPERIMENT.robot.joints, PITCH)
    joints = np.array(
        [joint_reference(wave, each, np.zeros(EXPERIMENT.robot.joints)).position for each in time]
    )
    pitch = 0.2 * np.sin(turn)
    half, heading = 0.5 * pitch, 0.5 * np.pi
    # first about the axis to the left, then by 90 degrees about the vertical
    lean, turned = np.array([0.0 * half, np.sin(half), 0.0 * half, np.cos(half)]), np.sqrt(0.5)
    quaternion = turned * np.array(
        [lean[0] - lean[1], lean[1] + lean[0], lean[2] + lean[3], lean[3] - lean[2]]
    )
    place = np.array([0.0 * time, SPEED * time, 0.3 + 0.1 * np.cos(turn)])
    base = np.column_stack((place[0], place[1], np.full(time.size, heading)))
    pose = np.vstack((place, quaternion)).T
    truth = SimpleNamespace(pose=pose, base=base, joint_position=joints)
    return cast(RunLog, SimpleNamespace(time=time, applied=joints, truth=truth))


def test_a_period_of_the_run_is_where_the_search_begins() -> None:
    programme, motion = programme_near(recorded(10.0), EXPERIMENT, GAIT, KNOTS)
    assert programme.task.distance == pytest.approx(SPEED * GAIT.period, rel=1e-3)
    turn = 2 * np.pi * np.arange(1, KNOTS + 1) / KNOTS
    np.testing.assert_allclose(motion.theta[:, 0], 0.2 * np.sin(turn), atol=1e-4)
    tail = motion.z[:, 0] + 0.07 * np.sin(motion.theta[:, 0])
    np.testing.assert_allclose(tail, 0.3 + 0.1 * np.cos(turn), atol=1e-4)
    # ends of neighbouring bodies meet: rows 3 B to 5 B - 2 of every knot
    values = programme.constraints(programme.vector(motion)).reshape(KNOTS, -1)
    bodies = programme.chain.bodies
    np.testing.assert_allclose(values[:, 3 * bodies : 5 * bodies - 2], 0.0, atol=1e-4)


def test_another_way_is_asked_for() -> None:
    programme, _ = programme_near(recorded(10.0), EXPERIMENT, GAIT, KNOTS, way=0.7)
    assert programme.task.distance == 0.7


def smooth(width: int, seed: int) -> Array:
    """Periodic rows with three harmonics."""
    turn = 2 * np.pi * np.arange(KNOTS)[:, None] / KNOTS
    weights = np.random.default_rng(seed).normal(0.0, 1.0, (3, 2, width))
    return sum(
        (a * np.cos(k * turn) + b * np.sin(k * turn) for k, (a, b) in enumerate(weights, 1)),
        start=np.zeros((KNOTS, width)),
    )


def test_the_controller_commands_the_efforts_while_the_robot_follows_the_motion() -> None:
    """Row k of a motion is at time (k + 1) h, and effort k belongs to the step that begins at k h.
    A spline through 40 points has the rate of the third harmonic within 1e-3 of it.
    """
    theta, effort = 0.1 * smooth(7, 1), smooth(6, 2)
    _, start = programme_near(recorded(10.0), EXPERIMENT, GAIT, KNOTS)
    parts: list[Any] = [*start.parts]
    parts[2], parts[5] = theta, effort
    answer = played(SCENARIO, GAIT, Motion(*parts))
    parameters = checked_parameters(answer.controller.name, answer.controller.parameters)
    assert isinstance(parameters, JointPd.Parameters) and isinstance(parameters.gait, Sampled)
    angles = np.roll(np.diff(theta, axis=1), 1, axis=0)
    actual = Sampled(frequency=GAIT.wave.frequency, angles=tuple(map(tuple, angles)))
    reference, followed = (
        gait.motion(EXPERIMENT.robot.joints, PITCH) for gait in (parameters.gait, actual)
    )
    for knot in range(KNOTS):
        time = knot * GAIT.period / KNOTS
        torque = parameters.kp * (reference.at(time) - followed.at(time))
        torque += parameters.kd * (reference.at(time, 1) - followed.at(time, 1))
        np.testing.assert_allclose(torque[PITCH], effort[knot], atol=2e-2)


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        ("boa_circle", "no vertical wave"),
        ("cobra_sidewinding", "no vertical wave"),
        ("cobra_step", "no vertical wave|scene.terrain"),
    ],
)
def test_scenarios_without_a_vertical_wave_on_a_flat_floor_are_refused(
    scenario: str, message: str
) -> None:
    with pytest.raises(BoaError, match=message):
        gait_of(load_scenario(scenario))


def test_short_runs_and_few_knots_are_refused() -> None:
    with pytest.raises(BoaError, match="raise duration"):
        programme_near(recorded(4.0), EXPERIMENT, GAIT, KNOTS)
    with pytest.raises(BoaError, match="at least 8"):
        programme_near(recorded(10.0), EXPERIMENT, GAIT, 7)
