"""The observer of post offsets against exact geometry of a chain that touches displaced posts."""

from __future__ import annotations

import numpy as np

from boa_control.estimation.post_offsets import PostOffsetObserver
from boa_control.model.dynamics import PlanarChain
from boa_description.load import load_robot
from test.boa_control.conftest import gap_rows

CHAIN = PlanarChain(load_robot("boa13"))
N = CHAIN.links


def contact_rows(seed: int, count: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    q = np.concatenate([np.zeros(3), 0.6 * np.cos(2.4 * np.arange(N - 1) + rng.uniform(0, 6))])
    link = np.sort(rng.choice(N, count, replace=False))
    side = np.where(np.arange(count) % 4 < 2, 1.0, -1.0)
    return gap_rows(CHAIN, CHAIN.posture(q), link, rng.uniform(0.01, 0.12, count), side)


def distances(gap: np.ndarray, offsets: np.ndarray, seed: int) -> np.ndarray:
    """J_phi e of a chain that touches posts at `offsets`, with an unknown pose error."""
    dq = np.linalg.lstsq(gap, offsets, rcond=None)[0]
    kernel = np.linalg.svd(gap)[2][len(gap) :]
    dq = dq + 0.01 * np.random.default_rng(seed).normal(size=len(kernel)) @ kernel
    np.testing.assert_allclose(gap @ dq, offsets, atol=1e-12)
    return gap[:, 3:] @ dq[3:]


def test_offsets_that_the_shape_shows_are_found() -> None:
    rng = np.random.default_rng(0)
    true = rng.normal(scale=0.007, size=6)
    observer = PostOffsetObserver(6, prior=0.05, noise=1e-4)
    posts = np.arange(6)
    for seed in range(60):
        gap = contact_rows(seed, 6)
        observer.update(posts, gap, distances(gap, true, seed))
    np.testing.assert_allclose(observer.mean, true, atol=1e-3)
    assert np.all(np.sqrt(np.diag(observer.covariance)) < 2e-3)


def test_a_rigid_shift_of_all_posts_is_not_seen() -> None:
    """Posts that all move as one body move the robot with them, wherever it is: gaps to the map,
    but nothing learnt.
    """
    gap = contact_rows(1, 6)
    observer = PostOffsetObserver(6, prior=0.007, noise=1e-4)
    distance = gap[:, :3] @ np.array([0.004, -0.003, 0.01])
    assert np.abs(distance).min() > 1e-4
    observer.update(np.arange(6), gap, distance)
    np.testing.assert_allclose(observer.mean, 0.0, atol=1e-12)


def test_three_contacts_show_nothing() -> None:
    observer = PostOffsetObserver(3, prior=0.007, noise=1e-4)
    observer.update(np.arange(3), contact_rows(2, 3), np.array([0.01, -0.02, 0.03]))
    assert np.all(observer.mean == 0)


def test_covariance_shrinks_and_stays_valid() -> None:
    observer = PostOffsetObserver(5, prior=0.007, noise=1e-3)
    for seed in range(20):
        before = np.trace(observer.covariance)
        observer.update(np.arange(5), contact_rows(seed, 5), np.zeros(5))
        assert np.trace(observer.covariance) < before
        assert np.linalg.eigvalsh(observer.covariance).min() > 0
