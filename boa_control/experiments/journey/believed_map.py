# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The map that a planner believes: the one that it was given, with what the robot has found.

Controllers number posts as the path does on which the robot lies, and a post that no scenario knows
has another number on the next path. So what a number means is noted whenever the path changes.
"""

import math
from collections.abc import Mapping, Sequence

from boa_control.controllers.new_path import SAME_POST
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost
from boa_control.paths.path import PlannedPath
from boa_description.scene import Circle, Obstacle, clearance

SURELY = 2.0  # standard deviations of its place, by which a post that was run into grows


class BelievedMap:
    """Obstacles as they are believed to stand by now.

    A post that the robot ran into is kept clear of by how far it may stand off, and does not carry.

    Attributes:
        version: grows whenever a post turns out to be missing, elsewhere or not on the map.
    """

    def __init__(self, obstacles: Sequence[Obstacle], borne: float, surely: float = SURELY) -> None:
        """The map as given.

        Args:
            surely: standard deviations, by which a post that was run into grows; 0: it is believed
                to stand where it was touched, and may carry.
            borne: m; a post that is found so near to its place stays there on the map, since the
                controller bends to it: a path through places that change has no body on it.
        """
        self._borne = borne
        self._surely = surely
        self._obstacles: dict[int, Obstacle] = dict(enumerate(obstacles))
        self._next = len(self._obstacles)
        self._index: dict[int, int] = {}  # of a post's number: its place in `_obstacles`
        self._doubtful: set[int] = set()  # places in `_obstacles` of posts that it ran into
        self.version = 0

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """Those that stand, in the order of the map; posts that were not on it come last."""
        return tuple(self._obstacles.values())

    @property
    def doubtful(self) -> frozenset[int]:
        """Posts whose places are not known well, by their index among the round `obstacles`."""
        circles = [k for k, post in self._obstacles.items() if isinstance(post, Circle)]
        return frozenset(n for n, k in enumerate(circles) if k in self._doubtful)

    def on_path(self, posts: Mapping[int, Obstacle]) -> None:
        """From now on numbers mean these obstacles: they are found on the map by their places."""
        self._index = {}
        for number, post in posts.items():
            index = self._nearest(post)
            if index is not None:
                self._index[number] = index

    def remove(self, number: int) -> bool:
        """The post of this number is not there. False where the map does not have it (any more)."""
        index = self._index.pop(number, None)
        if index is None or index not in self._obstacles:
            return False
        del self._obstacles[index]
        self.version += 1
        return True

    def correct(self, corrected: CorrectedMap) -> None:
        """Take over what the robot has found of the posts of its path."""
        for number in corrected.missing:
            self.remove(number)
        for post in corrected.posts:
            if post.kind == "touched":
                self._move(post)
            elif post.kind == "unexpected" and post.number not in self._index:
                self._add(post)

    def _move(self, post: CorrectedPost) -> None:
        index = self._index.get(post.number)
        before = None if index is None else self._obstacles.get(index)
        if index is None or not isinstance(before, Circle):
            return
        if math.hypot(post.x - before.x, post.y - before.y) > self._borne:
            place = {"x": post.x, "y": post.y, "radius": post.radius}
            self._obstacles[index] = before.model_copy(update=place)
            self._doubtful.discard(index)
            self.version += 1

    def _add(self, post: CorrectedPost) -> None:
        """A post that the map does not have; one that would stand in another is that one."""
        index, name = self._next, None
        for other, standing in self._obstacles.items():
            if isinstance(standing, Circle) and clearance(post, standing) < 0:
                index, name = other, standing.name
                break
        # a number that meant the post of the map before means none any more: missing is that post
        self._index = {number: at for number, at in self._index.items() if at != index}
        radius = post.radius + self._surely * post.std
        self._obstacles[index] = Circle(x=post.x, y=post.y, radius=radius, name=name)
        self._index[post.number] = index
        if self._surely:
            self._doubtful.add(index)
        self._next = max(self._next, index + 1)
        self.version += 1

    def _nearest(self, post: Obstacle) -> int | None:
        """Index of the post of the map that stands nearest, at most SAME_POST away."""
        if not isinstance(post, Circle):
            return None
        apart = {
            index: math.hypot(post.x - other.x, post.y - other.y)
            for index, other in self._obstacles.items()
            if isinstance(other, Circle)
        }
        nearest = min(apart, key=apart.__getitem__, default=None)
        return nearest if nearest is not None and apart[nearest] <= SAME_POST else None


def numbered(path: PlannedPath) -> dict[int, Obstacle]:
    """The posts of a path by the numbers that a controller on it gives them."""
    posts = path.posts
    return dict(zip(path.numbers or range(len(posts)), posts, strict=True))
