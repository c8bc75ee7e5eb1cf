# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far a robot has come, for the live view."""

from __future__ import annotations

import numpy as np
import pytest
from run_fakes import path_experiment

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.link_frames import start_pose
from boa_tools.view.travel import WINDOW, travel_of


def test_in_the_plane_it_is_what_the_controller_says() -> None:
    travel = travel_of(path_experiment())
    said = {"progress_m": 0.3, "progress_rate_mps": 0.1}
    assert travel.update(1.0, travel.start_base, np.zeros(12), said) == (0.3, 0.1)
    assert travel.update(1.0, travel.start_base, np.zeros(12), {}) == (None, None)


def test_in_space_it_is_the_way_along_the_heading_at_the_start() -> None:
    """A robot that is carried at 0.2 m/s, 60 degrees off the heading of its start: half of that
    counts. A time that goes back is a new run.
    """
    rest = load_scenario("cobra_vertical")
    initial = rest.initial.model_copy(update={"base": (0.3, -0.1, 0.5)})
    experiment = prepare(rest.model_copy(update={"initial": initial}))
    travel = travel_of(experiment)
    joints = experiment.start_joints
    direction = np.array([np.cos(0.5 + np.pi / 3), np.sin(0.5 + np.pi / 3)])
    for time in np.arange(0.0, 3 * WINDOW, 0.1):
        base = start_pose(experiment.robot, experiment.start_base)
        base[:2] += 0.2 * time * direction
        way, speed = travel.update(float(time), base, joints, {})
        assert way == pytest.approx(0.1 * time, abs=1e-12)
        assert speed is None if time == 0 else speed == pytest.approx(0.1)
    assert travel.update(0.0, travel.start_base, joints, {}) == (pytest.approx(0.0), None)
