# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Baselines along the path: each law against statics and kinematics of the chain, worked out from
its closed form.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.controller import Controller, ControlOutput
from boa_control.controllers import make_controller
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.model.dynamics import PlanarChain
from boa_control.model.reference import ReferenceTable
from boa_control.plant import ForceSample, SensorFrame
from boa_description.errors import BoaError
from boa_tools.runs.drive import run_experiment
from test.boa_control.conftest import gap_rows

pytestmark = pytest.mark.closed_loop

NAMES = ("path_feedforward", "path_kinematic", "path_pd", "path_thesis")
START = 0.4  # m; five contacts, all fully taken on


def experiment(**changes: Any) -> Experiment:
    data = load_scenario("boa_circle").model_dump() | {"initial": {"progress": START}} | changes
    return prepare(Scenario.model_validate(data))


EXPERIMENT = experiment()
ROBOT, PATH = EXPERIMENT.robot, EXPERIMENT.path
assert PATH is not None
CHAIN = PlanarChain(ROBOT)
TABLE = ReferenceTable(PATH.curve, ROBOT.links, ROBOT.link.pitch)
PHI = TABLE.at(START).phi


def make(name: str, **parameters: Any) -> Controller:
    return make_controller(name, parameters, briefing(EXPERIMENT))


def frame(phi: np.ndarray, tick: int = 0) -> SensorFrame:
    zero = np.zeros(ROBOT.joints)
    return SensorFrame(
        tick * 2_000_000, phi, zero, zero, ForceSample(0, np.zeros((12, 3))), None, zero, zero
    )


def rows(output: ControlOutput) -> np.ndarray:
    """Gap Jacobian of the reported contacts, from the chain's closed form in the world."""
    at = TABLE.at(START)
    q = np.concatenate([TABLE.world_base(at), at.phi])
    link = np.array([contact.link for contact in output.contacts])
    offset = np.array([contact.offset for contact in output.contacts])
    side = np.array([float(contact.side) for contact in output.contacts])
    return gap_rows(CHAIN, CHAIN.posture(q), link, offset, side)


@pytest.mark.parametrize("name", ["path_feedforward", "path_kinematic"])
def test_internal_forces_balance_the_base_and_press(name: str) -> None:
    """At rest on the path: J_b' lam = 0, tau = -J_phi' lam, and every post is pressed."""
    output = make(name, wait=0.0, speed=0.0).step(frame(PHI))
    lam = np.array([contact.reference for contact in output.contacts])
    J = rows(output)
    assert lam.size >= 5 and np.all(lam > 0.5)
    np.testing.assert_allclose(J[:, :3].T @ lam, 0.0, atol=2e-3)
    np.testing.assert_allclose(output.torque, -J[:, 3:].T @ lam, atol=3e-3)


def test_feedforward_forces_are_the_nearest_to_the_uniform_ones() -> None:
    """Orthogonality: what is missing to the uniform reference is a combination of the columns of
    J_b.
    """
    output = make("path_feedforward", wait=0.0, speed=0.0, force=5.0, force_floor=0.0).step(
        frame(PHI)
    )
    lam = np.array([contact.reference for contact in output.contacts])
    base = rows(output)[:, :3]
    missing = 5.0 - lam
    projected = base @ np.linalg.lstsq(base, missing, rcond=None)[0]
    np.testing.assert_allclose(projected, missing, atol=2e-2)


def test_kinematic_reference_moves_as_the_contacts_allow() -> None:
    """Every step of theta_d is one that some motion of the base makes without moving a gap."""
    controller = make("path_kinematic", wait=0.0, acceleration=50.0)
    phi = PHI + 0.01 * np.random.default_rng(1).standard_normal(PHI.size)
    before = controller.step(frame(phi)).debug["reference_rad"]
    output = controller.step(frame(phi, 1))
    step = output.debug["reference_rad"] - np.asarray(before)
    J = rows(output)[[contact.established for contact in output.contacts]]
    base = np.linalg.lstsq(J[:, :3], -J[:, 3:] @ step, rcond=None)[0]
    assert np.abs(step).max() > 1e-4
    assert np.abs(J[:, :3] @ base + J[:, 3:] @ step).max() < 0.02 * np.abs(J[:, 3:] @ step).max()


def test_thesis_law_presses_with_the_actuated_columns() -> None:
    """Nothing is felt, the shape is exact: tau = -J_phi' (K_P F_base + K_I F_base dt)."""
    output = make("path_thesis", wait=0.0, speed=0.0, force=4.0, force_kp=0.5, force_ki=1.0).step(
        frame(PHI)
    )
    effort = np.full(len(output.contacts), 0.5 * 4.0 + 1.0 * 4.0 * EXPERIMENT.control_period)
    np.testing.assert_allclose(output.torque, -rows(output)[:, 3:].T @ effort, atol=3e-3)


@pytest.mark.parametrize("name", ["path_feedforward", "path_pd"])
def test_shape_errors_are_answered_in_proportion(name: str) -> None:
    """A deviation across phi_ref', which is no progress: only K_P answers it."""
    error = np.random.default_rng(0).standard_normal(PHI.size)
    dphi = TABLE.at(START).dphi
    error = 0.01 * (error - dphi * (error @ dphi) / (dphi @ dphi))
    exact = make(name, wait=1.0, kp=30.0).step(frame(PHI)).torque
    bent = make(name, wait=1.0, kp=30.0).step(frame(PHI + error)).torque
    np.testing.assert_allclose(bent - exact, -30.0 * error, atol=1e-6)


def test_the_reference_waits_for_a_robot_that_is_held() -> None:
    controller = make("path_pd", wait=0.0, lead=0.02, kp=10.0, kd=0.0)
    torque = [controller.step(frame(PHI, tick)).torque for tick in range(1500)][-1]
    np.testing.assert_allclose(torque, 10.0 * (TABLE.at(START + 0.02).phi - PHI), atol=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_reset_forgets(name: str) -> None:
    controller = make(name, wait=0.0)
    first = controller.step(frame(PHI)).torque
    for tick in range(1, 20):
        controller.step(frame(PHI + 0.01, tick))
    controller.reset()
    np.testing.assert_array_equal(controller.step(frame(PHI)).torque, first)


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_start_is_refused(name: str) -> None:
    hidden = experiment(disturbance={"unknown_start": True})
    with pytest.raises(BoaError, match=f"{name} must know where it starts"):
        make_controller(name, {}, briefing(hidden))


@pytest.mark.parametrize("name", NAMES)
def test_every_baseline_travels_where_the_map_is_exact(name: str) -> None:
    moving = experiment(
        controller={"name": name, "parameters": {"wait": 0.5}},
        duration=2.5,
        distance=None,
        scene={},
    )
    log = run_experiment(moving).log
    assert log.truth is not None
    travelled = log.debug["progress_m"][-1] - log.debug["progress_m"][0]
    assert 0.03 < travelled < 0.2  # 2 s at 0.1 m/s
