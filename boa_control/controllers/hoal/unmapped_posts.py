"""Posts that the map lacks: from the readings of a place to a contact of the plan.

Readings of one place must agree. Then the way past the post is tried, a place at a time: between it
and the posts on the other side the body must fit, and it must be able to bend so far. Where it can,
the post is planned with as with one of the map that stands off its place; where it cannot, it is on
record, and the robot must not go on in this direction. One at a time.
"""

from __future__ import annotations

import numpy as np

from boa_control.controllers.hoal.added_post import AddedPost, AgreedPlace, Reading, beside
from boa_control.controllers.hoal.deformation import ends_std
from boa_control.controllers.hoal.map_record import MapRecord
from boa_control.controllers.hoal.passage import Passage, free_width
from boa_control.controllers.hoal.planned_posts import PlannedPosts
from boa_control.controllers.hoal.post_map import MapTick
from boa_control.model.path_model import PathModel
from boa_control.paths.path import Curve

TRIES = 3  # of a way past a post, before there is none


class UnmappedPosts:
    """Adds posts to those of a plan."""

    def __init__(
        self,
        model: PathModel,
        curve: Curve,
        posts: PlannedPosts,
        record: MapRecord,
        map_error: float,
    ) -> None:
        """`posts`, `record`: to which they are added. `map_error`: expected offset of a post,
        standard deviation, m.
        """
        self._curve, self._body_radius = curve, model.chain.radius
        self._posts, self._record = posts, record
        self._agreed = AgreedPlace()
        self._passage = Passage(model, ends_std(map_error))
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

    def consider(self, found: Reading, tick: MapTick) -> None:
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
        added = AddedPost(contact, place, found.std, schedule)
        others = contacts.obstacle
        width = free_width(
            contact, place, posts.belief.mean[others], posts.radius[others], contacts.side
        )
        if width < 2 * self._body_radius:
            self._doubt(added, f"{1e3 * width:.0f} mm between it and the next post", direction)
            return
        self._added = added
        shift = np.append(posts.shift, place - added.on_path)
        self._passage.begin(schedule, shift, tick.state.s, direction)

    def try_way(self, direction: int) -> bool:
        """Use one tick: go on trying whether the body can bend past the post, and plan with it
        where it can; whether it has just become part of the plan. `direction`: as of `no_way`.
        """
        passes = self._passage.step() if self._passage.trying else None
        if passes is None:
            return False
        added = self._added
        if not passes:
            self._doubt(added, "the body cannot bend so far", direction)
            return False
        self._refused = 0
        self._posts.add(added)
        self._record.take_on(added.place, added.contact.radius)
        return True

    def _doubt(self, added: AddedPost, why: str, direction: int) -> None:
        """There seems to be no way past this post; the first readings of its place may err."""
        self._agreed.reset()
        self._refused += 1
        if self._refused >= TRIES:
            self._record.add(added.place, added.std, self._posts.belief, f"no way past it: {why}")
            self._no_way, self._no_way_along = f"no way past a post: {why}", direction
