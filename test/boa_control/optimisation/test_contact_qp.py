# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The quadratic program against its KKT conditions, a closed form, hand calculation and power
balance.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.optimisation import contact_qp as qp
from boa_control.optimisation.compiled_solver import CompiledSolver
from boa_description.arrays import Array
from test.boa_control.conftest import gap_rows
from test.boa_control.optimisation.zigzag import CHAIN, JOINTS, N, problem

WEIGHTS = qp.Weights()


def solve(given_: qp.Problem, weights: qp.Weights = WEIGHTS) -> qp.Solution:
    return CompiledSolver(weights).solve(given_)


def hessian(given_: qp.Problem) -> Array:
    """Of the cost in lam and delta: shape across the direction of travel, and along it."""
    p = given_.along / np.linalg.norm(given_.along)
    shape = WEIGHTS.acceleration * (np.eye(JOINTS) - np.outer(p, p))
    shape += WEIGHTS.travel * np.outer(p, p)
    nc = len(given_.push)
    H = np.diag(np.r_[np.full(nc, WEIGHTS.force), np.full(3, WEIGHTS.base), np.zeros(JOINTS)])
    H[nc + 3 :, nc + 3 :] = shape
    return H


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    torque=st.sampled_from([0.5, 2.0, 6.0]),
    excess=st.sampled_from([0.5, 3.0, qp.UNBOUNDED]),
)
def test_kkt_conditions(seed: int, torque: float, excess: float) -> None:
    given_ = problem(seed, torque)._replace(excess=excess)
    solved = solve(given_)
    assert solved.solved
    nc, d = given_.push.shape
    lam, delta = solved.lam, solved.delta
    # primal: dynamics of the base, contacts kept, torques within their limits
    momentum = given_.mass @ delta + given_.bias - lam @ given_.push
    np.testing.assert_allclose(momentum[:3], 0.0, atol=1e-5)
    np.testing.assert_allclose(given_.gap @ delta, 0.0, atol=1e-5)
    np.testing.assert_allclose(solved.torque, momentum[3:], atol=1e-9)
    lower, upper = given_.torque_bounds
    assert np.all(solved.torque <= upper + 1e-5) and np.all(solved.torque >= lower - 1e-5)
    # stationarity: gradient of the cost + constraint rows' multipliers = 0, which there are for
    # equalities and at bounds
    ceiling = given_.desired + excess
    at_upper, at_lower = solved.torque > upper - 1e-4, solved.torque < lower + 1e-4
    bounded = (lam < given_.floor + 1e-4) | (lam > ceiling - 1e-4)
    active = np.r_[bounded, np.ones(3, bool), at_upper | at_lower, np.ones(nc, bool)]
    rows = np.block(
        [
            [np.eye(nc), np.zeros((nc, d))],
            [-given_.push.T, given_.mass],
            [np.zeros((nc, nc)), given_.gap],
        ]
    )
    wish = np.r_[given_.desired, np.zeros(3), given_.target]
    gradient = hessian(given_) @ (np.r_[lam, delta] - wish)
    mu = np.zeros(active.size)
    mu[active] = np.linalg.lstsq(rows[active].T, -gradient, rcond=None)[0]
    np.testing.assert_allclose(gradient + rows.T @ mu, 0.0, atol=1e-5)
    # sign: a multiplier acts upwards at the lower bound, downwards at the upper
    servo = mu[nc + 3 : nc + d]
    assert np.all(servo[~at_upper] <= 1e-5) and np.all(servo[~at_lower] >= -1e-5)
    # the bounds of the forces are softened: violation = multiplier / price
    violation = np.maximum(lam - ceiling, 0.0) - np.maximum(given_.floor - lam, 0.0)
    np.testing.assert_allclose(violation, mu[:nc] / WEIGHTS.violation, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_without_active_bounds_it_is_a_linear_system(seed: int) -> None:
    free = problem(seed, torque=1e3)._replace(floor=np.full(5, -1e3))
    solved = solve(free)
    nc, d = free.push.shape
    equal = np.block([[-free.push.T[:3], free.mass[:3]], [np.zeros((nc, nc)), free.gap]])
    H = hessian(free)
    wish = np.r_[free.desired, np.zeros(3), free.target]
    m = len(equal)
    system = np.block([[H, equal.T], [equal, np.zeros((m, m))]])
    exact = np.linalg.solve(system, np.r_[H @ wish, -free.bias[:3], np.zeros(nc)])
    np.testing.assert_allclose(np.r_[solved.lam, solved.delta], exact[: nc + d], atol=1e-5)


@pytest.mark.parametrize("seed", [0, 4, 8])
def test_a_large_error_of_the_shape_does_not_become_large_forces(seed: int) -> None:
    """Contacts at their floor leave the others alone with the correction: without a ceiling they
    answer 20 rad/s2 with 73 to 290 N, of which a lost contact makes a blow.
    """
    far = problem(seed, torque=1e3)
    far = far._replace(target=20.0 * far.target / np.linalg.norm(far.target))
    unbounded = solve(far).lam.max()
    bounded = solve(far._replace(excess=10.0))
    assert bounded.solved and unbounded > 70.0
    assert bounded.lam.max() < far.desired.max() + 10.0 + 0.1
    assert bounded.lam.min() > far.floor.min() - 0.1


@pytest.mark.parametrize("seed", range(5))
def test_power_balance(seed: int) -> None:
    """Kept contacts do no work: joint power = rate of kinetic energy + what the bias takes, for
    motions J qd = 0.
    """
    solved_problem = problem(seed)
    solved = solve(solved_problem)
    kernel = np.linalg.svd(solved_problem.gap)[2][5:]
    for qd in kernel:
        inertia_and_bias = qd @ (solved_problem.mass @ solved.delta + solved_problem.bias)
        assert solved.torque @ qd[3:] == pytest.approx(inertia_and_bias, abs=1e-6)


def test_static_pinch_by_hand() -> None:
    """A straight chain at rest, posts at its ends on the left and two on the right between them.

    Outer contacts f at distance a from the inner ones, inner contacts g: balance demands f = g. The
    bending moment at a joint is the moment of all forces beyond it.
    """
    q = np.zeros(N + 2)
    posture = CHAIN.posture(q)
    link, offset = np.array([0, 4, 8, 12]), np.full(4, 0.065)
    side = np.array([1.0, -1.0, -1.0, 1.0])
    gap = gap_rows(CHAIN, posture, link, offset, side)
    still = problem(0)._replace(
        mass=CHAIN.mass_matrix(posture),
        bias=np.zeros(N + 2),
        gap=gap,
        push=gap,
        slip=np.zeros(4),
        redundant=None,
        target=np.zeros(JOINTS),
        desired=np.full(4, 3.0),
        floor=np.zeros(4),
    )
    solved = solve(still)
    np.testing.assert_allclose(solved.lam, 3.0, atol=1e-5)
    x = link * CHAIN.pitch + offset
    joint_x = CHAIN.pitch * np.arange(1, N)
    # posts on the left push to the right (-y); torque i turns the part beyond joint i
    # counter-clockwise against it
    force_y = -side * 3.0
    headward = x[None, :] > joint_x[:, None]
    moment = np.sum(headward * (x[None, :] - joint_x[:, None]) * force_y, axis=1)
    np.testing.assert_allclose(solved.torque, -moment, atol=1e-4)


def turned(given_: qp.Problem, angle: float) -> qp.Problem:
    """The same scene turned: base rows and columns rotate, joints do not notice."""
    T = np.eye(N + 2)
    T[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return given_._replace(
        mass=T @ given_.mass @ T.T,
        bias=T @ given_.bias,
        gap=given_.gap @ T.T,
        push=given_.push @ T.T,
    )


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), angle=st.floats(-3, 3))
def test_turning_the_scene_changes_nothing(seed: int, angle: float) -> None:
    given_ = problem(seed)
    a, b = solve(given_), solve(turned(given_, angle))
    np.testing.assert_allclose(b.torque, a.torque, atol=1e-5)
    np.testing.assert_allclose(b.lam, a.lam, atol=1e-5)


@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_mirroring_the_scene_mirrors_the_torques(seed: int) -> None:
    given_ = problem(seed)
    sign = np.r_[1.0, -np.ones(N + 1)]  # y, heading and joint angles change sign
    mirrored = given_._replace(
        mass=given_.mass * np.outer(sign, sign),
        bias=given_.bias * sign,
        gap=given_.gap * sign,
        push=given_.push * sign,
        target=-given_.target,
        along=-given_.along,
    )
    a, b = solve(given_), solve(mirrored)
    np.testing.assert_allclose(b.torque, -a.torque, atol=1e-5)
    np.testing.assert_allclose(b.lam, a.lam, atol=1e-5)


@settings(max_examples=20)
@given(
    seed=st.integers(0, 1000),
    length=st.floats(0.1, 10.0) | st.floats(-10.0, -0.1),
    axis=st.none() | st.integers(0, JOINTS - 1),
)
def test_only_the_line_of_travel_matters(seed: int, length: float, axis: int | None) -> None:
    """Not its length, nor which way it points; also along a single joint."""
    given_ = problem(seed)
    along = given_.along if axis is None else np.eye(JOINTS)[axis]
    a = solve(given_._replace(along=along))
    b = solve(given_._replace(along=length * along))
    np.testing.assert_allclose(b.torque, a.torque, atol=1e-5)
    np.testing.assert_allclose(b.delta, a.delta, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_equal_weights_know_no_direction_of_travel(seed: int) -> None:
    alike = qp.Weights(acceleration=0.05, travel=0.05)
    given_ = problem(seed)
    a = solve(given_, alike)
    b = solve(given_._replace(along=np.roll(given_.along, 1)), alike)
    np.testing.assert_allclose(b.lam, a.lam, atol=1e-5)
    np.testing.assert_allclose(b.delta, a.delta, atol=1e-5)


def test_posts_on_both_sides_of_one_link_do_not_make_it_infeasible() -> None:
    given_ = problem(3)
    both = np.r_[0, 0, 1, 2, 3, 4]
    gap = given_.gap[both]
    gap[1] *= -1
    doubled = given_._replace(
        gap=gap,
        push=gap,
        slip=np.zeros(6),
        redundant=np.array([False, True, False, False, False, False]),
        desired=np.full(6, 5.0),
        floor=np.zeros(6),
    )
    solved = solve(doubled)
    assert solved.solved
    np.testing.assert_allclose(gap @ solved.delta, 0.0, atol=1e-5)


def test_joint_forces_are_held_below_their_limit() -> None:
    q = np.concatenate([np.zeros(3), 0.6 * np.cos(2.4 * np.arange(JOINTS))])
    posture = CHAIN.posture(q)
    link = np.array([1, 3, 6, 8, 11])
    rows = CHAIN.joint_force_map(posture)
    gap = gap_rows(CHAIN, posture, link, np.full(5, 0.06), np.array([1.0, -1.0, -1.0, 1.0, 1.0]))
    forces = qp.JointForces(link, np.stack([rows.x, rows.y]), np.zeros((2, JOINTS)), limit=1e6)
    given_ = problem(0)._replace(
        mass=CHAIN.mass_matrix(posture),
        bias=np.zeros(N + 2),
        gap=gap,
        push=gap,
        target=np.zeros(JOINTS),
        desired=np.full(5, 20.0),
        joint_forces=forces,
    )
    unprotected = solve(given_)
    assert unprotected.joint_force is not None
    largest = np.linalg.norm(unprotected.joint_force, axis=1).max()
    limit = 0.7 * largest
    protected = solve(given_._replace(joint_forces=forces._replace(limit=limit)))
    assert protected.joint_force is not None
    assert np.linalg.norm(protected.joint_force, axis=1).max() < 1.02 * limit
