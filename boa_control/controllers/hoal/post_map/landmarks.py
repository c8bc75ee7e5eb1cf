# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The posts of a plan: where the map has them, where touch has located them, and where contacts are
planned meanwhile.

A post is planned with at its place on the map until it is touched, then where it was searched when
it was found; from there the plan follows what its touches have told. Contacts know posts by their
numbers, to which a later path adds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boa_control.controllers.hoal.contacts.plan import SameContacts
from boa_control.controllers.hoal.post_map.candidate import PostCandidate, Reading
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.estimation.touched_posts import Sighting, TouchedPosts
from boa_control.model.bent_schedule import BentSchedule
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState
from boa_control.paths.path import PlannedPath
from boa_description.arrays import Array, Flags, Indices

NOWHERE = 1e6  # m, both coordinates of what is not on the path's map


class KnownPlaces(NamedTuple):
    """What touch has told of the posts of contacts, the same until another sighting.

    Attributes:
        post, covariance: of the contacts and of the belief, by which it is known again.
        std: standard deviations of the places, shape (nc,), m.
        located: there are sightings, shape (nc,).
        off: by how much they may stand off along the path, shape (nc,), m.
        doubt: `std`, but that of the map as long as there are few: one push on the tip, or a touch,
            does not tell enough to go faster; shape (nc,), m.
    """

    post: Indices
    covariance: Array
    std: Array
    located: Flags
    off: Array
    doubt: Array


class Landmarks:
    """Knows the posts by their numbers, and plans contacts with them.

    Attributes:
        belief: where touch has them.
        shift: of each from its place on the map to where it is planned, before it is searched, x +
            iy, shape (posts,), m.
        schedule: of the contacts, those included that were added.
    """

    def __init__(
        self,
        path: PlannedPath,
        schedule: ContactSchedule,
        pitch: float,
        map_error: float,
        tuning: Tuning = SHIPPED,
    ) -> None:
        """`schedule`: of the contacts of the path. `pitch`: of the links, m. `map_error`: expected
        offset of a post, standard deviation, m.
        """
        self._post_of = np.array(path.post_of, dtype=np.intp)
        self._given = BentSchedule(schedule, pitch), NumberedPosts.of(path)
        self._tuning = tuning.post_map
        self._map_error = map_error
        # m, between two fits of the reference
        self._step = tuning.post_map.follow_speed * tuning.steering.update_time
        self.reset()

    def reset(self) -> None:
        """Back to the map as given."""
        self.schedule, self._map = self._given
        self.belief = TouchedPosts(self._map.places, self._map_error)
        self.shift = self.belief.displacement
        self._known: KnownPlaces | None = None

    def known(self, contacts: ContactSet) -> KnownPlaces:
        """What touch has told of the posts of these contacts; not to be written into."""
        post, belief, known = contacts.post, self.belief, self._known
        if known is None or post is not known.post or belief.covariance is not known.covariance:
            seen, std = belief.sightings[post], belief.std[post]
            doubt = np.where(seen >= self._tuning.settled, std, np.maximum(std, self._map_error))
            off = self._tuning.expected * std
            known = KnownPlaces(post, belief.covariance, std, seen > 0, off, doubt)
            self._known = known
        return known

    def go_on_from(self, before: Landmarks, same: SameContacts) -> None:
        """Keep what touch has said. One that this path has further from where it was found than it
        could err was moved meanwhile, unless it is touched now.
        """
        self._map = self._map.and_those_of(before._map)
        self._given = self.schedule, self._map
        self.belief = TouchedPosts(self._map.places, self._map_error)
        former, new = before._post_of[same.former], self._post_of[same.new]
        off = np.abs(before.belief.mean - self.belief.mean[: before.belief.mean.size])
        others = np.flatnonzero(off <= self._tuning.search_limit * self._map_error)
        others = others[~np.isin(others, [*former, *new])]
        self.belief.go_on_from(
            before.belief, np.concatenate([others, former]), np.concatenate([others, new])
        )
        self.shift = self.belief.displacement

    @property
    def radius(self) -> Array:
        """Of the posts, shape (posts,), m; 0 where a number has no post."""
        return self._map.radius

    @property
    def astray(self) -> bool:
        """One of the map seems to stand further off its place than any does."""
        mapped = self.belief.correction[: self._given[1].radius.size]
        return bool((mapped > self._tuning.search_limit * self._map_error).any())

    def added(self, contacts: ContactSet) -> Flags:
        """Which contacts the path did not have, shape (nc,)."""
        return np.asarray(contacts.contact >= self._given[0].contacts)

    def at(self, state: PathState, beyond: float, searched: Array) -> ContactSet:
        """The contacts of a bent chain.

        Args:
            beyond: m from the ends of the body, up to which posts count.
            searched: from where each contact is believed to be to where it is searched, shape
                (contacts of the path,), m.
        """
        return self.schedule.at(state, beyond, searched, self.shift)

    def follow(self) -> None:
        """Let the posts of the plan follow those located, no faster than the reference can: once
        for every fit of it.
        """
        away = self.belief.displacement - self.shift
        far = np.maximum(np.abs(away) / self._step, 1.0)
        self.shift = self.shift + away / far

    def assume(self, contacts: ContactSet, located: Flags, searched: Array) -> None:
        """Plan the posts of contacts that were just located, shape (nc,), where they were
        `searched`, as of `at`.
        """
        contact, post = contacts.contact[located], contacts.post[located]
        self.shift = self.shift.copy()
        self.shift[post] += searched[contact] * self.schedule.towards[contact]

    def plan_located(self, post: int) -> None:
        """Plan a post at once where touch has it: the body is not beside the place where it was
        planned.
        """
        self.shift = self.shift.copy()
        self.shift[post] = self.belief.displacement[post]

    def add(self, added: PostCandidate) -> None:
        """Plan with a post more, numbered behind all others."""
        self.schedule = added.schedule
        self._map = self._map.and_one(added.on_path, added.contact.radius)
        self.belief.add(added.on_path, added.place, added.std)
        self.shift = np.append(self.shift, 0.0)

    def pose(self, seen: Sighting) -> tuple[complex, complex] | None:
        """Turn (unit number) and place of the body of a sighting, m; None where it sees too few."""
        return self.belief.locate(seen) if seen.post.size >= 2 else None

    def own(self, seen: Sighting, leading: Indices) -> tuple[Sighting, list[Reading]]:
        """A sighting without those that would stand further off their places, as far as these are
        known, than any does, and where these stand: they are others, which the map has not. A post
        that touch has located may be meant only on the leading link: there it may be what it gives
        together with another one, which the body meets first with this link.

        Args:
            leading: posts that are planned on that link.
        """
        belief, number = self.belief, seen.post
        located = belief.sightings[number] > 0
        known = located & ~np.isin(number, leading)
        pose = None if known.all() else self.pose(seen.select(known))
        if pose is None:
            return seen, []
        turn, base = pose
        centre = base + turn * seen.centre
        off = np.abs(centre - belief.mean[number])
        std = belief.relative_std(number[located])[number]
        others = ~known & (off > self._tuning.search_limit * std + seen.along_std)
        readings = [
            Reading(complex(centre[k]), seen.along_std.item(k))
            for k in np.flatnonzero(others).tolist()
        ]
        return seen.select(~others), readings


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
