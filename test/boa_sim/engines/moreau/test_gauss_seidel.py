# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The laws of contact against closed forms, and against how each law is defined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_description.arrays import Array
from boa_sim.engines.moreau import blocks
from boa_sim.engines.moreau.cone_newton import cone_newton
from boa_sim.engines.moreau.coordinates import assembled
from boa_sim.engines.moreau.gauss_seidel import (
    MOST_SWEEPS,
    TOLERANCE,
    _error,
    _sweeps,
    solve,
)
from boa_sim.engines.moreau.newton import newton_step

STEP, GRAVITY = 0.001, 9.81


def block_on_a_plane(speed: float, mu: float, convex: bool, tangents: int) -> tuple[Array, Array]:
    """Heights and distances of a block of 2 kg that slides on a plane for 0.4 s; x, (y,) z."""
    size = 1 + tangents
    q, v, p = np.zeros(size), np.zeros(size), np.zeros(size)
    v[0] = speed
    inertia = 2.0 * np.eye(size)
    rows = np.eye(size)[[-1, *range(tangents)]]  # normal first: the last coordinate is the height
    gravity = np.zeros(size)
    gravity[-1] = -GRAVITY
    track = []
    for _ in range(400):
        shift = np.array([q[-1] / STEP])
        result = solve(
            inertia,
            v + STEP * gravity,
            rows,
            blocks.contacts(shift, mu, tangents),
            p,
            convex=convex,
        )
        v, p = result.velocity, result.impulse
        q = q + STEP * v
        track.append(q.copy())
    path = np.array(track)
    return path[:, -1], path[:, 0]


@pytest.mark.parametrize("tangents", [1, 2])
def test_a_sliding_block_stops_where_coulomb_says(tangents: int) -> None:
    """v^2 / (2 mu g) = 0.1019 m; a step of first order stops h v / 2 = 0.5 mm earlier."""
    height, distance = block_on_a_plane(1.0, 0.5, False, tangents)
    assert distance[-1] == pytest.approx(1.0 / (2 * 0.5 * GRAVITY), rel=0.01)
    assert distance[-1] == distance[-100], "it sticks, not creeps"
    assert np.abs(height).max() < 1e-9


@pytest.mark.parametrize("tangents", [1, 2])
def test_the_convex_relaxation_throws_a_sliding_block_off(tangents: int) -> None:
    """u_n = mu |u_t|: it hops by millimetres. This is why it is not the engine's default."""
    height, _ = block_on_a_plane(1.0, 0.5, True, tangents)
    assert height.max() > 1e-3


def test_a_cone_without_a_direction_of_friction_brakes_nothing() -> None:
    """The paper's program asks only for |p_t| <= mu p_n and for the least effort: p_t = 0 is
    feasible and the block slides for ever. Maximal dissipation must be demanded.
    """
    _, free = block_on_a_plane(1.0, 0.0, False, 1)
    assert free[-1] == pytest.approx(0.4, rel=1e-9), "the least p_t in the cone: nothing brakes"
    _, braked = block_on_a_plane(1.0, 0.5, False, 1)
    assert braked[-1] < 0.3 * free[-1]


@pytest.mark.parametrize(("angle", "moves"), [(0.45, False), (0.48, True)])
def test_a_block_on_a_slope_slides_beyond_the_angle_of_friction(angle: float, moves: bool) -> None:
    """tan(angle) against mu = 0.5: the angle of friction is 0.4636 rad."""
    pull = GRAVITY * np.array([np.sin(angle), -np.cos(angle)])
    v, p = np.zeros(2), np.zeros(2)
    rows = np.array([[0.0, 1.0], [1.0, 0.0]])
    for _ in range(100):
        laws = blocks.contacts(np.zeros(1), 0.5, 1)
        v, p, _, _ = solve(np.eye(2), v + STEP * pull, rows, laws, p)
    expected = 0.1 * (pull[0] + 0.5 * pull[1]) if moves else 0.0
    assert v[0] == pytest.approx(expected, abs=1e-9)


def test_dry_friction_holds_up_to_its_limit() -> None:
    for force, speed in ((0.9, 0.0), (1.5, 0.5 * STEP), (-3.0, -2.0 * STEP)):
        laws = blocks.dry_friction(np.array([STEP * 1.0]))
        result = solve(np.eye(1), np.array([STEP * force]), np.eye(1), laws, np.zeros(1))
        assert result.velocity[0] == pytest.approx(speed, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 8), mu=st.floats(0.0, 1.0))
def test_every_law_holds_at_the_end(seed: int, count: int, mu: float) -> None:
    """Signorini and Coulomb by their definitions, not by the solver's own measure."""
    random = np.random.default_rng(seed)
    nv = 12
    root = random.normal(size=(nv, nv))
    inertia = root @ root.T + nv * np.eye(nv)
    rows = random.normal(size=(3 * count, nv))
    free = random.normal(size=nv)
    shift = random.uniform(-0.2, 0.5, count)
    result = solve(inertia, free, rows, blocks.contacts(shift, mu, 2), np.zeros(3 * count))
    np.testing.assert_allclose(
        inertia @ (result.velocity - free), rows.T @ result.impulse, atol=1e-9
    )
    if result.sweeps >= MOST_SWEEPS:
        return  # 24 rows on 12 velocities need not have a solution; then it says so
    assert result.residual <= TOLERANCE
    u = (rows @ result.velocity).reshape(count, 3)
    p = result.impulse.reshape(count, 3)
    u_n, u_t, p_n, p_t = u[:, 0] + shift, u[:, 1:], p[:, 0], p[:, 1:]
    assert u_n.min() >= -2e-9 and p_n.min() >= 0.0
    assert np.abs(u_n * p_n).max() < 1e-7
    size = np.linalg.norm(p_t, axis=1)
    assert (size <= mu * p_n + 1e-9).all()
    lost = np.einsum("ca,ca->c", u_t, p_t) + mu * p_n * np.linalg.norm(u_t, axis=1)
    assert np.abs(lost).max() < 1e-6, "friction dissipates the most that it can"


def plank(mu: float, tangents: int = 2) -> tuple[Array, Array, blocks.Blocks]:
    """A plank of 2 kg on 26 points, tilted by a thousandth and turning: inertia, J, laws."""
    place = np.array([(0.1 * k, 0.03 * side, -0.05) for k in range(-6, 7) for side in (-1, 1)])
    inertia = np.diag([2.0, 2.0, 2.0, 0.01, 0.3, 0.3])
    rows = []
    for x, y, z in place:
        arm = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])  # of v + omega x r
        point = np.hstack((np.eye(3), arm))
        rows.extend(point[[2, 0, 1]][: 1 + tangents])
    gap = 1e-6 * (1.0 + place[:, 0])
    return inertia, np.array(rows), blocks.contacts(gap / STEP, mu, tangents)


@pytest.mark.parametrize("tangents", [1, 2])
@pytest.mark.parametrize("convex", [False, True])
@pytest.mark.parametrize("speed", [0.0, 0.2])
def test_points_that_share_a_load_are_solved_at_once(
    tangents: int, convex: bool, speed: float
) -> None:
    """26 points on 6 velocities, at rest and turning: far fewer sweeps than there may be."""
    inertia, rows, laws = plank(0.5, tangents)
    free = np.array([speed, 0.1 * speed, -GRAVITY * STEP, 0.0, 0.0, speed])
    result = solve(inertia, free, rows, laws, np.zeros(len(rows)), convex=convex)
    assert result.residual <= TOLERANCE
    assert result.sweeps < MOST_SWEEPS / 10


def test_newton_reaches_the_velocities_of_the_convex_problem_from_nothing() -> None:
    """They are unique: those that sweeps alone end with."""
    inertia, rows, laws = plank(0.5)
    free = np.array([0.3, 0.1, -0.02, 0.4, -0.1, 0.5])
    G, W, w, _ = assembled(inertia, free, rows, laws.first, np.zeros(78))
    given = (G, laws.first, laws.mu, laws.limit, laws.shift, W)
    impulse, at_once = np.zeros(78), w.copy()
    for softness in (1e-3, 1e-5, 1e-6, 1e-6):
        impulse, at_once = cone_newton(*given, impulse, at_once, softness)
    swept, slowly = np.zeros(78), w.copy()
    error, _ = _sweeps(*given, True, swept, slowly, 20_000)
    assert error < 1e-7
    np.testing.assert_allclose(at_once, slowly, atol=1e-6)
    assert np.abs(at_once - w).max() > 0.01, "contact matters"


def test_newton_ends_what_sweeps_have_begun() -> None:
    """A few steps from the fifth sweep of a plank that slides and turns: to rounding."""
    inertia, rows, laws = plank(0.5)
    free = np.array([0.3, 0.1, -0.02, 0.0, 0.0, 0.5])
    G, W, w, _ = assembled(inertia, free, rows, laws.first, np.zeros(78))
    given = (G, laws.first, laws.mu, laws.limit, laws.shift, W)
    impulse = np.zeros(78)
    error, _ = _sweeps(*given, False, impulse, w, 5)
    assert error > 1e-6
    for _ in range(10):
        after = newton_step(*given, impulse, w)
        impulse, w = after, w + (after - impulse) @ G
    assert _error(*given, False, impulse, w) < 1e-11


def test_the_same_input_gives_the_same_bits() -> None:
    random = np.random.default_rng(3)
    root, rows = random.normal(size=(9, 9)), random.normal(size=(12, 9))
    laws = blocks.contacts(np.zeros(4), 0.4, 2)
    once, again = (
        solve(root @ root.T + np.eye(9), np.ones(9), rows, laws, np.zeros(12)) for _ in range(2)
    )
    assert np.array_equal(once.velocity, again.velocity)
    assert np.array_equal(once.impulse, again.impulse)
