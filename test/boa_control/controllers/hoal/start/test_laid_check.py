# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot that lies elsewhere than its run begins gets no torque; one that lies there does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.start.laid_check import LaidCheck
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.events import EventKind, Refused
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.reference import ReferenceTable
from boa_control.safety.ended import Reason
from boa_description.arrays import Array
from boa_description.placement import place_on_curve
from boa_sim.factory import plant_from_experiment
from boa_tools.runs.drive import run_experiment

EXPERIMENT = prepare(load_scenario("boa_datasheet"))
ROBOT, START = EXPERIMENT.robot, EXPERIMENT.start_progress or 0.0
assert EXPERIMENT.path is not None
REFERENCE = ReferenceTable(EXPERIMENT.path.curve, ROBOT.links, ROBOT.link.pitch)
SHAPE = EXPERIMENT.start_joints
WAY, LIMIT = SHIPPED.start.laid_way, SHIPPED.supervision.stop_shape


def check(map_error: float = 0.0) -> LaidCheck:
    return LaidCheck(ROBOT, REFERENCE, START, Parameters(map_error=map_error))


def off(rms: float, seed: int = 400) -> Array:
    """Angles that are off the shape of the start by `rms`, rad, each joint otherwise; such that no
    place nearby fits better.
    """
    along = REFERENCE.at(START).dphi
    direction = np.random.default_rng(seed).standard_normal(ROBOT.joints)
    direction -= direction @ along / (along @ along) * along
    return SHAPE + rms * direction / np.sqrt(np.mean(direction**2))


def judged(position: Array, samples: int = 1, map_error: float = 0.0) -> bool:
    laid = check(map_error)
    for _ in range(samples):
        laid.judge(0, position, acted=False)
    return laid.refused


@pytest.mark.closed_loop
def test_a_robot_that_has_travelled_is_not_armed_anew() -> None:
    """As it lay after a launch of 0.95 m: pressed there, a joint was loaded by 82 N."""
    assert EXPERIMENT.path is not None
    base, joints = place_on_curve(
        EXPERIMENT.path.curve, ROBOT.links, ROBOT.link.pitch, START + 0.9462, ROBOT.links // 2
    )
    result = run_experiment(replace(EXPERIMENT, start_base=base, start_joints=joints))
    assert result.ended.reason is Reason.REFUSED
    (event,) = (e.event for e in result.log.events if e.event.kind is EventKind.START_REFUSED)
    worst = int(np.abs(joints - SHAPE).argmax())
    now, then = np.degrees([joints[worst], SHAPE[worst]])
    assert event.reason == Refused.LAID_ELSEWHERE and event.note is not None
    told = (
        f"{ROBOT.joint_names[worst]} is at {now:.0f} deg, where the scenario begins at {then:.0f}"
    )
    assert told in event.note
    assert not result.log.commanded.any()


@given(st.floats(-WAY, WAY))
def test_a_robot_may_lie_a_little_further_along_its_path(way: float) -> None:
    assert not judged(REFERENCE.at(START + way).phi, samples=30)


@given(st.floats(0.08, REFERENCE.span - 0.08))
def test_no_further_place_of_the_path_is_taken_for_the_start(way: float) -> None:
    """From 0.1 m on it costs; shapes of this path differ by more than the limit from 0.05 m on."""
    assert judged(REFERENCE.at(START + way).phi, samples=30)


@given(st.integers(0, 99))
def test_joints_may_be_off_up_to_the_limit(seed: int) -> None:
    """The mean of 25 samples is allowed 6 % more, for noise; a single one twice as much."""
    assert not judged(off(LIMIT, seed), samples=30)
    assert judged(off(1.2 * LIMIT, seed), samples=30)
    assert judged(off(2.3 * LIMIT, seed))


@pytest.mark.parametrize("name", ["boa_noise", "boa_moved_40mm"])
def test_noise_and_posts_off_their_places_are_no_reason(name: str) -> None:
    """With 10 % of noise single samples are 0.08 rad off; posts that stand 40 mm off the map bend
    the body as far as 0.14 rad.
    """
    experiment = prepare(load_scenario(name))
    assert experiment.path is not None and experiment.start_progress is not None
    parameters = Parameters.model_validate(experiment.scenario.controller.parameters)
    reference = ReferenceTable(experiment.path.curve, ROBOT.links, ROBOT.link.pitch)
    for seed in range(400, 405):
        laid = LaidCheck(ROBOT, reference, experiment.start_progress, parameters)
        plant = plant_from_experiment(experiment, seed)
        for _ in range(30):
            frame = plant.read()
            laid.judge(frame.stamp_ns, frame.position, acted=False)
            plant.write(np.zeros(ROBOT.joints))
        plant.close()
        assert not laid.refused


def test_somebody_who_lays_the_robot_is_told_how_it_lies_every_second() -> None:
    laid, told = check(), []
    for tick in range(500):
        told += laid.judge(tick * 5_000_000, off(0.5), acted=False)
    assert len(told) == 3 and laid.refused
    for tick in range(500, 600):
        assert not laid.judge(tick * 5_000_000, SHAPE, acted=False)
    assert not laid.refused


def test_once_torque_has_acted_a_refusal_stays_until_the_run_begins_anew() -> None:
    laid = check()
    for tick in range(25):
        laid.judge(0, off(0.5), acted=tick > 0)
    assert not laid.judge(0, SHAPE, acted=True) and laid.refused
    laid.reset()
    assert not laid.judge(0, SHAPE, acted=False) and not laid.refused


def test_a_robot_that_is_moved_before_it_is_armed_is_noticed() -> None:
    laid = check()
    for _ in range(100):
        laid.judge(0, SHAPE, acted=False)
    for _ in range(25):
        laid.judge(0, off(0.5), acted=False)
    assert laid.refused


def test_one_that_is_under_way_is_compared_no_more() -> None:
    """Nor one that takes over from the controller of another path, of which torque has acted."""
    fresh = check()
    assert not fresh.judge(0, off(0.5), acted=True) and not fresh.refused
    held = check()
    for tick in range(25):
        held.judge(0, SHAPE, acted=tick > 0)
    assert not held.judge(0, off(0.5), acted=True) and not held.refused
