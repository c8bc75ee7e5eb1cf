# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The two-link arm against MuJoCo, energy conservation and its own definition; the thesis's
misprint.
"""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controllers.thesis.two_link import TwoLinkArm
from boa_description.load import load_robot
from boa_description.mjcf import build_spec

# thin rods as in the thesis: c = l / 2, I = m l^2 / 12
ARM = TwoLinkArm(length=(1, 1), centre=(1 / 2, 1 / 2), mass=(1, 1), inertia=(1 / 12, 1 / 12))
vectors = st.tuples(st.floats(-2.5, 2.5), st.floats(-2.5, 2.5)).map(np.array)


def kinetic_energy(q: np.ndarray, qd: np.ndarray) -> float:
    return float(0.5 * qd @ ARM.mass_matrix(q) @ qd)


def printed_mass_matrix(q: np.ndarray) -> np.ndarray:
    """M(q) as printed in the thesis (eq. 3.1), half of a_2 missing in M_12."""
    matrix = ARM.mass_matrix(q)
    a2 = ARM.mass[1] * ARM.centre[1] ** 2 + ARM.inertia[1]
    matrix[0, 1] = matrix[1, 0] = matrix[0, 1] - a2 / 2
    return matrix


@pytest.fixture(scope="module")
def simulated() -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The robot rods2: a pedestal of 1 m in front of joint 1, then both rods."""
    model = build_spec(load_robot("rods2")).compile()
    return model, mujoco.MjData(model)


@given(vectors, vectors)
def test_mass_matrix_and_bias_are_mujocos(
    simulated: tuple[mujoco.MjModel, mujoco.MjData], q: np.ndarray, qd: np.ndarray
) -> None:
    model, data = simulated
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_forward(model, data)
    matrix = np.zeros((2, 2))
    mujoco.mj_fullM(model, data, matrix)
    np.testing.assert_allclose(ARM.mass_matrix(q), matrix, atol=1e-12)
    np.testing.assert_allclose(ARM.bias(q, qd), data.qfrc_bias, atol=1e-10)
    np.testing.assert_allclose(
        ARM.tip(q) + np.array([1.0, 0.0]), data.site("head").xpos[:2], atol=1e-12
    )


@given(vectors, vectors)
def test_printed_inertia_lacks_half_of_a2(q: np.ndarray, qd: np.ndarray) -> None:
    """Kinetic energy of both rods, added up point by point, against the matrix derived here and the
    printed one.
    """
    share = (np.arange(2000) + 0.5) / 2000
    step = 1e-6
    energy = 0.0
    for link in (0, 1):
        places = []
        for time in (-step, step):
            angle = q + time * qd
            first = np.array([np.cos(angle[0]), np.sin(angle[0])])
            second = np.array([np.cos(angle.sum()), np.sin(angle.sum())])
            places.append(np.outer(share, first) if link == 0 else first + np.outer(share, second))
        speed = (places[1] - places[0]) / (2 * step)
        energy += 0.5 * (speed**2).sum() / 2000
    assert kinetic_energy(q, qd) == pytest.approx(energy, rel=1e-5, abs=1e-7)
    printed = 0.5 * qd @ printed_mass_matrix(q) @ qd
    a2 = 1 / 4 + 1 / 12
    assert printed == pytest.approx(energy - a2 / 2 * qd[0] * qd[1], rel=1e-4, abs=1e-6)


@given(vectors, vectors)
def test_jacobian_and_its_rate_are_derivatives(q: np.ndarray, qd: np.ndarray) -> None:
    step = 1e-6
    numeric = np.column_stack(
        [(ARM.tip(q + step * axis) - ARM.tip(q - step * axis)) / (2 * step) for axis in np.eye(2)]
    )
    np.testing.assert_allclose(ARM.jacobian(q), numeric, atol=1e-8)
    rate = (ARM.jacobian(q + step * qd) - ARM.jacobian(q - step * qd)) / (2 * step)
    np.testing.assert_allclose(ARM.jacobian_rate(q, qd), rate, atol=1e-7)


def test_free_motion_keeps_its_energy() -> None:
    q, qd, dt = np.array([0.2, 1.0]), np.array([1.0, -2.0]), 1e-3

    def rate(state: np.ndarray) -> np.ndarray:
        acceleration = np.linalg.solve(ARM.mass_matrix(state[:2]), -ARM.bias(state[:2], state[2:]))
        return np.concatenate((state[2:], acceleration))

    state = np.concatenate((q, qd))
    start = kinetic_energy(q, qd)
    for _ in range(2000):
        k1 = rate(state)
        k2 = rate(state + dt / 2 * k1)
        k3 = rate(state + dt / 2 * k2)
        k4 = rate(state + dt * k3)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    assert kinetic_energy(state[:2], state[2:]) == pytest.approx(start, rel=1e-8)
