"""How far posts stand from their places in the map, from the shape that they bend the robot into.

A link that touches post k keeps its true gap at zero. To first order around a reference q_d, with
gap_k(q_d) measured to the post in the map, xi the unknown error of the base pose, e = phi - phi_d
the measured shape error, and delta_k the offset of the post along the contact normal (towards the
link),
    gap(q_d) + J_b xi + J_phi e = delta.
Multiplying by a basis N of the left null space of J_b (nc x 3) removes the pose. A Kalman
filter collects these nc - 3 measurements while the robot moves; each post touches the whole body,
one link after the other. What moves all posts like one rigid body cannot be seen, does not matter,
and stays at its prior, zero.
"""

from __future__ import annotations

import numpy as np

from boa_description.arrays import Array, Indices


class PostOffsetObserver:
    """Normal offsets of all posts of a map.

    Attributes:
        mean: shape (number of posts,), m, positive towards the path.
        covariance: shape (number of posts, number of posts), m2.
    """

    def __init__(self, posts: int, prior: float, noise: float) -> None:
        """`prior`: expected offset of a post, standard deviation, m.

        `noise`: of one measurement, m.
        """
        self._posts = posts
        self._prior = prior
        self._noise = noise
        self.reset()

    def reset(self) -> None:
        """Back to the map as given."""
        self.mean = np.zeros(self._posts)
        self.covariance = np.eye(self._posts) * self._prior**2

    def go_on_from(
        self, before: PostOffsetObserver, former: Indices, new: Indices, mapped: Array
    ) -> None:
        """Know of the posts `new` what `before` knows of its posts `former`, shape (k,) each, in a
        map that has them nearer to the path by `mapped`, shape (k,), m.
        """
        self.mean[new] = before.mean[former] - mapped
        self.covariance[np.ix_(new, new)] = before.covariance[np.ix_(former, former)]

    def update(self, posts: Indices, gap: Array, distance: Array) -> None:
        """Update with one sample of contacts that are known to touch.

        Args:
            posts: shape (nc,), index of each post.
            gap: J, shape (nc, n + 2).
            distance: gap(q_d) + J_phi e, shape (nc,), m.
        """
        count = posts.size
        if count < 4:
            return
        null = np.linalg.qr(gap[:, :3], mode="complete")[0][:, 3:]
        innovation = null.T @ (distance - self.mean[posts])
        spread = self.covariance[:, posts] @ null
        size = null.T @ spread[posts] + self._noise**2 * np.eye(count - 3)
        gain = np.linalg.solve(size, spread.T).T
        self.mean += gain @ innovation
        self.covariance -= gain @ spread.T
