# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels against numpy: the same but for rounding."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.compiled import compiled, qp, rows
from boa_control.compiled.chain import (
    BentChain,
    Posts,
    Touched,
    chain_rows,
    follow,
    nearest,
    touches,
)
from boa_control.compiled.on_path import (
    ShapeGains,
    ShapeState,
    interpolate,
    joints_on_path,
    shape_loop,
    swing,
)
from boa_control.compiled.rows import (
    KEPT,
    ChainRows,
    ContactPlaces,
    Demand,
    ServoLine,
    Way,
)
from boa_control.controllers.hoal.law.qp import empty_rows
from boa_control.controllers.hoal.post_map.deformation import BendFit
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.model.dynamics import PlanarChain
from boa_control.optimisation.kept_travel import kept_travel
from boa_description.load import load_robot
from boa_description.torque_speed import TorqueSpeedLine
from test.boa_control.compiled import by_numpy
from test.boa_control.controllers.hoal.offset_circle import BOA, CHAIN, MODEL, PATH, SCHEDULE, bent
from test.boa_control.optimisation.kept import kept_motion

PREVIEW = SHIPPED.post_map.preview

CLOSE = {"rtol": 1e-9, "atol": 1e-12}
RAMP = 0.03  # m


def rows_of(q: np.ndarray, pitch: float) -> tuple[np.ndarray, ...]:
    """Axes, directions, and rows across and along, of `chain_rows`."""
    links = q.size - 2
    axes, along = np.empty(links + 1, complex), np.empty(links, complex)
    across_rows, along_rows = np.empty((2, links, links + 2))
    chain_rows(axes, along, across_rows, along_rows, q, pitch)
    return axes, along, across_rows, along_rows


@pytest.mark.parametrize("name", ["boa3", "boa13", "boa20"])
def test_the_rows_of_a_chain_are_those_of_its_closed_form(name: str) -> None:
    chain = PlanarChain(load_robot(name))
    q = np.random.default_rng(3).normal(size=chain.links + 2)
    axes, along, across_rows, along_rows = rows_of(q, chain.pitch)
    posture = chain.posture(q)
    np.testing.assert_allclose(along, posture.cos + 1j * posture.sin, **CLOSE)
    np.testing.assert_allclose(
        axes.view(float).reshape(-1, 2), chain.joint_axes(q, posture), **CLOSE
    )
    np.testing.assert_allclose(across_rows, chain.across_rows(posture), **CLOSE)
    np.testing.assert_allclose(along_rows, chain.along_rows(posture), **CLOSE)


def touched(chain: BentChain, posts: Posts, beyond: float) -> tuple[np.ndarray, ...]:
    """Link, normal, and offset, distance, `inside` and activation of what `touches` is asked."""
    count = posts.s.size
    written = Touched(np.empty(count, int), np.empty((count, 2)), np.empty((4, count)))
    touches(written, chain, posts, beyond, RAMP, True)
    return written.link, written.normal, *written.places


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_posts_touch_a_bent_chain_where_numpy_says_so(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bend = np.concatenate([rng.normal(scale=0.005, size=3), rng.normal(scale=0.05, size=12)])
    state = bent(rng.uniform(0, 3), bend)
    near = SCHEDULE.near(state, PREVIEW)
    count = near.s.size
    shift = rng.normal(scale=0.01, size=(count, 2)) @ [1.0, 1j]
    located = rng.uniform(size=count) < 0.5
    chain = BentChain(state.axes, state.along, state.sigma, BOA.link.pitch)
    posts = Posts(near.s, near.side, near.centre + shift, near.towards, located)
    link, normal, *places = touched(chain, posts, PREVIEW)
    expected = by_numpy.touches(state, BOA.link.pitch, *posts, PREVIEW)
    activation = np.clip(expected.inside / RAMP, 0.0, 1.0)
    np.testing.assert_array_equal(link, expected.link)
    np.testing.assert_allclose(normal, expected.normal, **CLOSE)
    for mine, other in zip(
        places, (expected.offset, expected.distance, expected.inside, activation), strict=True
    ):
        np.testing.assert_allclose(mine, other, **CLOSE)
    assert count > 5 and len(PATH.contacts) > 5


def test_a_post_behind_a_tail_that_has_swung_away_is_not_beside_the_next_link() -> None:
    """It lies across the second link, but the path there has been left: taken for beside it, it
    threw the pose of the body by 125 mm (40 mm, seed 105, lost at 2.08 m).
    """
    axes, along, *_ = rows_of(np.zeros(CHAIN.links + 2), CHAIN.pitch)
    one, centre, towards = np.ones(1), np.array([0.15 + 0.25j]), np.array([-1.0 + 0.0j])
    sigma, located = axes.real.copy(), np.ones(1, bool)
    chain = BentChain(axes, along, sigma, CHAIN.pitch)
    inside = touched(chain, Posts(-0.105 * one, one, centre, towards, located), 0.26)[4]
    assert inside.item() < -0.2


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_post_passes_through_the_bend_of_a_joint_evenly(side: float) -> None:
    """Given to the nearer of both links, its contact jumped by 28 mm, and a body that stood with a
    post there was thrown to and fro (40 mm, seeds 111, 113).
    """
    bend, reach = 0.5, 0.09
    q = np.zeros(CHAIN.links + 2)
    q[2 + 6] = side * bend
    axes, along, *_ = rows_of(q, CHAIN.pitch)
    middle = side * 1j * along[5] * np.exp(0.5j * side * bend)
    corner = axes[6] + reach / np.cos(bend / 2) * middle
    lines = []
    for way in np.arange(-0.04, 0.04, 1e-4):
        centre = complex(corner + way * along[5 if way < 0.0 else 6])
        for planned in (5, 6):
            link, offset, lengthwise, across, distance = nearest(
                centre, side, planned, axes, along, CHAIN.pitch, True
            )
            foot = axes[link] + offset * along[link]
            normal = complex(lengthwise, across) * along[link]
            assert distance == pytest.approx(side * reach)
            assert ((foot - centre) * normal.conjugate()).imag == pytest.approx(0.0, abs=1e-12)
            lines.append((foot.real, foot.imag, normal.real, normal.imag))
    one, other = np.array(lines[::2]), np.array(lines[1::2])
    np.testing.assert_allclose(one, other, atol=1e-12)
    assert np.abs(np.diff(one[:, :2], axis=0)).max() < 3e-4
    assert np.abs(np.diff(one[:, 2:], axis=0)).max() < 3e-3
    turned = np.angle((one[-1, 2] + 1j * one[-1, 3]) / (one[0, 2] + 1j * one[0, 3]))
    assert turned == pytest.approx(side * bend)


@pytest.mark.parametrize("fastest", [0.04, 1e9])
def test_the_reference_follows_its_fit(fastest: float) -> None:
    rng = np.random.default_rng(7)
    bend, rate = rng.normal(size=(2, 15))
    fit = BendFit(*(rng.normal(size=shape) for shape in (12, 3, (3, 12), (6, 12))))
    period = 0.002
    found = np.empty((2, 15))
    follow(*found, bend, rate, fit, fastest, 25.0, period)
    moving = (1 - 2 * 25.0 * period) * rate[3:] + 25.0**2 * period * (fit.joints - bend[3:])
    moving /= max((np.abs(fit.opening @ moving) / fastest).max(), 1.0)
    np.testing.assert_allclose(found[0], fit.bend(bend[3:] + period * moving), **CLOSE)
    np.testing.assert_allclose(found[1], np.r_[fit.swing @ moving, moving], **CLOSE)


def random_rows(seed: int, count: int) -> tuple[np.ndarray, ...]:
    """J, P, q', M, and the direction of travel, of `count` contacts."""
    rng = np.random.default_rng(seed)
    size = CHAIN.links + 2
    gap, push = rng.normal(size=(2, count, size))
    travel, direction = rng.normal(size=size), rng.normal(size=size - 3)
    return gap, push, travel, MODEL.at(0.3).mass.copy(), direction


@pytest.mark.parametrize("friction", [0.0, 0.3, -0.3])
def test_the_rows_of_contacts_are_those_of_numpy(friction: float) -> None:
    """At flanks, and at rounded ends and joints."""
    on_path = SCHEDULE.at(MODEL.at(0.7))
    bent_state = bent(0.7, np.random.default_rng(2).normal(scale=0.03, size=CHAIN.links + 2))
    oblique = np.random.default_rng(4).normal(size=(on_path.link.size, 2))
    for state, contacts in (
        (MODEL.at(0.7), on_path),
        (bent_state, on_path._replace(normal=oblique)),
    ):
        found = contacts.rows(CHAIN, state, friction)
        expected = by_numpy.contact_rows(contacts, CHAIN, state, friction)
        np.testing.assert_allclose(found[0], expected[0], **CLOSE)
        np.testing.assert_allclose(found[1], expected[1], **CLOSE)


@pytest.mark.parametrize("count", [1, 4, 9])
def test_the_travel_that_keeps_contacts_is_that_of_numpy(count: int) -> None:
    gap, _, travel, _, target = random_rows(count, count)
    kept, turned = kept_motion(gap, travel, target)
    np.testing.assert_array_equal(kept_travel(gap, travel), kept)
    np.testing.assert_allclose(kept, by_numpy.kept_travel(gap, travel), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(turned, by_numpy.turned(target, travel[3:], kept[3:]), **CLOSE)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_travel_that_hardly_opens_a_contact_stays_as_it_is(side: float) -> None:
    """Up to what the tables of a path round."""
    gap, _, travel, _, _ = random_rows(3, 4)
    along = travel / (travel @ travel)
    still = gap - np.outer(gap @ travel, along)
    for share, stays in ((0.9, True), (1.1, False)):
        opened = still + np.outer([0.0, 0.0, side * share * KEPT, 0.0], along)
        assert np.array_equal(kept_travel(opened, travel), travel) == stays


def test_contacts_with_equal_rows_are_kept_as_one() -> None:
    """As of posts opposite each other."""
    gap, _, travel, _, _ = random_rows(5, 2)
    twice = np.vstack((gap, gap[:1]))
    np.testing.assert_allclose(kept_travel(twice, travel), kept_travel(gap, travel), rtol=1e-5)


@pytest.mark.parametrize("felt", [(True,) * 5, (True, False, True, True, False)])
def test_what_the_qp_of_a_tick_is_made_of_is_that_of_numpy(felt: tuple[bool, ...]) -> None:
    """Of contacts that are not felt the gap counts, and neither their push nor their say in the
    travel.
    """
    state = MODEL.at(0.7)
    contacts, touching = SCHEDULE.at(state), np.array(felt)
    assert contacts.link.size == touching.size
    level = np.zeros(0) if touching.all() else 0.3 * touching
    rng = np.random.default_rng(6)
    torque, target = rng.normal(size=(2, BOA.joints))
    line = TorqueSpeedLine(BOA.actuator, BOA.joints, limit=5.0, share=0.9)
    rate, ground, planned, friction = 0.11, 0.2, 0.4, 0.3
    gravity = np.array([0.5, -0.3])
    size = state.dq.size
    made = empty_rows(touching.size, size)
    rows.motion_rows(
        made,
        ContactPlaces(contacts.link, contacts.offset, contacts.side, contacts.normal),
        level,
        ChainRows(state.across_rows, state.along_rows),
        Way(state.dq, state.mass, state.inertial, state.ground, gravity),
        ServoLine(line.stall, line.slope, line.limit),
        Demand(torque, target, rate, ground, planned),
        friction,
        CHAIN.radius,
    )
    gap, push, bias, carried, travel, turned, bounds = made
    expected_gap, expected_push = by_numpy.contact_rows(contacts, CHAIN, state, friction)
    np.testing.assert_allclose(gap, expected_gap, **CLOSE)
    np.testing.assert_allclose(push, expected_push * touching[:, None], **CLOSE)
    kept, expected_target = kept_motion(gap[touching], state.dq, target)
    np.testing.assert_allclose(travel, kept, **CLOSE)
    np.testing.assert_allclose(turned, expected_target, **CLOSE)
    expected = state.bias(rate, ground) - state.mass[:, :2] @ gravity
    np.testing.assert_allclose(
        carried, expected[:3] + state.mass[:3] @ kept * planned, rtol=1e-9, atol=1e-10
    )
    expected[3:] += torque
    np.testing.assert_allclose(bias, expected, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(bounds, line.bounds(state.dq[3:] * rate), **CLOSE)


def test_posts_at_the_flanks_are_those_of_numpy() -> None:
    state = MODEL.at(0.7)
    contacts, near = SCHEDULE.at(state), SCHEDULE.near(state)
    expected = by_numpy.flank_touches(state, near.s, near.centre)
    np.testing.assert_array_equal(contacts.link, expected.link)
    np.testing.assert_allclose(contacts.offset, expected.offset, **CLOSE)
    np.testing.assert_allclose(contacts.distance, expected.distance, **CLOSE)
    np.testing.assert_allclose(contacts.inside, expected.inside, **CLOSE)
    np.testing.assert_allclose(
        contacts.activation, np.minimum(expected.inside / SCHEDULE.ramp, 1.0), **CLOSE
    )


@pytest.mark.parametrize("count", [1, 4, 9])
def test_the_rows_of_the_qp_are_those_of_numpy(count: int) -> None:
    gap, push, _, mass, along = random_rows(count, count)
    size, joints = push.shape[1], along.size
    form = qp.Form(
        *(np.ones(count + size), np.zeros(count + size)),
        np.zeros((size + count, count + size)),
        *np.zeros((2, 2 * count + size)),
        np.zeros(2 * count + size, np.int32),
    )
    given_ = qp.Instance(
        mass=mass,
        bias=np.zeros(size),
        gap=gap,
        push=push,
        slip=np.zeros(count),
        redundant=np.zeros(count, bool),
        target=np.zeros(joints),
        along=along,
        desired=np.zeros(count),
        floor=np.zeros(count),
        torque_bounds=np.zeros((2, joints)),
        excess=np.zeros(count),
    )
    optimum = qp.Optimum(np.zeros(count), np.zeros(size), np.zeros(joints))
    mirror = qp.Reflection(*np.zeros((2, joints)))
    qp.hold_and_move(np.zeros(count + size), form, mirror, 1.0, given_, optimum)
    np.testing.assert_allclose(form.A, by_numpy.qp_rows(mass, gap, push, along), **CLOSE)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), tight=st.sampled_from([0.1, 1.0, 10.0]))
def test_where_no_row_is_at_its_bound_the_solver_is_not_needed(seed: int, tight: float) -> None:
    """Softened bounds of x, and equalities of which one is there twice."""
    rng = np.random.default_rng(seed)
    weights, f = rng.uniform(0.1, 10.0, 12), rng.normal(size=12)
    A = rng.normal(size=(6, 12))
    A[4] = A[0] - A[1]
    value = rng.normal(size=6)
    value[4] = value[0] - value[1]
    lower = np.r_[-tight * rng.uniform(size=5), value]
    upper = np.r_[tight * rng.uniform(size=5), value]
    lower[-1], upper[-1] = -1e3, 1e3
    sense = np.r_[np.full(5, qp.SOFT), np.full(5, qp.EQUAL), 0].astype(np.int32)
    x, price = np.empty(12), 50.0
    assert qp.settled(x, qp.Form(weights, f, A, lower, upper, sense), price)
    np.testing.assert_allclose(A[:5] @ x, value[:5], atol=1e-9)
    beyond = np.maximum(x[:5] - upper[:5], 0.0) - np.maximum(lower[:5] - x[:5], 0.0)
    gradient = weights * x + f + price * np.r_[beyond, np.zeros(7)]
    left_over = gradient - A[:5].T @ np.linalg.lstsq(A[:5].T, gradient, rcond=None)[0]
    np.testing.assert_allclose(left_over, 0.0, atol=1e-7)


def test_a_row_at_its_bound_needs_the_solver() -> None:
    A, sense = np.array([[1.0, 1.0]]), np.zeros(1, np.int32)
    x, ones = np.empty(2), np.ones(2)
    form = qp.Form(ones, -ones, A, np.array([-3.0]), np.array([3.0]), sense)
    assert qp.settled(x, form, 1.0)
    np.testing.assert_allclose(x, 1.0)
    assert not qp.settled(x, form._replace(upper=np.array([1.9])), 1.0)


@pytest.mark.parametrize("count", [1, 4, 9])
def test_joint_forces_are_those_of_numpy(count: int) -> None:
    _, push, *_ = random_rows(count, count)
    rng = np.random.default_rng(7)
    size = push.shape[1]
    joints = size - 3
    arguments = (
        push,
        rng.integers(0, joints + 1, count),
        rng.normal(size=(2, joints, size)),
        rng.normal(size=(2, joints)),
        rng.normal(size=count),
        rng.normal(size=size),
    )
    forces = np.empty((joints, 2))
    largest = qp.joint_forces(forces, *arguments)
    assert largest == np.hypot(forces[:, 0], forces[:, 1]).max()
    np.testing.assert_allclose(forces, by_numpy.joint_forces(*arguments), **CLOSE)


def test_the_sums_of_the_loops_are_those_of_numpy() -> None:
    phi, phi_dot, phi_ref, p = np.random.default_rng(8).normal(size=(4, 12))
    deviation, target = np.empty((2, 12))
    sums = joints_on_path(deviation, phi, phi_dot, phi_ref, p)
    np.testing.assert_array_equal(deviation, phi - phi_ref)
    expected = p @ p, p @ deviation, p @ phi_dot, deviation @ deviation
    np.testing.assert_allclose(sums, expected, **CLOSE)
    assert swing(phi_dot, p, 0.7) == pytest.approx(np.abs(phi_dot - 0.7 * p).max())
    joints = ShapeState(p, deviation, phi_dot, 0.2)
    shape_loop(target, 0.7, joints, ShapeGains(400.0, 40.0, math.inf))
    np.testing.assert_allclose(target, 0.7 * p - 400.0 * deviation - 40.0 * phi_dot, **CLOSE)


@pytest.mark.parametrize("most", [0.5, 1e3])
def test_an_error_of_the_shape_is_limited_in_its_direction(most: float) -> None:
    deviation, along = np.random.default_rng(9).normal(size=(2, 12))
    target, still = np.empty(12), np.zeros(12)
    joints = ShapeState(along, deviation, still, 0.2)
    shape_loop(target, 0.2 * 3.0, joints, ShapeGains(3.0, 1.0, most))
    error = 0.2 * along - deviation
    kept = min(1.0, most / (3.0 * np.linalg.norm(error)))
    np.testing.assert_allclose(target, 3.0 * kept * error, **CLOSE)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_row_between_two_of_a_table(share: float) -> None:
    table, row = np.random.default_rng(1).normal(size=(4, 7)), np.empty(7)
    interpolate(row, table, 2, share, 0.3, 5, 7)
    expected = (1 - share) * table[2] + share * table[3]
    expected[5:] += 0.3
    np.testing.assert_allclose(row, expected, **CLOSE)


def test_arrays_of_other_types_are_refused_and_not_compiled_for() -> None:
    with pytest.raises(TypeError, match="No matching definition"):
        rows_of(np.zeros(15, np.float32), 0.1)
    assert len(chain_rows.signatures) == 1


def test_a_kernel_that_cannot_be_kept_in_a_folder_is_compiled_all_the_same() -> None:
    """Without a source file there is none beside it."""
    names: dict[str, object] = {}
    exec("def twice(x):\n    return 2.0 * x\n", names)
    assert compiled("f8(f8)")(names["twice"])(1.5) == 3.0
