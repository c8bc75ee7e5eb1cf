# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller in closed loop with the simulation, for a few seconds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.model.reference import ReferenceTable
from boa_control.plant import SensorFrame
from boa_tools.runs.drive import run_experiment
from boa_tools.runs.runlog import RunLog
from test.boa_control.conftest import kinetic_energy
from test.boa_control.controllers.hoal.robot_rate import at_robot_rate

pytestmark = pytest.mark.closed_loop


def prepared(name: str, duration: float, **parameters: Any) -> Experiment:
    scenario = load_scenario(name).model_dump()
    scenario["duration"] = duration
    scenario["controller"]["parameters"].update(parameters)
    return prepare(at_robot_rate(Scenario.model_validate(scenario)))


def run(name: str, duration: float, **parameters: Any) -> tuple[Experiment, RunLog]:
    experiment = prepared(name, duration, **parameters)
    result = run_experiment(experiment, seed=0)
    assert result.ended.reason == "duration", result.ended
    return experiment, result.log


@pytest.fixture(scope="module")
def circle() -> tuple[Experiment, RunLog]:
    return run("boa_circle", 5.0)


def test_power_balance_of_the_whole_run(circle: tuple[Experiment, RunLog]) -> None:
    """Joint work = kinetic energy + viscous loss in the joints; posts are immovable and
    frictionless.

    What a contact stores in its spring or takes in its damper is less than the forces times their
    penetration.
    """
    from boa_control.model.dynamics import PlanarChain

    experiment, log = circle
    assert log.truth is not None
    chain = PlanarChain(experiment.robot)
    period = experiment.control_period
    rate = log.truth.joint_velocity
    middle = 0.5 * (rate[1:] + rate[:-1])
    work = float(np.sum(log.applied[:-1] * middle) * period)
    loss = float(chain.damping * np.sum(middle**2) * period)
    q = np.concatenate([log.truth.base[-1], log.truth.joint_position[-1]])
    qd = np.concatenate([log.truth.base_velocity[-1], rate[-1]])
    kinetic = kinetic_energy(chain, chain.posture(q), qd)
    assert work == pytest.approx(kinetic + loss, rel=0.05, abs=0.02)


def test_contacts_are_held_and_forces_follow_the_feasible_reference(
    circle: tuple[Experiment, RunLog],
) -> None:
    from boa_tools.evaluation.contact_metrics import chatter, contact_history, force_errors

    experiment, log = circle
    history = contact_history(log, experiment.obstacles)
    assert history.force is not None
    settled = log.time >= 4.0
    held = chatter(history.force[settled], history.established[settled], experiment.control_period)
    assert held.lost == 0.0
    error, wanted = force_errors(
        history.force[settled], history.reference[settled], history.established[settled]
    )
    assert np.sqrt(np.mean(error**2)) < 0.03 * np.sqrt(np.mean(wanted**2))


def test_progress_estimate_is_true(circle: tuple[Experiment, RunLog]) -> None:
    from boa_tools.evaluation.path_projection import project

    experiment, log = circle
    assert (
        experiment.path is not None
        and log.truth is not None
        and experiment.start_progress is not None
    )
    robot = experiment.robot
    middle = robot.links // 2
    theta = log.truth.base[:, 2:] + np.hstack(
        [np.zeros((log.ticks, 1)), np.cumsum(log.truth.joint_position[:, : middle - 1], axis=1)]
    )
    point = log.truth.base[:, :2] + robot.link.pitch * np.stack(
        [np.cos(theta).sum(axis=1), np.sin(theta).sum(axis=1)], axis=1
    )
    true = project(experiment.path.curve, point, experiment.start_progress).s
    assert np.abs(log.debug["progress_m"][500:] - true[500:]).max() < 1e-3


def test_same_seed_same_torques(circle: tuple[Experiment, RunLog]) -> None:
    _, again = run("boa_circle", 1.0)
    np.testing.assert_array_equal(again.commanded, circle[1].commanded[: again.ticks])


def stuck(experiment: Experiment, ticks: int, sliding: float = 0.0) -> np.ndarray:
    """Torques for a robot that lies on its path and does not move, whatever it is asked, shape
    (ticks, n - 1), N m.

    It seems to slide along the path at `sliding`, m/s, without getting anywhere.
    """
    assert experiment.path is not None and experiment.start_progress is not None
    robot, controller = experiment.robot, build_controller(experiment)
    at = ReferenceTable(experiment.path.curve, robot.links, robot.link.pitch).at(
        experiment.start_progress
    )
    asked = [np.zeros(robot.joints)]
    for tick in range(ticks):
        frame = SensorFrame(
            stamp_ns=round(tick * experiment.control_period * 1e9),
            position=at.q[3:],
            velocity=sliding * at.dq[3:],
            effort=asked[-1],
            joint_force=None,
            imu=None,
            temperature=np.full(robot.joints, 25.0),
            joint_age=np.zeros(robot.joints),
        )
        asked.append(controller.step(frame).torque)
    return np.array(asked[1:])


def test_a_robot_that_is_held_asks_for_no_more_torque_than_allowed() -> None:
    """The speed integral grows to its limit, and all that it asks for goes through the torque
    limit.
    """
    experiment = prepared("boa_circle", 5.0, torque_share=0.2)
    limit = 0.2 * experiment.robot.limits.torque
    largest = np.abs(stuck(experiment, 1200)).max(axis=1)
    assert largest.max() == pytest.approx(limit, abs=1e-9)  # it does reach it


def test_a_robot_that_is_to_stand_still_resists() -> None:
    experiment = prepared("boa_circle", 5.0, speed=0.0)
    assert experiment.path is not None and experiment.start_progress is not None
    robot = experiment.robot
    table = ReferenceTable(experiment.path.curve, robot.links, robot.link.pitch)
    dphi = table.at(experiment.start_progress).dq[3:]
    still, pushed = stuck(experiment, 400), stuck(experiment, 400, sliding=-0.02)
    assert np.isfinite(still).all()
    assert dphi @ (pushed - still)[-1] > 1.0  # N along the path


def test_it_travels_where_its_posts_touch_links_on_a_bend() -> None:
    """Straight pieces of 6 cm, half a link: the contacts allow other shapes than the path has. With
    the path's own direction of travel the robot stood after 3 cm, shape against speed.
    """
    scenario = load_scenario("boa_circle").model_dump()
    scenario["path"]["half_line"] = 0.03
    scenario["duration"] = 5.0
    experiment = prepare(at_robot_rate(Scenario.model_validate(scenario)))
    progress = run_experiment(experiment, seed=0).log.debug["progress_m"]
    assert progress[-1] - progress[0] > 0.25
