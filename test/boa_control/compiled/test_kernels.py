"""Compiled kernels against numpy: the same but for rounding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.compiled import compiled, rows
from boa_control.compiled.chain import chain_rows, touches
from boa_control.controllers.hoal.deformation import PREVIEW
from boa_control.model.dynamics import PlanarChain
from boa_control.optimisation.kernels import NUMPY
from boa_description.load import load_robot
from test.boa_control.compiled import by_numpy
from test.boa_control.controllers.hoal.offset_circle import BOA, CHAIN, MODEL, PATH, SCHEDULE, bent

CLOSE = {"rtol": 1e-9, "atol": 1e-12}


@pytest.mark.parametrize("name", ["boa3", "boa13", "boa20"])
def test_the_rows_of_a_chain_are_those_of_its_closed_form(name: str) -> None:
    chain = PlanarChain(load_robot(name))
    q = np.random.default_rng(3).normal(size=chain.links + 2)
    axes, along, across_rows, along_rows = chain_rows(q, chain.pitch)
    posture = chain.posture(q)
    np.testing.assert_allclose(along, posture.cos + 1j * posture.sin, **CLOSE)
    np.testing.assert_allclose(
        axes.view(float).reshape(-1, 2), chain.joint_axes(q, posture), **CLOSE
    )
    np.testing.assert_allclose(across_rows, chain.across_rows(posture), **CLOSE)
    np.testing.assert_allclose(along_rows, chain.along_rows(posture), **CLOSE)


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
    around = (
        BOA.link.pitch,
        near.s,
        near.side,
        near.centre + shift,
        near.towards,
        located,
        PREVIEW,
    )
    found = touches(state.axes, state.along, state.sigma, *around)
    expected = by_numpy.touches(state, *around)
    np.testing.assert_array_equal(found[0], expected.link)
    for mine, other in zip(found[1:], expected[1:], strict=True):
        np.testing.assert_allclose(mine, other, **CLOSE)
    assert count > 5 and len(PATH.obstacles) > 5


def test_a_post_behind_a_tail_that_has_swung_away_is_not_beside_the_next_link() -> None:
    """It lies across the second link, but the path there has been left: taken for beside it, it
    threw the pose of the body by 125 mm (40 mm, seed 105, lost at 2.08 m).
    """
    axes, along, *_ = chain_rows(np.zeros(CHAIN.links + 2), CHAIN.pitch)
    one, centre, towards = np.ones(1), np.array([0.15 + 0.25j]), np.array([-1.0 + 0.0j])
    sigma, located = axes.real.copy(), np.ones(1, bool)
    around = (sigma, CHAIN.pitch, -0.105 * one, one, centre, towards, located, 0.26)
    inside = touches(axes, along, *around)[-1]
    assert inside.item() < -0.2


def random_rows(seed: int, count: int) -> tuple[np.ndarray, ...]:
    """J, P, q', M, and the direction of travel, of `count` contacts."""
    rng = np.random.default_rng(seed)
    size = CHAIN.links + 2
    gap, push = rng.normal(size=(2, count, size))
    travel, direction = rng.normal(size=size), rng.normal(size=size - 3)
    return gap, push, travel, MODEL.at(0.3).mass.copy(), direction


@pytest.mark.parametrize("count", [1, 4, 9])
def test_the_rows_of_the_qp_are_those_of_numpy(count: int) -> None:
    gap, push, travel, mass, direction = random_rows(count, count)
    size = gap.shape[1]
    u = direction / np.linalg.norm(direction)
    u[0] += np.sign(u[0])
    v = 2 * u / u.dot(u)
    mine, other = np.zeros((2, size + count, count + size))
    rows.write_rows(mine, mass, gap, push, u, v)
    NUMPY.write_rows(other, mass, gap, push, u, v)
    np.testing.assert_allclose(mine, other, **CLOSE)
    opening = gap @ travel
    np.testing.assert_allclose(
        rows.nearest_kept(gap, travel, opening.copy(), 0.01, 1e-8),
        NUMPY.nearest_kept(gap, travel, opening.copy(), 0.01, 1e-8),
        rtol=1e-7,
        atol=1e-9,
    )
    rng = np.random.default_rng(7)
    joints = size - 3
    arguments = (
        push,
        (rng.uniform(size=(count, joints)) < 0.5).astype(float),
        rng.normal(size=(2, joints, size)),
        rng.normal(size=(2, joints)),
        rng.normal(size=count),
        rng.normal(size=size),
    )
    np.testing.assert_allclose(
        rows.joint_forces(*arguments), NUMPY.joint_forces(*arguments), **CLOSE
    )


@pytest.mark.parametrize("count", [4, 7])
def test_what_the_base_leaves_open_is_a_least_squares_remainder(count: int) -> None:
    rng = np.random.default_rng(count)
    gap, weight = rng.normal(size=(count, 15)), rng.uniform(1e-3, 1.0, size=count)
    rate = rng.normal(size=count)
    np.testing.assert_allclose(
        rows.left_open(gap, weight, rate), by_numpy.left_open(gap, weight, rate), rtol=1e-8
    )


def test_contacts_that_let_the_base_slide_leave_a_remainder_all_the_same() -> None:
    """Those of a straight chain have no say along it: numpy's `solve` called that singular."""
    rng = np.random.default_rng(5)
    gap, rate = rng.normal(size=(6, 15)), rng.normal(size=6)
    gap[:, 0] = 0.0
    best = np.linalg.lstsq(gap[:, :3], rate, rcond=None)[0]
    remainder = rate - gap[:, :3] @ best
    np.testing.assert_allclose(rows.left_open(gap, np.ones(6), rate), remainder, rtol=1e-8)


def test_arrays_of_other_types_are_refused_and_not_compiled_for() -> None:
    with pytest.raises(TypeError, match="No matching definition"):
        chain_rows(np.zeros(15, np.float32), 0.1)
    assert len(chain_rows.signatures) == 1


def test_a_kernel_that_cannot_be_kept_in_a_folder_is_compiled_all_the_same() -> None:
    """Without a source file there is none beside it."""
    names: dict[str, object] = {}
    exec("def twice(x):\n    return 2.0 * x\n", names)
    assert compiled("f8(f8)")(names["twice"])(1.5) == 3.0
