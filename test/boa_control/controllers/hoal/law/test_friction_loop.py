"""FrictionCompensation that the controller is not told, in closed loop with the simulation."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from boa_control.controllers.hoal.law.friction_compensation import FrictionCompensation, lever_arms
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.experiments.build import briefing, build_controller
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel
from boa_control.model.reference import ReferenceTable
from boa_control.plant import ForceSample, SensorFrame
from boa_description.scene import GroundFriction
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


def test_a_broken_force_sensor_is_not_taken_for_much_friction() -> None:
    experiment = shortened("boa_circle", 4.0, 2.0)
    path, robot = experiment.path, experiment.robot
    assert path is not None
    reference = ReferenceTable(path.curve, robot.links, robot.link.pitch)
    floor = GroundFriction(model="coulomb", mu=0.1)
    model = PathModel(PlanarChain(robot), reference, floor)
    schedule = ContactSchedule(path, reference, robot.link.radius, ramp=0.03)
    friction = FrictionCompensation(replace(briefing(experiment), ground=floor), Parameters())
    for along, across in itertools.product((-50.0, 50.0), repeat=2):
        friction.reset()
        force = np.zeros((robot.joints, 3))
        force[5] = along, across, 0.0
        for k in range(2000):
            state = model.at(2e-4 * k)
            frame = SensorFrame(
                stamp_ns=k,
                position=state.q[3:],
                velocity=state.dq[3:] * 0.1,
                effort=np.zeros(robot.joints),
                joint_force=ForceSample(k, force),
                imu=None,
                temperature=np.full(robot.joints, 25.0),
                joint_age=np.zeros(robot.joints),
            )
            friction.observe(frame, state, schedule.at(state), 0.1, 0.1)
            torque = friction.joint_torque(state.dq[3:] * 0.1, np.sign(state.dq[3:]))
            assert np.abs(torque).max() < 0.2 * robot.limits.torque


@pytest.mark.parametrize(
    ("link", "offset", "expected"),
    [
        ([0, 2, 4], [0.005, 0.125, 0.06], [0.005, 0.065, 0.125, 0.0, 0.06]),
        ([1, 3], [0.005, 0.06], [0.13, 0.005, 0.065, 0.06, 0.065]),
        ([], [], [0.065] * 5),
    ],
)
def test_posts_push_where_the_map_says_and_near_a_joint_on_the_neighbour_too(
    link: list[int], offset: list[float], expected: list[float]
) -> None:
    np.testing.assert_allclose(
        lever_arms(np.array(link, np.intp), np.array(offset), 5, 0.13), expected
    )
