# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The progress observer on a chain that really moves along its path."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.estimation.progress import ProgressObserver, require_visible_progress, straightest
from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.model.reference import ReferenceTable
from boa_control.paths.construct import build_path
from boa_control.paths.settings import WaypointPath
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.robot import Robot
from test.boa_control.circle import circle

PERIOD, SPEED = 0.002, 0.1


@pytest.fixture(scope="module")
def table() -> ReferenceTable:
    robot = load_robot("boa13")
    path = circle()
    return ReferenceTable(build_path(path, robot).curve, robot.links, robot.link.pitch)


def follow(
    table: ReferenceTable, observer: ProgressObserver, start: float, ticks: int, noise: float
) -> np.ndarray:
    """Errors of s while the true chain moves at SPEED from `start`, shape (ticks,), m."""
    rng, errors = np.random.default_rng(3), np.empty(ticks)
    for k in range(ticks):
        s = start + SPEED * PERIOD * (k + 1)
        true = table.at(s)
        phi = true.phi + noise * rng.standard_normal(true.phi.size)
        rate = true.dphi * SPEED + noise * rng.standard_normal(true.phi.size)
        believed = table.at(observer.predict())
        errors[k] = observer.correct(phi, rate, believed.phi, believed.dphi).s - s
    return errors


def test_follows_exact_joint_angles(table: ReferenceTable) -> None:
    errors = follow(table, ProgressObserver(0.3, PERIOD), 0.3, 1000, 0.0)
    assert np.abs(errors).max() < 2e-5
    assert np.abs(errors[-1]) < 1e-6


def test_recovers_from_a_wrong_start(table: ReferenceTable) -> None:
    errors = follow(table, ProgressObserver(0.32, PERIOD), 0.3, 200, 0.0)
    assert np.abs(errors[-1]) < 1e-5


def test_bandwidth_averages_noise(table: ReferenceTable) -> None:
    raw = follow(table, ProgressObserver(0.3, PERIOD), 0.3, 2000, 0.05)[500:]
    smooth = follow(table, ProgressObserver(0.3, PERIOD, bandwidth=10.0), 0.3, 2000, 0.05)[500:]
    assert np.std(smooth) < 0.3 * np.std(raw)
    assert abs(np.mean(smooth)) < 3e-4


def test_a_motion_off_the_path_is_seen_as_residual_not_as_progress(table: ReferenceTable) -> None:
    observer = ProgressObserver(0.3, PERIOD)
    at = table.at(0.3)
    across = np.random.default_rng(0).standard_normal(at.phi.size)
    across -= at.dphi * (across @ at.dphi) / (at.dphi @ at.dphi)
    progress = observer.correct(at.phi + 0.01 * across, np.zeros(at.phi.size), at.phi, at.dphi)
    assert progress.s == pytest.approx(0.3, abs=1e-12)
    assert progress.residual == pytest.approx(0.01 * np.sqrt(np.mean(across**2)))


def bent_once(robot: Robot) -> ReferenceTable:
    """A straight that is longer than the robot and ends in a bend."""
    points = (*((0.3 * k, 0.0) for k in range(11)), (3.4, 0.2), (3.7, 0.6), (4.1, 0.9))
    return ReferenceTable(
        build_path(WaypointPath(kind="waypoints", points=points, minimum_radius=0.2), robot).curve,
        robot.links,
        robot.link.pitch,
    )


def test_a_straight_as_long_as_the_robot_is_refused_and_its_place_is_named() -> None:
    robot = load_robot("boa13")
    path = bent_once(robot)
    place = straightest(path)
    around = path.curve.curvature(
        np.linspace(place.s - robot.length / 2, place.s + robot.length / 2, 50)
    )
    assert np.abs(around).max() < 0.01  # 1/m; there the whole robot lies on the straight
    with pytest.raises(
        BoaError, match=r"rad/m at s = .* m, at least 0.5 rad/m are needed; let the path bend"
    ):
        require_visible_progress(path)


def test_the_straightest_shipped_path_shows_progress() -> None:
    chosen = prepare(load_scenario("hoal_test_5"))  # bends of 0.7 m and more
    assert chosen.path is not None
    require_visible_progress(
        ReferenceTable(chosen.path.curve, chosen.robot.links, chosen.robot.link.pitch)
    )


@pytest.mark.parametrize("controller", ["hoal", "path_pd"])
def test_controllers_refuse_a_straight_path_when_they_start(controller: str) -> None:
    points = tuple((0.3 * k, 0.0) for k in range(9))
    straight = Scenario.model_validate(
        {
            "name": "straight",
            "summary": "",
            "path": {"kind": "waypoints", "points": points, "minimum_radius": 0.2},
            "controller": {"name": controller},
            "duration": 1.0,
        }
    )
    with pytest.raises(BoaError, match="joint angles do not show where on its path the robot is"):
        build_controller(prepare(straight))
