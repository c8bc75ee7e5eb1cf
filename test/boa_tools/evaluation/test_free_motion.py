# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Metrics without a path, on made-up motion of the centre of mass."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.free_motion import EVERY, FreeMotion
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import run_experiment

TIME = EVERY * np.arange(2001)


def motion(centre: np.ndarray, offset: np.ndarray | None = None) -> FreeMotion:
    beside = np.full(len(centre), np.nan) if offset is None else offset
    tick = np.arange(len(centre))
    return FreeMotion(tick, TIME[: len(centre)], centre, beside, None, np.zeros(0), False)


def test_way_and_displacement_of_a_quarter_circle() -> None:
    angle = np.pi / 2 * TIME / TIME[-1]
    free = motion(2 * np.column_stack((np.cos(angle), np.sin(angle))))
    assert free.travelled == pytest.approx(np.pi, rel=1e-5)
    assert free.displacement == pytest.approx(2 * np.sqrt(2))


def test_a_sharp_turn_is_one_kink_and_a_smooth_one_is_none() -> None:
    """0.1 m/s along x, then 25 deg to the left; and a circle of 0.5 m at the same speed, which
    turns by 0.6 deg in 50 ms.
    """
    way = 0.1 * TIME
    turn = np.radians(25)
    late = np.maximum(way - 1.0, 0.0)
    sharp = np.column_stack((np.minimum(way, 1.0) + np.cos(turn) * late, np.sin(turn) * late))
    kinks = motion(sharp).kinks()
    assert kinks[kinks > np.radians(1)] == pytest.approx([turn], rel=1e-6)
    smooth = 0.5 * np.column_stack((np.cos(way / 0.5), np.sin(way / 0.5)))
    assert motion(smooth).kinks().max(initial=0) == pytest.approx(0.01, rel=0.05)


def test_a_robot_that_stands_has_no_direction() -> None:
    shaking = 1e-5 * np.random.default_rng(0).standard_normal((500, 2)).cumsum(axis=0) * 0.1
    assert not motion(shaking).kinks().size


def test_the_longest_standstill() -> None:
    """5 s of travel at 0.1 m/s, 8 s of rest, travel again."""
    way = np.where(TIME < 5, 0.1 * TIME, np.maximum(0.5, 0.5 + 0.1 * (TIME - 13)))
    free = motion(np.column_stack((way, 0 * way)))
    # the last 0.05 m before the rest and the first after it are within the step as well
    assert free.longest_standstill() == pytest.approx(8.0, abs=1.01)
    assert free.longest_standstill() >= 8.0


def test_the_swing_of_a_gait_is_averaged_out() -> None:
    """A swing of 0.1 m with a period of 2 s around 0.03 m."""
    offset = 0.03 + 0.1 * np.sin(np.pi * TIME)
    smooth = motion(np.zeros((2001, 2)), offset).smooth_offset()
    assert smooth[300:-300] == pytest.approx(0.03, abs=1e-6)
    assert np.isnan(smooth[:299]).all() and np.isnan(smooth[-299:]).all()


def test_a_run_of_a_few_ticks_has_metrics() -> None:
    """Five ticks of 2 ms: too short for a motion, and said to be without one."""
    scenario = load_scenario("wang_free").model_copy(update={"duration": 0.01})
    experiment = prepare(scenario)
    log = run_experiment(experiment, 0).log
    assert log.ticks == 5 and Analysis(log, experiment).free is None
    values = metrics(Analysis(log, experiment))
    assert not values["completed"] and values["extra"]["cross_track_late_m"] is None
    assert values["extra"]["position_from"] == "tracker"


def test_what_tells_the_place_is_asked_of_the_controller() -> None:
    """`feeling` reckons its place unless told otherwise, `wang_free` has a tracker."""
    scenario = load_scenario("boa_blind_field").model_copy(update={"duration": 0.025})
    experiment = prepare(scenario)
    log = run_experiment(experiment, 0).log
    assert metrics(Analysis(log, experiment))["extra"]["position_from"] == "dead_reckoning"
