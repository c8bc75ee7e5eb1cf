# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Travel that keeps the contacts: against the null space of the contact rows, by invariance, and in
the QP, which must not let a shape that the contacts forbid hold the robot back.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.compiled.rows import BASE_WEIGHT, MOST_STRETCH
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel, PathState
from boa_control.model.reference import ReferenceTable
from boa_control.optimisation.compiled_solver import CompiledSolver
from boa_control.optimisation.contact_qp import Problem, Weights
from boa_control.optimisation.kept_travel import kept_travel
from boa_description.arrays import Array
from boa_description.scene import GroundFriction
from test.boa_control.optimisation.kept import kept_motion

SHORT = 0.03  # m, half of a straight piece, beside which a post touches links that lie on a bend


@cache
def circle(half_line: float) -> tuple[PlanarChain, PathModel, ContactSchedule]:
    """`boa_circle`; with straight pieces shorter than a link its posts are not kept at q'."""
    scenario = load_scenario("boa_circle").model_dump()
    scenario["path"]["half_line"] = half_line
    experiment = prepare(Scenario.model_validate(scenario))
    robot, path = experiment.robot, experiment.path
    assert path is not None
    chain = PlanarChain(robot)
    reference = ReferenceTable(path.curve, robot.links, robot.link.pitch)
    schedule = ContactSchedule(path, reference, robot.link.radius, ramp=0.03)
    return chain, PathModel(chain, reference, GroundFriction()), schedule


class Place:
    """The chain and its contacts at one place of a circle."""

    def __init__(self, s: float, half_line: float = SHORT) -> None:
        chain, model, schedule = circle(half_line)
        self.state: PathState = model.at(s)
        self.contacts: ContactSet = schedule.at(self.state)
        self.gap = self.contacts.rows(chain, self.state, 0.0)[0]
        self.p = self.state.dq[3:]

    def kept(self) -> Array:
        return kept_travel(self.gap, self.state.dq)


def free_shapes(gap: Array) -> Array:
    """Basis of the joint motions for which the base can keep the contacts, shape (n - 1, k)."""
    null = np.linalg.svd(gap)[2][np.linalg.matrix_rank(gap) :].T
    left, sizes, _ = np.linalg.svd(null[3:], full_matrices=False)
    return left[:, sizes > 1e-9]


@pytest.mark.parametrize("s", [1.0, 1.13, 1.31, 1.52, 1.77])
def test_it_is_the_projection_on_what_the_contacts_allow(s: float) -> None:
    place = Place(s)
    assert np.abs(place.gap @ place.state.dq).max() > 0.02, "the path itself does not keep them"
    kept = place.kept()
    np.testing.assert_allclose(place.gap @ kept, 0.0, atol=1e-6)
    free = free_shapes(place.gap)
    projected = free @ (free.T @ place.p)
    aligned = projected * (place.p @ place.p) / (projected @ projected)
    np.testing.assert_allclose(kept[3:], aligned, atol=BASE_WEIGHT)  # of 6 rad/m


@pytest.mark.parametrize("s", [1.0, 1.31, 1.77])
def test_the_robot_makes_as_much_progress_along_it(s: float) -> None:
    place = Place(s)
    assert place.p @ place.kept()[3:] == pytest.approx(place.p @ place.p)


def test_a_path_that_keeps_its_contacts_is_left_alone_bit_by_bit() -> None:
    place = Place(1.3, half_line=0.13)
    np.testing.assert_array_equal(place.kept(), place.state.dq)


def test_without_contacts_every_direction_is_kept() -> None:
    place = Place(1.3)
    np.testing.assert_array_equal(kept_travel(place.gap[:0], place.state.dq), place.state.dq)


def test_opposite_posts_say_the_same_twice() -> None:
    place = Place(1.3)
    twice = kept_travel(np.vstack([place.gap, -place.gap[:2]]), place.state.dq)
    np.testing.assert_allclose(twice, place.kept(), atol=1e-4)


def test_contacts_that_forbid_travel_stretch_nothing() -> None:
    """Every joint is held: what is left of the motion is not scaled up without limit."""
    place = Place(1.3)
    joints = np.eye(place.state.dq.size)[3:]
    held = kept_travel(joints, place.state.dq)
    assert np.linalg.norm(held) <= MOST_STRETCH * np.linalg.norm(place.state.dq)


@settings(max_examples=20, deadline=None)
@given(st.floats(-3.0, 3.0), st.floats(0.02, 5.0))
def test_neither_the_frame_nor_the_order_nor_the_length_matters(turn: float, size: float) -> None:
    """Turned in the plane, contacts in another order, a motion `size` times as fast."""
    place = Place(1.52)
    matrix = np.eye(place.state.dq.size)
    matrix[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    order = np.random.default_rng(0).permutation(len(place.gap))
    elsewhere = kept_travel((place.gap @ matrix.T)[order], size * (matrix @ place.state.dq))
    np.testing.assert_allclose(elsewhere, size * (matrix @ place.kept()), atol=1e-5 * size)


def test_a_target_is_turned_with_its_travel_and_loses_only_what_works_against_it() -> None:
    place, rng = Place(1.52), np.random.default_rng(1)
    p, t = place.p, place.kept()[3:]

    def turned(target: Array, gap: Array = place.gap) -> Array:
        return kept_motion(gap, place.state.dq, target)[1]

    target = rng.normal(size=p.size)
    result = turned(target)
    assert t @ result / (t @ t) == pytest.approx(p @ target / (p @ p))
    np.testing.assert_allclose(turned(0.3 * p), 0.3 * t, atol=1e-12)
    np.testing.assert_allclose(turned(target, place.gap[:0]), target, atol=1e-12)
    both = np.linalg.qr(np.column_stack([p, t]))[0]
    across = target - both @ (both.T @ target)
    np.testing.assert_allclose(turned(across), across, atol=1e-12)


def decided(place: Place, along: Array, target: Array) -> float:
    """Acceleration along the path on which the QP decides at rest, m/s2."""
    count, d = place.gap.shape
    problem = Problem(
        mass=place.state.mass,
        bias=np.zeros(d),
        gap=place.gap,
        push=place.gap,
        slip=None,
        redundant=None,
        target=target,
        along=along,
        desired=np.full(count, 5.0),
        floor=np.zeros(count),
        torque_bounds=np.array([[-1e3], [1e3]]) * np.ones((2, d - 3)),
    )
    delta = CompiledSolver(Weights()).solve(problem).delta[3:]
    return float(place.p @ delta / (place.p @ place.p))


@pytest.mark.parametrize("s", [1.0, 1.31, 1.77])
def test_a_shape_that_contacts_forbid_does_not_hold_the_robot_back(s: float) -> None:
    """The shape loop asks for what only leaving the contacts would give; with it along q' the QP
    answers the one with the other: 0.5 m/s2 forwards by the speed loop, as much backwards by shape.
    """
    place = Place(s)
    p, t = place.p, place.kept()[3:]
    freely = decided(place, t, 0.5 * t)
    across = t - p  # p.(t - p) = 0: the shape error by which the body lags behind its path
    for size in (-6.0, 6.0):  # rad/s2 per rad/m: 15 mm of way at K_p = 400 1/s2
        asked = 0.5 * p + size * across
        assert decided(place, t, kept_motion(place.gap, place.state.dq, asked)[1]) == pytest.approx(
            freely, abs=1e-3
        )
    braked = decided(place, p, 0.5 * p - 6.0 * across)
    assert braked < freely - 0.1
