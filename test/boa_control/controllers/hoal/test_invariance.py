# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The same scene elsewhere, turned or mirrored: the whole closed loop, plant and controller, does
the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.paths.construct import build_path
from boa_description.arrays import Array
from boa_tools.runs.drive import run_experiment
from test.boa_control.controllers.hoal.robot_rate import at_robot_rate

pytestmark = pytest.mark.closed_loop

DURATION = 1.5  # s: start, taking hold, and the first movement


def joint_angles_and_torques(name: str, progress: float, **path: Any) -> tuple[Array, Array]:
    scenario = load_scenario(name).model_dump()
    scenario["duration"], scenario["distance"] = DURATION, None
    scenario["initial"]["progress"] = progress
    scenario["path"].update(path)
    scenario["controller"]["parameters"]["acceleration"] = 1.0
    log = run_experiment(prepare(at_robot_rate(Scenario.model_validate(scenario))), seed=0).log
    assert log.truth is not None
    return log.truth.joint_position, log.applied


def test_a_turned_scene() -> None:
    """Starting one period of the posts further along the circle is the same scene, turned by 60
    degrees.
    """
    experiment = prepare(load_scenario("boa_circle"))
    assert experiment.path is not None and experiment.path.curve.repeat is not None
    period = 2 * experiment.path.curve.repeat.length  # LRRL takes two repeats
    here, there = (joint_angles_and_torques("boa_circle", 0.3 + shift) for shift in (0.0, period))
    np.testing.assert_allclose(here[0], there[0], atol=1e-6)
    np.testing.assert_allclose(here[1], there[1], atol=1e-3)


def test_a_moved_scene_and_a_mirrored_one() -> None:
    """On the straight path two periods further is the scene moved; one cell further, sides changed,
    is its mirror.
    """
    scenario = load_scenario("boa_straight")
    assert scenario.path is not None
    repeat = build_path(scenario.path, prepare(scenario).robot).curve.repeat
    assert repeat is not None
    here = joint_angles_and_torques("boa_straight", 2.0)
    moved = joint_angles_and_torques("boa_straight", 2.0 + 2 * repeat.length)
    mirrored = joint_angles_and_torques("boa_straight", 2.0 + repeat.length / 2, sides="RRLL")
    assert np.abs(here[0]).max() > 0.3 and np.abs(here[1]).max() > 0.3
    np.testing.assert_allclose(here[0], moved[0], atol=1e-6)
    np.testing.assert_allclose(here[0], -mirrored[0], atol=1e-6)
    np.testing.assert_allclose(here[1], -mirrored[1], atol=1e-3)
