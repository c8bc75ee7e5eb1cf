"""Friction that the controller is not told, in closed loop with the simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.experiments.build import briefing, build_controller
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_sim.factory import plant_from_experiment
from boa_sim.plant import SimulatedPlant
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metrics import metrics
from boa_tools.runs.drive import drive, run_experiment

pytestmark = pytest.mark.closed_loop


def shortened(
    name: str,
    duration: float,
    settle: float,
    floor: dict[str, Any] | None = None,
    floor_error: float = 0.0,
) -> Experiment:
    scenario = load_scenario(name).model_dump()
    if floor is not None:
        scenario["scene"]["ground"] = floor
    scenario["duration"] = duration
    scenario["evaluation"]["settle"] = settle
    scenario["disturbance"]["ground_friction_error"] = floor_error
    return prepare(Scenario.model_validate(scenario))


def test_every_joint_with_its_own_stiction() -> None:
    experiment = shortened("boa_stiction", 10.0, 8.0)
    plant = plant_from_experiment(experiment, 0)
    assert isinstance(plant, SimulatedPlant)
    true = np.random.default_rng(0).uniform(0.15, 0.45, experiment.robot.joints)
    plant.world.model.dof_frictionloss[-experiment.robot.joints :] = true
    result = drive(experiment, plant, build_controller(experiment))
    plant.close()
    assert result.ended.reason == "duration", result.ended
    np.testing.assert_allclose(result.log.debug["joint_friction_nm"][-1], true, atol=0.02)
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
