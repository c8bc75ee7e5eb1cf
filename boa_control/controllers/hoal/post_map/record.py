# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The record of a run's map: how far it was corrected, and the corrected map itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boa_control.controllers.hoal.post_map.tuning import PostMapTuning
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.touched_posts import TouchedPosts
from boa_control.events import Event, EventKind, EventQueue
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost, Kind
from boa_description.arrays import Array, Flags


class MapRecord:
    """Keeps what has been told."""

    def __init__(
        self, radius: Array, period: float, tuning: PostMapTuning = SHIPPED.post_map
    ) -> None:
        """`radius`: of the map's posts, shape (posts,), m; 0 where a number has no post.
        `period`: of the control ticks, s.
        """
        self._tuning = tuning
        self._given = radius
        self._every = max(1, round(tuning.record_time / period))
        self.reset()

    def reset(self) -> None:
        """Nothing has been told; no post is known to be missing or to be too many."""
        self._radius = self._given
        self._ticks, self._told = 0, 0.0
        self._missing: set[int] = set()
        self._unexpected: list[CorrectedPost] = []
        self._taken_on: set[int] = set()  # numbers of such that are planned contacts by now
        self._news = False
        self.events = EventQueue()

    def go_on_from(self, before: MapRecord, radius: Array, posts: TouchedPosts) -> None:
        """Know of the posts that only a former map has, that it lacks and that are on neither.

        Args:
            radius: of all posts, those of the former map included, shape (posts,), m.
            posts: believed, with the same numbers.
        """
        mapped = set(np.flatnonzero(self._radius).tolist())
        self._given = self._radius = radius
        self._taken_on = before._taken_on
        self._missing = before._missing - mapped
        self._ticks, self._told = before._ticks, before._told
        for post in before._unexpected:
            self.add(complex(post.x, post.y), post.std, posts)

    def miss(self, posts: Sequence[int]) -> None:
        """These posts were searched in vain."""
        if not self._missing.issuperset(posts):
            self._missing.update(posts)
            self._news = True

    def add(self, place: complex, std: float, posts: TouchedPosts, why: str = "") -> None:
        """A post that is not on the map, at x + iy, m; one that would stand in another is taken for
        that one. `why` it is not planned with, to be told.
        """
        radius = self.radius
        if self.free(place, radius, posts):
            index = posts.mean.size + len(self._unexpected)
            self._unexpected.append(
                CorrectedPost(index, place.real, place.imag, radius, std, "unexpected")
            )
            self._news = True
            if why:
                self._tell_of(place, why)

    @property
    def radius(self) -> float:
        """Of a post that is not on the map: as usual, m."""
        return float(np.median(self._radius[self._radius > 0]))

    def take_on(self, place: complex, radius: float) -> None:
        """A post at x + iy, m, that is not on the map counts among those of it from now on."""
        self._taken_on.add(self._radius.size)
        self._radius = np.append(self._radius, radius)
        self._tell_of(place)
        self._news = True

    def _tell_of(self, place: complex, more: str = "") -> None:
        at = (float(place.real), float(place.imag))
        self.events.add(Event(kind=EventKind.UNMAPPED_POST, place=at, note=more or None))

    def free(self, place: complex, radius: float, posts: TouchedPosts) -> bool:
        """Whether another post may stand there, clear of all others."""
        others = [complex(post.x, post.y) for post in self._unexpected]
        apart = np.abs(np.array([*posts.mean, *others]) - place)
        reach = np.array([*self._radius, *(post.radius for post in self._unexpected)]) + radius
        reach[sorted(self._absent(posts))] = 0.0
        return bool(np.all(apart > reach))

    def update(self, posts: TouchedPosts) -> CorrectedMap | None:
        """Use one tick; the corrected map where it is due and something has become known."""
        self._ticks += 1
        due = self._ticks % self._every == 0
        if not (due or self._news):
            return None
        touched = posts.sightings >= self._tuning.settled
        if not (touched.any() or self._news):
            return None
        self._tell(posts, touched)
        self._news = False
        return self._map(posts, touched)

    def _absent(self, posts: TouchedPosts) -> set[int]:
        """Posts that were searched in vain and never touched; one that was touched stands."""
        touched = np.flatnonzero(posts.sightings >= self._tuning.settled)
        return self._missing.difference(touched.tolist())

    def _tell(self, posts: TouchedPosts, touched: Flags) -> None:
        """An event when the largest correction has grown."""
        touched = touched.copy()
        touched[sorted(self._taken_on)] = False
        largest = float(posts.correction[touched].max(initial=0.0))
        if largest >= self._told + self._tuning.tell_step:
            self._told = largest
            post = int(np.flatnonzero(touched)[posts.correction[touched].argmax()])
            self.events.add(Event(kind=EventKind.MAP_CORRECTED, value=largest, post=post))

    def _map(self, posts: TouchedPosts, touched: Flags) -> CorrectedMap:
        absent = self._absent(posts)
        std = np.hypot(posts.relative_std(np.flatnonzero(touched)), self._tuning.systematic)
        kinds: dict[int, Kind] = dict.fromkeys(self._taken_on, "unexpected")
        found = (
            CorrectedPost(
                k,
                posts.mean[k].real,
                posts.mean[k].imag,
                float(self._radius[k]),
                float(std[k]),
                kinds.get(k, "touched" if touched[k] else "mapped"),
            )
            for k in range(posts.mean.size)
            if k not in absent and self._radius[k] > 0
        )
        return CorrectedMap((*found, *self._unexpected), tuple(sorted(absent)))
