# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Posts that the map lacks: from the readings of a place to a contact of the plan.

Readings of one place must agree. Then the way past the post is tried, a place at a time: between it
and the posts on the other side the body must fit, and it must be able to bend so far. Where it can,
the post is planned with as with one of the map that stands off its place; where it cannot, it is on
record, and the robot must not go on in this direction. One at a time.

Room to bend is tried beforehand: place by place the reference is bent to the posts as `deformation`
bends it, as long as the post is beside the body. Where it cannot fit them all, the body would be
pressed into those that are left over.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from boa_control.controllers.hoal.post_map.candidate import (
    AgreedPlace,
    PostCandidate,
    Reading,
    beside,
)
from boa_control.controllers.hoal.post_map.deformation import (
    bending,
    ends_std,
    fitted_bend,
    flank_hold,
    kept_ends,
)
from boa_control.controllers.hoal.post_map.landmarks import Landmarks
from boa_control.controllers.hoal.post_map.record import MapRecord
from boa_control.controllers.hoal.post_map.tuning import PostMapTuning
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.model.bent_schedule import BentSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathModel, PathState
from boa_control.paths.path import Curve, PathContact
from boa_description.arrays import Array

FITS = 2  # of the bend at each, begun with that of the place before


class PostDiscovery:
    """Adds posts to those of a plan."""

    def __init__(
        self,
        model: PathModel,
        curve: Curve,
        posts: Landmarks,
        record: MapRecord,
        map_error: float,
        tuning: Tuning = SHIPPED,
    ) -> None:
        """`posts`, `record`: to which they are added. `map_error`: expected offset of a post,
        standard deviation, m.
        """
        self._curve, self._body_radius = curve, model.chain.radius
        self._posts, self._record = posts, record
        self._tries = tuning.steering.tries
        self._agreed = AgreedPlace(tuning.post_map)
        self._passage = Passage(model, ends_std(map_error, tuning), tuning.post_map)
        self.reset()

    def reset(self) -> None:
        """None has been read."""
        self._agreed.reset()
        self._passage.reset()
        self._refused = 0  # ways past a post, in a row
        self._no_way, self._no_way_along = "", 0  # past a post, in this direction

    def no_way(self, direction: int) -> str:
        """Why the robot cannot go on past a post in this direction, 1 the head leads, -1 the tail;
        empty where it may.
        """
        return self._no_way if direction == self._no_way_along else ""

    def consider(self, found: Reading, tick: Tick) -> None:
        """Use the reading of a place. Once enough agree, `try_way` tries the way past it."""
        posts, contacts, place = self._posts, tick.contacts, found.place
        radius, direction = self._record.radius, tick.travel.direction
        if posts.added(contacts).any() or not self._record.free(place, radius, posts.belief):
            return  # what two posts give together is easily taken for a third
        if self._passage.trying or not self._agreed.confirmed(found):
            return
        contact = beside(self._curve, tick.state.sigma, place, radius, self._body_radius)
        number = posts.belief.mean.size
        schedule = posts.schedule.with_contact(contact, number)
        added = PostCandidate(contact, place, found.std, schedule)
        others = contacts.post
        width = free_width(
            contact, place, posts.belief.mean[others], posts.radius[others], contacts.side
        )
        if width < 2 * self._body_radius:
            self._doubt(added, f"{1e3 * width:.0f} mm between it and the next post", direction)
            return
        self._candidate = added
        shift = np.append(posts.shift, place - added.on_path)
        self._passage.begin(schedule, shift, tick.state.s, direction)

    def try_way(self, direction: int) -> bool:
        """Use one tick: go on trying whether the body can bend past the post, and plan with it
        where it can; whether it has just become part of the plan. `direction`: as of `no_way`.
        """
        passes = self._passage.step() if self._passage.trying else None
        if passes is None:
            return False
        added = self._candidate
        if not passes:
            self._doubt(added, "the body cannot bend so far", direction)
            return False
        self._refused = 0
        self._posts.add(added)
        self._record.take_on(added.place, added.contact.radius)
        return True

    def _doubt(self, added: PostCandidate, why: str, direction: int) -> None:
        """There seems to be no way past this post; the first readings of its place may err."""
        self._agreed.reset()
        self._refused += 1
        if self._refused >= self._tries:
            self._record.add(added.place, added.std, self._posts.belief, f"no way past it: {why}")
            self._no_way, self._no_way_along = f"no way past a post: {why}", direction


class Passage:
    """Tries the way past one post, a place at a time."""

    def __init__(
        self, model: PathModel, ends_std: Array, tuning: PostMapTuning = SHIPPED.post_map
    ) -> None:
        """`model`: of the chain along its path. `ends_std`: by which its ends may leave that,
        as of `deformation`, m.
        """
        self._tuning = tuning
        self._chain = model.chain
        self._state_at = model.cursor()
        self._bending = bending(model.chain)
        self._extent = model.reference.extent
        self._ends_std = ends_std
        self.reset()

    def reset(self) -> None:
        """Nothing is tried."""
        self._places: Iterator[float] = iter(())
        self.trying = False

    def begin(
        self, schedule: BentSchedule, shift: NDArray[np.complex128], s: float, direction: int
    ) -> None:
        """Try the way on from where the middle joint is at `s`, m, for a body length.

        Args:
            schedule: contacts, with that of the post. shift: of all posts from their places, x +
                iy, shape (posts,), m. direction: 1: the head leads; -1: the tail.
        """
        beside, (start, end) = self._chain.links * self._chain.pitch, self._extent
        places = s + direction * np.arange(0.0, beside, self._tuning.passage_step)
        self._places = iter(places[(places >= start) & (places <= end)].tolist())
        self._direction = direction
        self._schedule, self._shift = schedule, shift
        self._offsets = np.zeros(schedule.contacts)
        self._bend = np.zeros(self._chain.links + 2)
        self.trying = True

    def step(self) -> bool | None:
        """Try the next place; whether the body passes, None as long as that is not known."""
        place = next(self._places, None)
        if place is not None and self._overlap(place) <= self._tuning.overlap:
            return None
        self.trying = False
        return place is None

    def _overlap(self, place: float) -> float:
        """By how much the bent body overlaps a post where the middle joint is at `place`, m."""
        on_path = self._state_at(place)
        for _ in range(FITS):
            state, contacts = self._bent(on_path)
            gap, _ = contacts.rows(self._chain, state, 0.0)
            ends = kept_ends(self._chain, state, self._direction, self._ends_std.size)
            closed = gap @ self._bend - contacts.clearance
            hold = flank_hold(contacts, self._tuning)
            fit = fitted_bend(hold, gap, ends, closed, self._ends_std, self._tuning)
            self._bend = fit.bend(fit.joints)
        _, contacts = self._bent(on_path)
        beside = contacts.inside > self._tuning.end_zone
        return float(-contacts.clearance.min(where=beside, initial=0.0))

    def _bent(self, on_path: PathState) -> tuple[PathState, ContactSet]:
        state = self._bending(on_path, self._bend)
        return state, self._schedule.at(state, 0.0, self._offsets, self._shift)


def free_width(
    contact: PathContact, place: complex, others: NDArray[np.complex128], radii: Array, sides: Array
) -> float:
    """Narrowest way between a post and those of the other side, m; infinite where there are none.

    Args:
        contact: of the body with the post, which stands at `place`, x + iy, m.
        others, radii, sides: of posts beside the body, shape (k,): x + iy and radius, m; side of
            the body, 1 left, -1 right.
    """
    facing = sides != contact.side
    apart = np.abs(others[facing] - place) - radii[facing] - contact.radius
    return float(apart.min(initial=np.inf))
