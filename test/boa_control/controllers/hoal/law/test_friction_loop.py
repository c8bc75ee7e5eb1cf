# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction that the controller is not told, in closed loop with the simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.estimation.gearbox_losses import SPREAD, nominal_losses
from boa_control.event_text import text_of
from boa_control.events import Event, EventKind
from boa_control.experiments.build import briefing, build_controller
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_sim.factory import plant_from_experiment
from boa_sim.plant import SimulatedPlant
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import RunResult, drive, run_experiment
from test.boa_control.controllers.hoal.robot_rate import at_robot_rate

pytestmark = pytest.mark.closed_loop


def shortened(
    name: str,
    duration: float,
    settle: float,
    *,
    floor: dict[str, Any] | None = None,
    floor_error: float = 0.0,
    posts: float | None = None,
    gearbox: str | None = None,
    parameters: dict[str, Any] | None = None,
) -> Experiment:
    scenario = load_scenario(name).model_dump()
    if floor is not None:
        scenario["scene"]["ground"] = floor
    if posts is not None:  # which the controller takes for smooth
        scenario["scene"]["contact"]["friction"] = posts
        scenario["disturbance"]["contact_friction_error"] = -1.0
    if gearbox is not None:
        scenario["plant"]["effects"]["gearbox"] = gearbox
    scenario["controller"]["parameters"] |= parameters or {}
    scenario["duration"] = duration
    scenario["distance"] = None
    scenario["evaluation"]["settle"] = settle
    scenario["disturbance"]["ground_friction_error"] = floor_error
    return prepare(at_robot_rate(Scenario.model_validate(scenario)))


def told(result: RunResult) -> list[Event]:
    return [logged.event for logged in result.log.events]


def test_every_joint_with_its_own_stiction() -> None:
    experiment = shortened("boa_stiction", 5.5, 4.5)
    plant = plant_from_experiment(experiment, 0)
    assert isinstance(plant, SimulatedPlant)
    true = np.random.default_rng(0).uniform(0.15, 0.45, experiment.robot.joints)
    plant.world.model.dof_frictionloss[-experiment.robot.joints :] = true
    result = drive(experiment, plant, build_controller(experiment))
    plant.close()
    assert result.ended.reason == "duration", result.ended
    known = result.log.debug["gearbox_base_nm"][-1]
    assert known.mean() == pytest.approx(true.mean(), abs=0.05)  # 0.31 N m, 0 as briefed
    assert np.corrcoef(known, true)[0, 1] > 0.9
    judged = metrics(Analysis(result.log, experiment))
    assert judged["force_error_rms_n"] < 0.1 * 5.0
    assert judged["form_closure_fraction"] == 1.0


@pytest.mark.parametrize(
    ("floor", "error"),
    [
        ({"model": "coulomb", "mu": 0.1}, -0.5),
        ({"model": "anisotropic", "mu": 0.08, "mu_normal": 0.12}, 0.5),
        ({"model": "viscous", "viscous": 10.0}, -0.5),
    ],
)
def test_floor_friction_that_was_briefed_wrong(floor: dict[str, Any], error: float) -> None:
    experiment = shortened("boa_friction_010", 4.0, 2.0, floor=floor, floor_error=error)
    true, told = experiment.scenario.scene.ground, briefing(experiment).ground
    name = "viscous" if true.model == "viscous" else "mu"
    assert getattr(told, name) == pytest.approx((1 + error) * getattr(true, name))
    result = run_experiment(experiment)
    assert result.ended.reason == "duration", result.ended
    assert result.log.debug["ground_friction"][-1] == pytest.approx(getattr(true, name), rel=0.1)


def test_gearboxes_that_lose_with_their_load_move_no_forces() -> None:
    """`g20` on the circle: 0.11 N force error (2.3 %) and 5.8 N in a joint measured, 5 % and 10 N
    demanded. Without the transmission the run ends by a blow of 159 N after 0.19 m.
    """
    experiment = shortened("boa_circle", 6.0, 4.0, gearbox="g20")
    result = run_experiment(experiment)
    assert result.ended.reason == "duration", result.ended
    judged = metrics(Analysis(result.log, experiment))
    assert judged["force_error_rms_n"] < 0.05 * 5.0
    assert judged["form_closure_fraction"] == 1.0
    assert judged["joint_force_peak_n"] < 10.0
    assert not [event for event in map(text_of, told(result)) if "joint" in event]


def test_gearboxes_that_nobody_has_told_are_learnt_on_the_way() -> None:
    """`g20` where the controller is told of none: after 9 s within the standard deviations of
    `SPREAD` of what its law says at the usual rate.
    """
    parameters = {"transmission": {"prior": (1.0, 0.75, 0.1)}}
    experiment = shortened("boa_circle", 9.0, 6.0, gearbox="g20", parameters=parameters)
    result = run_experiment(experiment)
    assert result.ended.reason == "duration", result.ended
    judged = metrics(Analysis(result.log, experiment))
    assert judged["force_error_rms_n"] < 0.05 * 5.0
    assert judged["form_closure_fraction"] == 1.0
    true = nominal_losses(briefing(experiment).robot)
    for name, value, apart in zip(("drive", "back", "base_nm"), true, SPREAD, strict=True):
        learnt = result.log.debug[f"gearbox_{name}"][-1].mean()
        assert learnt == pytest.approx(value, abs=apart)


def test_joints_that_cannot_pass_on_what_is_asked_are_named_and_the_robot_stops() -> None:
    """`g40` without model and loop: joints that are driven back hold three times their torque, and
    the robot does not move (facts of the study: it waited for ever without a word).
    """
    parameters = {"transmission": {"prior": (1.0, 1.0, 0.0), "loop": 0.0}}
    experiment = shortened("boa_circle", 9.5, 4.0, gearbox="g40", parameters=parameters)
    result = run_experiment(experiment)
    kinds = [event.kind for event in told(result)]
    assert kinds.count(EventKind.JOINTS_STICK) == 1
    stopped = [event for event in told(result) if event.kind is EventKind.SUPERVISION]
    assert [(event.state, event.reason) for event in stopped] == [("stopped", "joints_stick")]
    assert kinds.index(EventKind.JOINTS_STICK) < kinds.index(EventKind.SUPERVISION)
    assert result.log.debug["speed_reference_mps"][-1] == 0.0


def test_friction_of_posts_that_nobody_has_told_is_measured() -> None:
    result = run_experiment(shortened("boa_circle", 5.5, 4.0, posts=0.15), 0)
    measured = [event for event in told(result) if event.kind == EventKind.POST_FRICTION]
    assert measured and measured[-1].value == pytest.approx(0.15, abs=0.03)
    assert not any(event.kind == EventKind.STANDSTILL for event in told(result))


def test_a_robot_that_posts_hold_says_so_within_three_seconds() -> None:
    """Of standing; it takes a second and a half to take hold of its posts."""
    result = run_experiment(shortened("boa_random_field", 4.5, 2.0, posts=0.1), 0)
    stands = [at for at in result.log.events if at.event.kind == EventKind.STANDSTILL]
    assert stands and "--post-friction" in text_of(stands[0].event)
