# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The thesis's experiments in simulation, shortened: what was published, without chatter and
spikes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_tools.evaluation.contact_metrics import chatter, contact_history, established_by_touch
from boa_tools.runs.drive import run_experiment
from boa_tools.runs.runlog import RunLog

pytestmark = pytest.mark.closed_loop

PERIOD = 0.002
SPIKE_LIMIT = 2.5  # N; see `largest_spike`


@dataclass(frozen=True)
class Run:
    """A run, with true contact forces (T, K), N."""

    log: RunLog
    force: np.ndarray
    reference: np.ndarray
    estimate: np.ndarray

    def after(self, time: float) -> slice:
        return slice(round(time / PERIOD), None)

    def largest_spike(self, after: float) -> float:
        """Largest distance of one force sample from the middle of its neighbours, N."""
        force = self.force[self.after(after)]
        return float(np.abs(force[1:-1] - (force[2:] + force[:-2]) / 2).max())

    def estimate_errors(self, after: float) -> np.ndarray:
        """Errors of the estimated contact forces, N."""
        error = (self.estimate - self.force)[self.after(after)]
        return error[np.isfinite(error)]

    def chatter(self, after: float) -> float:
        """Share of contact time that is lost and regained within 20 ms; touches of 50 ms count as
        contacts.
        """
        force = self.force[self.after(after)]
        result = chatter(force, established_by_touch(force, PERIOD), PERIOD)
        assert result.fraction is not None
        return result.fraction


def experiment(name: str, **changes: Any) -> Experiment:
    return prepare(Scenario.model_validate(load_scenario(name).model_dump() | changes))


def soon(name: str, **parameters: Any) -> dict[str, Any]:
    """The controller of a scenario, which settles for 1 s instead of 2.5 s before the rocking."""
    controller = load_scenario(name).controller.model_dump()
    controller["parameters"]["switch_time"] = 1.0
    controller["parameters"]["phase_b"].update(parameters)
    return controller


def run(chosen: Experiment) -> Run:
    result = run_experiment(chosen)
    assert result.ended.reason == "duration"
    history = contact_history(result.log, chosen.obstacles)
    assert history.force is not None
    return Run(result.log, history.force, history.reference, history.estimate)


def test_5_1_1_symmetric_static_pose() -> None:
    result = run(experiment("thesis_5_1_1", duration=3.5))
    settled = result.after(0.5)
    assert np.all((result.force[settled] > 0).sum(axis=1) == 4)
    assert np.abs(np.degrees(result.log.position[settled]) + 45.0).max() < 0.5
    assert result.chatter(0.5) == 0.0
    for start, end, torque in ((0.5, 2.49, 12.0), (2.9, 3.5, 4.0)):
        plateau = slice(round(start / PERIOD), round(end / PERIOD))
        np.testing.assert_allclose(result.log.applied[plateau], torque, atol=1e-9)
        closed_form = torque / 0.1 * (2 + np.sqrt(2))  # end contacts 0.1 m from their joints
        np.testing.assert_allclose(result.force[plateau].sum(axis=1), closed_form, rtol=0.02)


def test_5_1_2_asymmetric_pose_is_reached_and_held_by_three_contacts() -> None:
    result = run(experiment("thesis_5_1_2", duration=3.0))
    # "with a slight offset"
    assert np.abs(result.log.position[round(1.49 / PERIOD)] - [-1.0, -0.5]).max() < 0.1
    held = result.after(2.0)
    assert (
        np.abs(result.log.position[held] - result.log.position[round(1.49 / PERIOD)]).max() < 0.06
    )
    assert np.all((result.force[held] > 0).sum(axis=1) == 3)
    assert result.largest_spike(0.3) < SPIKE_LIMIT


def test_5_2_1_rocking_keeps_contact_without_chatter_or_spikes() -> None:
    result = run(experiment("thesis_5_2_1", controller=soon("thesis_5_2_1"), duration=5.3))
    moving = result.after(1.3)
    touching = (result.force[moving] > 0).sum(axis=1)
    assert touching.min() >= 2
    # of the desired 60 degrees
    assert np.ptp(np.degrees(result.log.position[moving]), axis=0).min() > 45
    assert result.chatter(1.3) < 0.001
    assert result.largest_spike(1.3) < SPIKE_LIMIT
    error = result.estimate_errors(1.3)
    assert np.sqrt((error**2).mean()) < 0.1


def test_5_2_2_motion_collapses_into_four_contacts_under_rising_force() -> None:
    """The same force levels in a shorter time: k reaches 70 within 3 s."""
    rising = {"kind": "rising", "start": 0.5, "end": 70.0, "over": 3.0}
    controller = soon("thesis_5_2_2", activation=rising)
    result = run(experiment("thesis_5_2_2", controller=controller, duration=6.0))
    angles = np.degrees(result.log.position)
    free = np.ptp(angles[round(1.0 / PERIOD) : round(2.5 / PERIOD)], axis=0)
    collapsed = np.ptp(angles[result.after(4.5)], axis=0)
    assert np.all(collapsed < 0.2 * free)
    assert np.all((result.force[result.after(4.5)] > 0).sum(axis=1) == 4)
    assert result.chatter(1.3) < 0.001
    assert result.largest_spike(1.3) < SPIKE_LIMIT


def test_rocking_on_the_manifold_keeps_all_four_contacts_and_their_forces() -> None:
    result = run(experiment("rocking_on_manifold", duration=5.0))
    settled = result.after(1.5)
    assert result.force[settled].min() > 0
    assert result.chatter(1.5) < 0.001
    error = result.force[1:][settled] - result.reference[:-1][settled]
    reference = result.reference[settled]
    assert np.sqrt((error**2).mean()) < 0.1 * np.sqrt((reference**2).mean())
    assert np.sqrt((result.estimate_errors(1.5) ** 2).mean()) < 0.1
    swing = np.degrees(np.ptp(result.log.position[settled], axis=0))
    assert swing.min() > 5  # it really moves


def test_wall_is_ground_with_half_a_newton() -> None:
    result = run(experiment("wall_grinding", duration=4.5))
    settled = result.after(0.5)
    assert np.abs(result.force[settled] - 0.5).max() < 0.01
    tip = np.asarray(result.log.debug["tip_m"])
    turns = tip[[0, round(2 / PERIOD), round(4 / PERIOD)], 0]
    np.testing.assert_allclose(turns, [1.0, 0.35, 0.95], atol=0.005)  # there and back
    assert np.abs(tip[:, 1] - 1.0).max() < 1e-4


def test_west_asada_moves_the_essential_joint_and_lets_the_other_follow_the_contacts() -> None:
    gait = {
        "kind": "rocking",
        "centre": -np.pi / 4,
        "amplitude": 0.05,
        "frequency": 2.0,
        "phase_shift": np.pi,
    }
    parameters = {
        "gait": gait,
        "essential_joints": [1],
        "force": 10.0,
        "observer": {"sensor_noise": 0.05},
    }
    controller = {"name": "west_asada", "parameters": parameters}
    result = run(experiment("rocking_on_manifold", controller=controller, duration=3.0))
    settled = result.after(1.0)
    assert np.all((result.force[settled] > 0).sum(axis=1) == 4)
    desired = np.asarray(result.log.debug["planned_rad"])[settled]
    assert np.sqrt(((result.log.position[settled, 0] - desired[:, 0]) ** 2).mean()) < np.radians(
        0.1
    )
    # the other joint gives up its plan: the contacts decide where it goes
    assert np.abs(result.log.position[settled, 1] - desired[:, 1]).max() > np.radians(0.2)


def test_contact_forces_are_felt_within_03_n_through_sensors_with_02_n_noise() -> None:
    chosen = experiment(
        "rocking_on_manifold",
        robot={"name": "boa3", "override": {"force_sensor": {"noise": 0.2}}},
        plant={"effects": {"force_noise": True}},
        duration=4.0,
    )
    result = run(chosen)
    error = result.estimate_errors(1.5)
    assert error.size > 4000
    assert np.sqrt((error**2).mean()) <= 0.3
    assert abs(error.mean()) < 0.02  # unbiased
    # and the force loop bears the noise
    assert np.all((result.force[result.after(1.5)] > 0).sum(axis=1) == 4)
