"""Second-order immobility against textbook cases and against the gap function itself."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.closure.second_order import gap_derivatives, order_of_immobility


def triangle(radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Round posts against the middles of the three sides of a triangle: all normals meet in the centre."""
    angle = np.radians([90.0, 210.0, 330.0])
    outward = np.column_stack([np.cos(angle), np.sin(angle)])
    return outward, -outward, (1 + radius) * outward


@pytest.mark.parametrize("radius", [0.05, 0.5, 5.0])
def test_three_posts_hold_a_triangle_by_curvature_only(radius: float) -> None:
    assert order_of_immobility(*triangle(radius)) == 2


def test_a_body_around_concave_walls_turns_away() -> None:
    """The same normals with the centres of curvature beyond the centre of the body: turning opens the gaps."""
    points, normals, _ = triangle(0.5)
    assert order_of_immobility(points, normals, points + 1.5 * normals) is None


def test_two_posts_squeezing_a_bar_let_it_slide() -> None:
    points = np.array([[0.0, 0.1], [0.0, -0.1]])
    normals = np.array([[0.0, -1.0], [0.0, 1.0]])
    assert order_of_immobility(points, normals, points - 0.05 * normals) is None


def test_contacts_that_cannot_balance_do_not_hold() -> None:
    points, normals, centres = triangle(0.1)
    assert order_of_immobility(points[:2], normals[:2], centres[:2]) is None


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
        np.testing.assert_allclose(first @ twist, (plus - minus) / (2 * step), atol=1e-6, err_msg=str(k))
        bend = np.einsum("j,ijk,k->i", twist, second, twist)
        np.testing.assert_allclose(bend, (plus - 2 * middle + minus) / step**2, atol=1e-5)
