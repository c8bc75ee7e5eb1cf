# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Second-order immobility against textbook cases and against the gap function itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from boa_control.planning.checks.second_order import gap_derivatives, order_of_immobility

Grasp = tuple[np.ndarray, np.ndarray, np.ndarray]  # points, normals, centres


def triangle(radius: float) -> Grasp:
    """Round posts against the middles of the three sides of a triangle: all normals meet in the
    centre.
    """
    angle = np.radians([90.0, 210.0, 330.0])
    outward = np.column_stack([np.cos(angle), np.sin(angle)])
    return outward, -outward, (1 + radius) * outward


@pytest.mark.parametrize("radius", [0.05, 0.5, 5.0])
def test_three_posts_hold_a_triangle_by_curvature_only(radius: float) -> None:
    assert order_of_immobility(*triangle(radius)) == 2


def test_a_body_around_concave_walls_turns_away() -> None:
    """The same normals with the centres of curvature beyond the centre of the body: turning opens
    the gaps.
    """
    points, normals, _ = triangle(0.5)
    assert order_of_immobility(points, normals, points + 1.5 * normals) == 0


def test_two_posts_squeezing_a_bar_let_it_slide() -> None:
    points = np.array([[0.0, 0.1], [0.0, -0.1]])
    normals = np.array([[0.0, -1.0], [0.0, 1.0]])
    assert order_of_immobility(points, normals, points - 0.05 * normals) == 0


def test_contacts_that_cannot_balance_do_not_hold() -> None:
    points, normals, centres = triangle(0.1)
    assert order_of_immobility(points[:2], normals[:2], centres[:2]) == 0


def with_post(grasp: Grasp, point: list[float], inward: list[float], radius: float) -> Grasp:
    """The same with one more round post, which touches at `point` with normal `inward`."""
    normal = np.array(inward) / np.linalg.norm(inward)
    points, normals, centres = grasp
    return (
        np.vstack([points, point]),
        np.vstack([normals, normal]),
        np.vstack([centres, point - radius * normal]),
    )


def turned(grasp: Grasp, angle: float) -> Grasp:
    c, s = np.cos(angle), np.sin(angle)
    points, normals, centres = (part @ np.array([[c, s], [-s, c]]) for part in grasp)
    return points, normals, centres


BAR = (
    np.array([[0.0, 0.1], [0.0, -0.1]]),
    np.array([[0.0, -1.0], [0.0, 1.0]]),
    np.array([[0.0, 0.15], [0.0, -0.15]]),
)
CONCAVE_BAR = BAR[0], BAR[1], BAR[0] + 0.5 * BAR[1]


def stopped(bar: Grasp) -> Grasp:
    """A bar with a stop at either end, beside its middle line: it cannot slide, and turn only one
    way.
    """
    return with_post(with_post(bar, [-1.0, 0.05], [1.0, 0.0], 0.1), [1.0, -0.05], [-1.0, 0.0], 0.1)


HELD = {
    "a bar between two posts and two stops": stopped(BAR),
    "a further post on one side of the triangle": with_post(
        triangle(0.5), [0.4, 1.0], [0.0, -1.0], 0.5
    ),
    "two further posts": with_post(
        with_post(triangle(0.5), [0.4, 1.0], [0.0, -1.0], 0.5), [0.6, 1.0], [0.0, -1.0], 0.2
    ),
    "a bar with a notch on one side, which cannot slide, and a post beside it": with_post(
        with_post(with_post(BAR, [0.3, 0.1], [1.0, -0.3], 0.05), [-0.3, 0.1], [-1.0, -0.3], 0.05),
        [0.1, 0.1],
        [0.0, -1.0],
        0.05,
    ),
    "a further post that would free nothing": with_post(
        triangle(0.5), [-0.4, 1.0], [0.0, -1.0], 3.0
    ),
}
LOOSE = {
    "a bar that can turn between its stops": stopped(CONCAVE_BAR),
    "a bar between two posts slides": BAR,
    "also with a post at one end": with_post(BAR, [1.0, 0.0], [-1.0, 0.0], 0.1),
    "also with a third post along it": with_post(BAR, [0.5, 0.1], [0.0, -1.0], 0.05),
    "and with posts on both sides in a row": with_post(
        with_post(BAR, [0.5, 0.1], [0.0, -1.0], 0.05), [0.5, -0.1], [0.0, 1.0], 0.05
    ),
    "two posts of a triangle and one beside the first": with_post(
        (triangle(0.5)[0][:2], triangle(0.5)[1][:2], triangle(0.5)[2][:2]),
        [0.2, 1.0],
        [0.0, -1.0],
        0.5,
    ),
    "a body around concave walls, with a post beside it": with_post(
        (triangle(0.5)[0], triangle(0.5)[1], triangle(0.5)[0] + 1.5 * triangle(0.5)[1]),
        [0.4, 1.0],
        [0.0, -1.0],
        0.5,
    ),
}


@pytest.mark.parametrize("case", HELD)
def test_further_contacts_do_not_free_a_held_body(case: str) -> None:
    assert [order_of_immobility(*turned(HELD[case], angle)) for angle in (0.0, 0.7, 2.9)] == [
        2,
        2,
        2,
    ]
    assert widest_way_out(HELD[case]) < -1e-5


@pytest.mark.parametrize("case", LOOSE)
def test_further_contacts_do_not_hold_a_body_that_can_get_away(case: str) -> None:
    assert [order_of_immobility(*turned(LOOSE[case], angle)) for angle in (0.0, 0.7, 2.9)] == [
        0,
        0,
        0,
    ]
    assert widest_way_out(LOOSE[case]) > -1e-7


def test_a_search_for_motions_agrees() -> None:
    """Three posts in balance on the sides of random triangles, and up to three more anywhere on
    them.
    """
    rng, answers = np.random.default_rng(5), []
    for _ in range(24):
        angle = np.cumsum(rng.uniform(1.2, 2.6, 3))
        outward = np.column_stack([np.cos(angle), np.sin(angle)])
        reach, bulge = rng.uniform(0.5, 1.5, 3), rng.uniform(-1.5, 0.6)
        points = reach[:, None] * outward
        grasp = points, -outward, points + bulge * reach[:, None] * outward
        for _ in range(rng.integers(0, 4)):
            side, shift = rng.integers(3), rng.uniform(-0.5, 0.5)
            along = np.array([-outward[side, 1], outward[side, 0]])
            grasp = with_post(
                grasp, points[side] + shift * along, list(-outward[side]), rng.uniform(0.1, 1.0)
            )
        way_out = widest_way_out(grasp)
        if abs(way_out) < 1e-5:  # too close to call with motions of finite size
            continue
        answers.append(order_of_immobility(*grasp) > 0)
        assert answers[-1] == (way_out < 0)
    assert 4 <= sum(answers) <= len(answers) - 4


def widest_way_out(grasp: Grasp, size: float = 0.03) -> float:
    """The largest gap that all contacts can have at once after a motion of that size; negative
    where the body is held.

    The search knows the body and the posts, and no derivatives of gaps.
    """
    points, normals, centres = grasp
    radii = np.linalg.norm(points - centres, axis=1)
    convex = np.sign(np.sum((points - centres) * normals, axis=1))

    def gaps(q: np.ndarray) -> np.ndarray:
        c, s = np.cos(q[2]), np.sin(q[2])
        turn = np.array([[c, -s], [s, c]])
        return (
            np.sum(normals @ turn.T * (points @ turn.T + q[:2] - centres), axis=1) - convex * radii
        )

    best = -np.inf
    for start in np.random.default_rng(0).normal(size=(6, 3)):
        start *= size / np.linalg.norm(start)
        found = minimize(
            lambda x: -x[3],
            np.r_[start, gaps(start).min()],
            jac=lambda x: np.array([0.0, 0.0, 0.0, -1.0]),
            constraints=[
                {"type": "ineq", "fun": lambda x: gaps(x[:3]) - x[3]},
                {"type": "eq", "fun": lambda x: x[:3] @ x[:3] / size**2 - 1},
            ],
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 200},
        )
        if found.success:
            q = found.x[:3] * size / np.linalg.norm(found.x[:3])
            best = max(best, float(gaps(q).min()))
    return best


def test_derivatives_are_those_of_the_gap() -> None:
    rng = np.random.default_rng(1)
    angle = rng.uniform(0, 2 * np.pi, 4)
    normals, points = np.column_stack([np.cos(angle), np.sin(angle)]), rng.normal(size=(4, 2))
    centres = points - 0.3 * normals
    origin = points.mean(axis=0)
    scale = np.sqrt(np.mean(np.sum((points - origin) ** 2, axis=1)))

    def gaps(q: np.ndarray) -> np.ndarray:
        """The flanks turn and move with the body by q, in units of `scale`; the centres stay."""
        c, s = np.cos(q[2]), np.sin(q[2])
        turn = np.array([[c, -s], [s, c]])
        flank = (points - origin) / scale @ turn.T + q[:2]
        return np.sum(normals @ turn.T * (flank - (centres - origin) / scale), axis=1)

    first, second = gap_derivatives(points, normals, centres)
    step = 1e-4
    for k in range(5):
        twist = rng.normal(size=3)
        plus, middle, minus = gaps(step * twist), gaps(0 * twist), gaps(-step * twist)
        np.testing.assert_allclose(
            first @ twist, (plus - minus) / (2 * step), atol=1e-6, err_msg=str(k)
        )
        bend = np.einsum("j,ijk,k->i", twist, second, twist)
        np.testing.assert_allclose(bend, (plus - 2 * middle + minus) / step**2, atol=1e-5)
