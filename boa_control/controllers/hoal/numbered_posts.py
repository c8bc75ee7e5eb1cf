"""The posts of a path by the numbers that contacts have, and what a later path adds to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boa_control.paths.path import PlannedPath
from boa_description.arrays import Array

NOWHERE = 1e6  # m, both coordinates of what is not on the path's map


class NumberedPosts(NamedTuple):
    """Posts of a map; a number without a post is far away, with radius 0.

    Attributes:
        places: shape (numbers, 2), m. radius: shape (numbers,), m.
    """

    places: Array
    radius: Array

    @staticmethod
    def of(path: PlannedPath) -> NumberedPosts:
        """Those of a path."""
        posts = path.posts
        number = np.array(path.numbers or range(len(posts)), dtype=np.intp)
        count = int(number.max(initial=-1)) + 1
        places, radius = np.full((count, 2), NOWHERE), np.zeros(count)
        places[number] = np.array([[post.x, post.y] for post in posts]).reshape(-1, 2)
        radius[number] = [post.radius for post in posts]
        return NumberedPosts(places, radius)

    def and_one(self, place: complex, radius: float) -> NumberedPosts:
        """With a post more, numbered behind all others, at x + iy, m."""
        places = np.vstack([self.places, (place.real, place.imag)])
        return NumberedPosts(places, np.append(self.radius, radius))

    def and_those_of(self, former: NumberedPosts) -> NumberedPosts:
        """With the posts that only a former map has."""
        count = max(self.radius.size, former.radius.size)
        places, radius = np.full((count, 2), NOWHERE), np.zeros(count)
        for posts in (former, self):
            given = np.flatnonzero(posts.radius)
            places[given], radius[given] = posts.places[given], posts.radius[given]
        return NumberedPosts(places, radius)
