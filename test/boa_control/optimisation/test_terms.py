# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Terms and limits added up with numpy: they say what the fast solver has to give, and take others
beside them.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.optimisation.compiled_solver import CompiledSolver, solver
from boa_control.optimisation.contact_qp import UNBOUNDED, JointForces, Problem, Weights
from boa_control.optimisation.general_solver import GeneralSolver
from boa_control.optimisation.terms import limits_of, terms_of
from boa_control.optimisation.terms.interface import Cost, Limit, Rows, Term
from test.boa_control.optimisation.zigzag import CHAIN, JOINTS, problem

WEIGHTS = Weights()
GENERAL = GeneralSolver(terms_of(WEIGHTS), limits_of(WEIGHTS))


class Yielding(Term):
    """A joint that shall not accelerate, whatever the others do: a term of a user."""

    def __init__(self, joint: int, weight: float) -> None:
        self._joint = joint
        self._weight = weight

    def cost(self, given_: Problem) -> Cost:
        first = len(given_.push) + 3 + self._joint
        return Cost.of_error(given_, first, np.array([[self._weight]]), np.zeros(1))


class Slower(Limit):
    """No joint accelerates by more: a limit of a user."""

    def __init__(self, most: float, price: float = np.inf) -> None:
        self._most = most
        self._price = price

    def rows(self, given_: Problem) -> Rows:
        count = len(given_.push)
        G = np.eye(JOINTS, JOINTS + 3 + count, count + 3)
        most = np.full(JOINTS, self._most)
        return Rows(-most, G, most, self._price)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    torque=st.sampled_from([0.5, 2.0, 6.0]),
    excess=st.sampled_from([0.5, 3.0, UNBOUNDED]),
    slip=st.sampled_from([None, 0.3]),
)
def test_the_fast_solver_gives_what_the_terms_say(
    seed: int, torque: float, excess: float, slip: float | None
) -> None:
    """With servos at their limits and without, forces at their floor and ceiling, gaps that shall
    open.
    """
    given_ = problem(seed, torque)._replace(excess=excess)
    given_ = given_._replace(slip=None if slip is None else np.full(5, slip))
    fast, general = CompiledSolver(WEIGHTS).solve(given_), GENERAL.solve(given_)
    assert fast.solved == general.solved
    if fast.solved:
        np.testing.assert_allclose(fast.lam, general.lam, rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose(fast.delta, general.delta, rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose(fast.torque, general.torque, rtol=1e-5, atol=1e-4)


def test_redundant_contacts_have_no_say_in_either() -> None:
    given_ = problem(3)
    both = np.r_[0, 0, 1, 2, 3, 4]
    gap = given_.gap[both]
    gap[1] *= -1
    redundant = np.array([False, True, False, False, False, False])
    pair = given_._replace(
        gap=gap,
        push=gap,
        slip=None,
        redundant=redundant,
        desired=np.full(6, 5.0),
        floor=np.zeros(6),
    )
    fast, general = CompiledSolver(WEIGHTS).solve(pair), GENERAL.solve(pair)
    np.testing.assert_allclose(fast.lam, general.lam, rtol=1e-5, atol=1e-4)


def test_joint_forces_are_cut_alike() -> None:
    """The price of the fast one is only of the same order."""
    given_ = problem(0)._replace(target=np.zeros(JOINTS), desired=np.full(5, 20.0))
    q = np.concatenate([np.zeros(3), 0.6 * np.cos(2.4 * np.arange(JOINTS))])
    rows = CHAIN.joint_force_map(CHAIN.posture(q))
    momentum, bias = np.stack([rows.x, rows.y]), np.zeros((2, JOINTS))
    forces = JointForces(np.array([1, 3, 6, 8, 11]), momentum, bias, 1e6)
    free = GENERAL.solve(given_._replace(joint_forces=forces))
    limited = given_._replace(joint_forces=forces._replace(limit=0.7 * free.largest))
    fast, general = CompiledSolver(WEIGHTS).solve(limited), GENERAL.solve(limited)
    assert free.largest > 1.4 * general.largest
    np.testing.assert_allclose(fast.lam, general.lam, rtol=0.01, atol=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_a_term_of_a_user_has_its_say(seed: int) -> None:
    given_ = problem(seed)
    without = np.abs(solver(WEIGHTS).solve(given_).delta[3 + 4])
    with_it = np.abs(solver(WEIGHTS, [Yielding(4, 1e3)]).solve(given_).delta[3 + 4])
    assert with_it < 0.05 * without


@pytest.mark.parametrize("seed", range(3))
def test_a_limit_of_a_user_holds(seed: int) -> None:
    given_ = problem(seed)
    free = np.abs(solver(WEIGHTS).solve(given_).delta[3:]).max()
    slow = solver(WEIGHTS, limits=[Slower(0.5 * free)]).solve(given_)
    assert slow.solved
    assert np.abs(slow.delta[3:]).max() == pytest.approx(0.5 * free, abs=1e-6)
    # and the shipped ones go on to hold
    np.testing.assert_allclose(given_.gap @ slow.delta, 0.0, atol=1e-5)
    softened = solver(WEIGHTS, limits=[Slower(0.5 * free, price=1.0)]).solve(given_)
    assert 0.5 * free < np.abs(softened.delta[3:]).max() < free
