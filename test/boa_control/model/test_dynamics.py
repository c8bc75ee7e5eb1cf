# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed-form chain against MuJoCo, against energy, and under rigid motions of the scene."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.model.dynamics import PlanarChain
from boa_description.load import load_robot
from boa_description.mjcf import build_spec
from test.boa_control.conftest import gap_rows, kinetic_energy, sliding_rows

ROBOTS = ["boa3", "boa13", "boa20"]


def random_state(links: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(scale=0.5, size=links + 2), rng.normal(size=links + 2)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("seed", range(3))
def test_mass_matrix_and_bias_agree_with_mujoco(name: str, seed: int) -> None:
    robot = load_robot(name)
    model = build_spec(robot).compile()
    data = mujoco.MjData(model)
    q, qd = random_state(robot.links, seed)
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)

    chain = PlanarChain(robot)
    posture = chain.posture(q)
    np.testing.assert_allclose(chain.mass_matrix(posture), full, atol=1e-10)
    np.testing.assert_allclose(chain.bias(posture, qd), data.qfrc_bias, atol=1e-9)


@pytest.mark.parametrize("name", ROBOTS)
def test_contact_rows_are_the_derivative_of_the_gap(name: str) -> None:
    robot = load_robot(name)
    chain = PlanarChain(robot)
    q, _ = random_state(robot.links, 7)
    link = np.array([0, robot.links // 2, robot.links - 1])
    offset = np.array([0.1, 0.6, 0.3]) * robot.link.pitch
    side = np.array([1, -1, 1])
    posture = chain.posture(q)
    axes = chain.joint_axes(q, posture)
    along = np.column_stack([posture.cos, posture.sin])[link]
    left = np.column_stack([-posture.sin, posture.cos])[link]
    post = axes[link] + offset[:, None] * along + side[:, None] * (robot.link.radius + 0.05) * left

    def gap(q: np.ndarray) -> np.ndarray:
        at = chain.posture(q)
        left = np.column_stack([-at.sin, at.cos])[link]
        return (
            side * np.sum((post - chain.joint_axes(q, at)[link]) * left, axis=1)
            - robot.link.radius
            - 0.05
        )

    rows = gap_rows(chain, posture, link, offset, side)
    np.testing.assert_allclose(gap(q), 0.0, atol=1e-12)
    np.testing.assert_allclose(rows, difference(gap, q), atol=1e-8)


def difference(function, q: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Central differences, shape (outputs, len(q))."""
    return np.column_stack(
        [(function(q + step * e) - function(q - step * e)) / (2 * step) for e in np.eye(q.size)]
    )


def test_sliding_rows_are_the_speed_of_the_surface_point() -> None:
    robot = load_robot("boa13")
    chain = PlanarChain(robot)
    q, _ = random_state(robot.links, 3)
    link, offset, side = np.array([2, 9]), np.array([0.05, 0.1]), np.array([1, -1])

    def surface(q: np.ndarray) -> np.ndarray:
        at = chain.posture(q)
        along = np.column_stack([at.cos, at.sin])[link]
        left = np.column_stack([-at.sin, at.cos])[link]
        return (
            chain.joint_axes(q, at)[link]
            + offset[:, None] * along
            + (side * robot.link.radius)[:, None] * left
        )

    posture = chain.posture(q)
    along = np.column_stack([posture.cos, posture.sin])[link]
    speeds = difference(lambda x: np.sum(surface(x) * along, axis=1), q)
    np.testing.assert_allclose(sliding_rows(chain, posture, link, side), speeds, atol=1e-8)


def test_centre_forces_are_dual_to_centre_velocities() -> None:
    chain = PlanarChain(load_robot("boa13"))
    q, qd = random_state(13, 5)
    force = np.random.default_rng(6).normal(size=(13, 2))
    posture = chain.posture(q)
    power = np.sum(force * chain.centre_velocities(posture, qd))
    assert chain.centre_forces(posture, force) @ qd == pytest.approx(power, rel=1e-12)


def test_joint_force_map_is_the_momentum_rate_of_the_links_beyond_each_joint() -> None:
    robot = load_robot("boa13")
    chain = PlanarChain(robot)
    q, qd = random_state(13, 8)
    qdd = np.random.default_rng(9).normal(size=15)
    step = 1e-5

    def momentum(time: float) -> np.ndarray:
        velocity = chain.centre_velocities(
            chain.posture(q + time * qd + 0.5 * time**2 * qdd), qd + time * qdd
        )
        return robot.link.mass * np.cumsum(velocity[::-1], axis=0)[::-1][1:]

    posture = chain.posture(q)
    forces = chain.joint_force_map(posture)
    rate = np.column_stack([forces.x @ qdd, forces.y @ qdd]) + chain.joint_force_bias(posture, qd)
    np.testing.assert_allclose(rate, (momentum(step) - momentum(-step)) / (2 * step), atol=1e-5)


@settings(max_examples=25, deadline=None)
@given(
    turn=st.floats(-3, 3),
    shift=st.tuples(st.floats(-5, 5), st.floats(-5, 5)),
    seed=st.integers(0, 1000),
)
def test_energy_does_not_depend_on_where_the_scene_lies(
    turn: float, shift: tuple[float, float], seed: int
) -> None:
    chain = PlanarChain(load_robot("boa13"))
    q, qd = random_state(13, seed)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    moved, moving = q.copy(), qd.copy()
    moved[:2] = rotation @ q[:2] + shift
    moved[2] += turn
    moving[:2] = rotation @ qd[:2]
    energy = kinetic_energy(chain, chain.posture(q), qd)
    assert kinetic_energy(chain, chain.posture(moved), moving) == pytest.approx(energy, rel=1e-10)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000))
def test_mirroring_mirrors_the_bias(seed: int) -> None:
    chain = PlanarChain(load_robot("boa13"))
    q, qd = random_state(13, seed)
    mirror = np.r_[1.0, -np.ones(14)]
    h = chain.bias(chain.posture(q), qd)
    np.testing.assert_allclose(
        chain.bias(chain.posture(mirror * q), mirror * qd), mirror * h, atol=1e-10
    )


def test_many_postures_at_once_are_the_single_ones() -> None:
    rng = np.random.default_rng(7)
    chain = PlanarChain(load_robot("boa3", links=5))
    q = rng.normal(size=(2, 3, 7))
    qd = rng.normal(size=(2, 3, 7))
    force = rng.normal(size=(2, 3, 5, 2))

    def everything(q: np.ndarray, qd: np.ndarray, force: np.ndarray) -> list[np.ndarray]:
        posture = chain.posture(q)
        joint_forces = chain.joint_force_map(posture)
        return [
            chain.joint_axes(q, posture),
            chain.mass_matrix(posture),
            chain.bias(posture, qd),
            chain.centre_velocities(posture, qd),
            chain.centre_forces(posture, force),
            chain.across_rows(posture),
            chain.along_rows(posture),
            joint_forces.x,
            joint_forces.y,
            chain.joint_force_bias(posture, qd),
        ]

    together = everything(q, qd, force)
    for place in np.ndindex(2, 3):
        for many, one in zip(together, everything(q[place], qd[place], force[place]), strict=True):
            np.testing.assert_allclose(many[place], one, rtol=1e-12, atol=1e-12)
