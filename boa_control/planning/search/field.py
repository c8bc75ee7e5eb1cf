# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Posts as they were found, and what else stands in the way: distances from them, quickly."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy.spatial import cKDTree

from boa_control.model.contact_geometry import ObstacleMap
from boa_control.planning.checks.displaced import SURELY
from boa_description.arrays import Array, Indices
from boa_description.scene import Box, Circle, Obstacle, Wall


@dataclass(frozen=True)  # no slots: the tree is kept
class PostField:
    """A map of posts, and of walls and boxes that the robot only stays clear of.

    Attributes:
        centres: of the posts, shape (n, 2), m.
        radii: shape (n,), m.
        std: standard deviations of their places per axis, shape (n,), m.
        blocks: walls and boxes.
    """

    centres: Array
    radii: Array
    std: Array
    blocks: tuple[Box | Wall, ...] = ()

    @classmethod
    def of(cls, obstacles: Sequence[Obstacle], std: float = 0.0) -> Self:
        """Sort obstacles into posts and blocks; the posts keep their order. `std`, m: of those that
        give none.
        """
        posts = [post for post in obstacles if isinstance(post, Circle)]
        blocks = tuple(block for block in obstacles if not isinstance(block, Circle))
        centres = np.array([[post.x, post.y] for post in posts], float).reshape(-1, 2)
        stds = [std if post.std is None else post.std for post in posts]
        return cls(
            centres, np.array([post.radius for post in posts], float), np.array(stds, float), blocks
        )

    def own_room(self, touched: Indices) -> Array:
        """By how far a body may be off that touches some posts, (..., k), -1 for none; (...), m."""
        return SURELY * np.append(self.std, 0.0)[touched].max(axis=-1, initial=0.0)

    def room(self, posts: Indices, touched: Indices) -> Array:
        """Kept clear of `posts`, (n,), besides clearance by a body that touches others, (n, k) or
        (k,): how far the one that is known least may be off; (n,), m.
        """
        return np.maximum(SURELY * self.std[posts], self.own_room(touched))

    @cached_property
    def largest_room(self) -> float:
        """The most that `room` gives, m."""
        return SURELY * float(self.std.max(initial=0.0))

    @cached_property
    def tree(self) -> cKDTree:
        """Of the centres."""
        return cKDTree(self.centres)

    @cached_property
    def largest_radius(self) -> float:
        """Of the posts, m; 0 without any."""
        return float(self.radii.max(initial=0.0))

    def near(self, points: Array, within: float) -> Indices:
        """Posts whose surface is nearer than `within` (m), and `largest_room`, to the box around
        `points` (n, 2).
        """
        low = points.min(axis=0)
        high = points.max(axis=0)
        half = 0.5 * float(np.hypot(*(high - low)))
        reach = half + within + self.largest_room + self.largest_radius
        return np.array(self.tree.query_ball_point(0.5 * (low + high), reach), dtype=np.intp)

    def gaps(self, starts: Array, ends: Array, posts: Indices) -> Array:
        """Smallest distance between segments and the surfaces of posts, shape (len(posts),), m.

        Args:
            starts, ends: of the segments, shape (m, 2), m.
            posts: indices.
        """
        along = ends - starts
        arm = self.centres[posts][:, None] - starts
        square = np.maximum(np.einsum("ij,ij->i", along, along), 1e-18)
        share = np.clip(np.einsum("pij,ij->pi", arm, along) / square, 0.0, 1.0)
        apart = arm - share[..., None] * along
        distance = np.sqrt(np.einsum("pij,pij->pi", apart, apart)).min(axis=1)
        smallest: Array = distance - self.radii[posts]
        return smallest

    def block_gaps(self, points: Array) -> Array:
        """From points (n, 2) to the nearest wall or box, shape (n,), m; infinite without."""
        return self._block_map.gaps(points)

    @cached_property
    def _block_map(self) -> ObstacleMap:
        return ObstacleMap.of(self.blocks)
