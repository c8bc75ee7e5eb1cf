"""Kernels of what joint forces tell of friction, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.compiled import friction
from boa_description.arrays import Array

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
PITCH = 0.13


def test_of_several_posts_at_a_link_the_one_on_it_counts() -> None:
    arm = np.empty(4)
    link, offset = np.array([0, 1, 2]), np.array([PITCH - 0.01, 0.05, 0.01])
    friction.lever_arms(arm, link, offset, 0.02, PITCH)
    np.testing.assert_array_equal(arm, [PITCH - 0.01, 0.05, 0.01, PITCH / 2])


def test_forces_along_the_links_come_from_their_sums() -> None:
    rng = np.random.default_rng(3)
    force, link = rng.normal(size=(5, 2)) @ [1, 1j], np.exp(1j * rng.normal(size=5))
    headward = np.cumsum(force[::-1])[::-1]  # on every link and all beyond it
    total, beyond = np.array([headward[0].real, headward[0].imag, 9.0]), headward[1:]
    along = np.empty(5)
    friction.along_links(along, total, np.array([beyond.real, beyond.imag]), link)
    np.testing.assert_allclose(along, (force * link.conj()).real, **CLOSE)


def test_posts_and_inertia_turn_the_links() -> None:
    rng = np.random.default_rng(4)
    before, post, arm, ddq = rng.normal(size=5), *rng.normal(size=(2, 5)), rng.normal(size=7)
    moment = before.copy()
    friction.add_turning(moment, post, arm, ddq, 0.07, 0.3)
    expected = before + (arm - 0.07) * post - 0.3 * np.cumsum(ddq[2:])
    np.testing.assert_allclose(moment, expected, **CLOSE)


def least_squares(sums: Array, prior: Array, weight: Array) -> Array:
    """c and d, shape (2, ...), >= 0, of samples with a prior."""
    count, rate, square, against, product = sums
    normal = np.array([[count + weight[0], rate], [rate, square + weight[1]]])
    right = np.array([against + weight[0] * prior[0], product + weight[1] * prior[1]])
    solved = np.linalg.solve(np.moveaxis(normal, (0, 1), (-2, -1)), right.T[..., None])[..., 0].T
    alone = right / np.array([normal[0, 0], normal[1, 1]])
    return np.maximum(np.where(solved[::-1] < 0, alone, solved), 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_gearboxes_are_those_of_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sums, expected = np.zeros((5, 6)), np.zeros((5, 6))
    for _ in range(8):
        rate, torque, certain = rng.normal(size=6), rng.normal(size=6), rng.random(6) > 0.3
        friction.add_sample(sums, rate, torque, certain, 0.9)
        size, against = np.abs(rate), np.sign(rate) * torque
        sample = np.array([np.ones(6), size, size**2, against, against * size])
        expected += np.where(certain, sample - 0.1 * expected, 0.0)
    np.testing.assert_allclose(sums, expected, **CLOSE)

    known, total = np.empty((2, 6)), sums.sum(axis=1)
    prior, spread = np.array([[0.3, 0.1], [0.5, 0.2]]), np.array([0.4, 0.2])
    friction.gearboxes(known, sums, total, prior, spread, 1e-3, 0.15)
    average = least_squares(total, *prior)
    weight = (0.15 / (spread * average + 1e-3)) ** 2
    np.testing.assert_allclose(known, least_squares(sums, average, weight), **CLOSE)
    assert (known == 0.0).any() or seed != 0, "one of them comes out negative"
