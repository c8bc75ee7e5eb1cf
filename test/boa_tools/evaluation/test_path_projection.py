# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Projection on a path against brute force, and over laps."""

from __future__ import annotations

import numpy as np
import pytest
from run_fakes import path_experiment
from scipy.optimize import minimize_scalar

from boa_tools.evaluation.path_projection import PathTracker, project


@pytest.fixture(scope="module")
def curve():
    return path_experiment().path.curve


def beside(curve, s, offset):
    heading = curve.heading(s)
    return curve.position(s) + offset[:, None] * np.column_stack(
        (-np.sin(heading), np.cos(heading))
    )


def test_points_beside_the_path_are_found_where_they_were_put(curve):
    s = np.arange(0.0, 2.5 * curve.length, 0.0007)
    offset = 0.02 * np.sin(3 * s)
    found = project(curve, beside(curve, s, offset), guess=0.1)
    assert np.abs(found.s - s).max() < 1e-9
    assert np.abs(found.offset - offset).max() < 1e-9


def test_laps_are_counted(curve):
    s = np.arange(0.0, 3 * curve.length, 0.003)
    assert project(curve, curve.position(s), 0.0).s[-1] == pytest.approx(s[-1], abs=1e-9)


def test_the_foot_point_is_the_nearest_point(curve):
    generator = np.random.default_rng(3)
    for s in generator.uniform(0, curve.length, 20):
        point = curve.position(np.array([s]))[0] + generator.normal(0, 0.01, 2)
        found = project(curve, point[None], s)

        def distance(x, point=point):
            return float(np.linalg.norm(curve.position(np.array([x]))[0] - point))

        nearest = minimize_scalar(
            distance, bounds=(s - 0.05, s + 0.05), method="bounded", options={"xatol": 1e-10}
        )
        assert abs(found.offset[0]) == pytest.approx(nearest.fun, abs=1e-7)


def test_backwards_works_too(curve):
    s = np.arange(1.0, -1.0, -0.002)
    assert np.abs(project(curve, curve.position(s), 1.0).s - s).max() < 1e-9


def test_an_open_path_goes_on_beyond_its_ends():
    experiment = path_experiment(
        path={"kind": "straight", "spacing": 0.31, "attack_angle": 0.436, "half_line": 0.13}
    )
    curve = experiment.path.curve
    s = np.arange(-0.05, 0.3, 0.001)
    assert np.abs(project(curve, curve.position(s), 0.0).s - s).max() < 1e-9


def test_the_tracker_follows_a_moving_point(curve):
    tracker = PathTracker(curve, 0.2)
    for s in np.arange(0.0, 1.2 * curve.length, 0.02):
        assert tracker.update(curve.position(np.array([s]))[0]) == pytest.approx(s, abs=0.0011)


def test_nothing_to_project():
    assert project(path_experiment().path.curve, np.zeros((0, 2)), 0.0).s.size == 0
