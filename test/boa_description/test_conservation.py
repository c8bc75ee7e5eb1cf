# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Momentum and energy of the free-floating model, computed from closed-form kinematics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest

from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_description.mjcf import build_spec
from boa_description.robot import Robot


def invariants(chain: Any, robot: Robot, q: Array, dq: Array) -> Array:
    """Linear momentum x, y (kg m/s), angular momentum about the origin (kg m2/s), kinetic energy
    (J).

    Rotors (armature) turn with the joints only: they add to the energy and not to the momenta.
    """
    mass, inertia = robot.link.mass, robot.link.yaw_inertia
    centres, velocities = chain.centres(q), chain.centre_velocities(q, dq)
    rates = np.cumsum(dq[2:])
    linear = mass * velocities.sum(axis=0)
    moments = centres[:, 0] * velocities[:, 1] - centres[:, 1] * velocities[:, 0]
    angular = mass * moments.sum() + inertia * rates.sum()
    energy = (mass * np.sum(velocities**2) + inertia * np.sum(rates**2)) / 2
    energy += robot.actuator.armature * np.sum(dq[3:] ** 2) / 2
    return np.array([*linear, angular, energy])


def drift(
    name: str, chain: Callable[..., Any], step: float, integrator: int | None, duration: float
) -> Array:
    """Largest change of each invariant over a run, relative to the scale of each."""
    robot = load_robot(
        name, override={"actuator": {"damping": 0.0}, "joint": {"lower": -3.2, "upper": 3.2}}
    )
    spec = build_spec(robot, physics_step=step)
    if integrator is not None:
        spec.option.integrator = integrator
    model = spec.compile()
    data = mujoco.MjData(model)
    rng = np.random.default_rng(8)
    data.qpos[3:] = rng.uniform(-0.5, 0.5, robot.joints)
    data.qvel[:] = rng.normal(size=model.nv) * np.concatenate(
        [[0.2, 0.2, 0.5], np.full(robot.joints, 0.8)]
    )
    start = invariants(chain(robot), robot, data.qpos, data.qvel)
    worst = np.zeros(4)
    for _ in range(round(duration / step)):
        mujoco.mj_step(model, data)
        worst = np.maximum(
            worst, np.abs(invariants(chain(robot), robot, data.qpos, data.qvel) - start)
        )
    assert np.abs(data.qpos[3:]).max() < 3.2, "the run must not reach the joint stops"
    momentum_scale = np.sqrt(2 * start[3] * robot.mass)
    scales = np.array([momentum_scale, momentum_scale, momentum_scale * robot.length, start[3]])
    return worst / scales


@pytest.mark.parametrize("name", ["boa3", "boa13"])
def test_the_model_conserves_momentum_and_energy(
    name: str, planar_chain: Callable[..., Any]
) -> None:
    """With a fourth-order integrator what is left is rounding: the model itself creates and loses
    nothing.
    """
    assert np.all(drift(name, planar_chain, 0.001, mujoco.mjtIntegrator.mjINT_RK4, 1.0) < 1e-7)


def test_the_shipped_integrator_drifts_with_its_first_order(
    planar_chain: Callable[..., Any],
) -> None:
    """At the default step below 0.1 % in a second of fast motion, and half of it at half the
    step.
    """
    coarse = drift("boa13", planar_chain, 0.001, None, 1.0)
    fine = drift("boa13", planar_chain, 0.0005, None, 1.0)
    assert np.all(coarse < 1e-3)
    assert np.all(fine < 0.6 * coarse + 1e-12)
