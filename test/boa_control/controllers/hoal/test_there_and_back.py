# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Back the way it came: the closed loop forwards, backwards and standing, steered by set-points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from boa_control.controller import SetPoint
from boa_control.controllers.hoal.controller import HoalController
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.experiments.build import briefing, build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.model.reference import ReferenceTable
from boa_control.paths.construct import build_path
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_sim.factory import plant_from_experiment
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import run_experiment
from boa_tools.runs.runlog import RunLog
from test.boa_control.controllers.hoal.robot_rate import at_robot_rate


def steered(
    name: str,
    duration: float,
    plan: Sequence[tuple[float, float]],
    settle: float = 1.5,
    progress: float | None = None,
    path: dict[str, Any] | None = None,
    **parameters: float,
) -> Scenario:
    scenario = load_scenario(name).model_dump()
    scenario |= {"duration": duration, "distance": None}
    scenario["set_points"] = [{"time": time, "speed": speed} for time, speed in plan]
    scenario["initial"]["progress"] = progress
    scenario["evaluation"]["settle"] = settle
    scenario["path"].update(path or {})
    scenario["controller"]["parameters"].update(parameters)
    return at_robot_rate(Scenario.model_validate(scenario))


def run(scenario: Scenario) -> tuple[RunLog, dict[str, Any]]:
    experiment = prepare(scenario)
    log = run_experiment(experiment, seed=0).log
    return log, metrics(Analysis(log, experiment))


def gained(log: RunLog, where: str) -> list[str]:
    """Events of contacts gained at the link whose name `where` ends with."""
    texts = [event.text for event in log.events]
    return [text for text in texts if text.startswith("gain") and text.endswith(where)]


@pytest.mark.closed_loop
@pytest.mark.parametrize(
    ("name", "head", "torque", "joint_force", "force_error"),
    [("boa_circle", 3e-4, 3.0, 12.0, 0.05), ("boa_friction_010", 1.5e-3, 6.4, 28.0, 0.02)],
)
def test_the_posts_hold_it_backwards_as_forwards(
    name: str, head: float, torque: float, joint_force: float, force_error: float
) -> None:
    log, values = run(steered(name, 5.0, [(2.2, -0.15)], 2.2, speed=0.15, acceleration=0.3))
    extra = values["extra"]
    np.testing.assert_allclose(log.debug["progress_rate_mps"][log.time > 4.0], -0.15, atol=0.015)
    assert values["head_path_error_rms_m"] < head
    assert extra["contact_lost_fraction"] < 1e-3
    assert extra["force_error_relative"] < force_error
    assert values["form_closure_fraction"] > 0.999
    assert values["torque_peak_nm"] <= torque
    assert values["joint_force_peak_n"] < joint_force
    assert gained(log, " link 1"), "the tail gains contacts"


@pytest.mark.closed_loop
def test_it_stops_and_holds() -> None:
    log, values = run(steered("boa_circle", 3.5, [(1.7, 0.0)], acceleration=0.5))
    assert np.ptp(log.debug["progress_m"][log.time > 2.5]) < 1.5e-3
    assert abs(log.debug["progress_rate_mps"][-1]) < 1e-3
    assert values["extra"]["contact_lost_fraction"] == 0.0
    assert values["extra"]["force_error_relative"] < 0.08


@pytest.mark.closed_loop
def test_it_comes_to_rest_at_the_start_of_an_open_path() -> None:
    scenario = steered("boa_straight", 6.0, [(1.6, -0.2)], speed=0.2, acceleration=0.5)
    experiment = prepare(scenario)
    assert experiment.path is not None
    robot = experiment.robot
    first = ReferenceTable(experiment.path.curve, robot.links, robot.link.pitch).start
    log, _ = run(scenario)
    s = log.debug["progress_m"]
    assert s.min() > first - 1e-4
    assert s[-1] == pytest.approx(first, abs=2e-3)
    assert abs(log.debug["progress_rate_mps"][-1]) < 2e-3


@pytest.mark.closed_loop
def test_displaced_posts_are_met_gently_by_the_tail() -> None:
    """Backwards from the start, where no post behind the tail has been detected before."""
    log, values = run(steered("boa_offset_10mm", 7.0, [(0.0, -0.1)], progress=0.25, settle=3.0))
    assert gained(log, " link 1")
    assert log.debug["progress_m"][-1] < 0.25 - 0.15
    assert values["joint_force_peak_n"] < 35.0
    assert values["extra"]["contact_lost_fraction"] < 0.005


@pytest.mark.closed_loop
def test_the_mirrored_scene_there_and_back() -> None:
    """One cell further on the straight path with the sides changed is the mirror of the scene."""
    scenario = load_scenario("boa_straight")
    assert scenario.path is not None
    repeat = build_path(scenario.path, prepare(scenario).robot).curve.repeat
    assert repeat is not None

    def there_and_back(progress: float, sides: str) -> tuple[Array, Array]:
        plan = [(1.4, -0.1), (2.1, 0.1)]
        steer = steered(
            "boa_straight", 2.4, plan, progress=progress, path={"sides": sides}, acceleration=1.0
        )
        log = run_experiment(prepare(steer), seed=0).log
        assert log.truth is not None
        assert log.debug["progress_rate_mps"].min() < -0.09
        return log.truth.joint_position, log.applied

    here, mirror = there_and_back(2.0, "LRRL"), there_and_back(2.0 + repeat.length / 2, "RRLL")
    np.testing.assert_allclose(here[0], -mirror[0], atol=1e-6)
    np.testing.assert_allclose(here[1], -mirror[1], atol=2e-3)


def frames(name: str, count: int) -> tuple[list[SensorFrame], HoalController]:
    """What the sensors say while the scenario's controller drives, and another controller."""
    experiment = prepare(load_scenario(name))
    driver, plant = build_controller(experiment), plant_from_experiment(experiment, 0)
    plant.arm()
    seen = []
    for _ in range(count):
        seen.append(plant.read())
        plant.write(driver.step(seen[-1]).torque)
    plant.close()
    choice = experiment.scenario.controller
    parameters = Parameters.model_validate(choice.parameters)
    return seen, HoalController(briefing(experiment), parameters)


def test_a_set_point_that_is_refused_or_the_same_changes_nothing() -> None:
    seen, hoal = frames("boa_circle", 800)
    plain = [hoal.step(frame).torque.copy() for frame in seen]
    hoal.reset()
    first = hoal.set_point
    for frame, torque in zip(seen, plain, strict=True):
        for speed in (np.nan, np.inf, 2.1, -2.1, 0.11, -0.11):
            with pytest.raises(BoaError):
                hoal.steer(SetPoint(speed, 5.0, 2.0))
        with pytest.raises(BoaError):
            hoal.steer(SetPoint(0.1, np.nan, 2.0))
        hoal.steer(first)
        assert hoal.set_point == first
        np.testing.assert_array_equal(hoal.step(frame).torque, torque)
    hoal.steer(SetPoint(-0.05, 7.0, 1.0))
    hoal.reset()
    assert hoal.set_point == first
    again = [hoal.step(frame).torque for frame in seen]
    np.testing.assert_array_equal(again, plain)


def test_without_a_profile_the_refusal_says_how_to_go_faster() -> None:
    experiment = prepare(load_scenario("boa_circle"))
    hoal = HoalController(briefing(experiment), Parameters(speed=0.1))
    with pytest.raises(BoaError, match=r"0\.3 m/s.*0\.1 m/s.*profile"):
        hoal.steer(SetPoint(0.3, 5.0, 1.0))
