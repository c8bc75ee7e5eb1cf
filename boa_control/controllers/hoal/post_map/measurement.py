# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What sensors tell of posts that may stand off their places.

Whose a force is, on which post the leading end runs, where those stand that are touched, and where
one stands that is not planned. Where the map may lack posts, a force is taken for that of a planned
one only where no other post can have it.
"""

from __future__ import annotations

import math

import numpy as np

from boa_control.compiled.detection import nearest_ahead
from boa_control.controllers.hoal.post_map.candidate import Reading
from boa_control.controllers.hoal.post_map.landmarks import Landmarks
from boa_control.controllers.hoal.post_map.tuning import PostMapTuning
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.adopted_forces import adopted
from boa_control.estimation.end_forces import apportioned, rivals
from boa_control.estimation.opposite_forces import opposed, told_apart
from boa_control.estimation.touch_points import Touch, TouchPoints
from boa_control.estimation.touched_posts import Sighting
from boa_control.model.dynamics import PlanarChain
from boa_description.arrays import Array, Flags


class PostMeasurement:
    """Reads forces and places of posts from sensor frames."""

    def __init__(
        self, chain: PlanarChain, lacking: bool, tuning: PostMapTuning = SHIPPED.post_map
    ) -> None:
        """`lacking`: the map may not have all posts."""
        self._tuning, self._reach = tuning, tuning.reach
        self._chain = chain
        self._lacking = lacking
        self._points = TouchPoints(chain)

    def apportion(self, force: Array, tick: Tick, std: Array) -> Array:
        """Forces of the contacts, shape (nc,), N, as of `PostMap`. A post before the nose has no
        part in the force of one that the nose has passed; one that may stand so far off presses on
        the link beside the planned one.

        Args:
            std: standard deviations of the places of their posts, shape (nc,), m.
        """
        assert tick.loads is not None
        contacts, pitch, (outside, by_forces) = tick.contacts, self._chain.pitch, tick.loads
        across = outside.across

        def moments() -> Array:
            return self._points.moments(tick.passed_on(), by_forces)

        pairs = rivals(contacts, pitch)
        if pairs:
            force = apportioned(force, contacts, pairs, across, moments(), pitch)
        if self._lacking:
            force = told_apart(force, contacts, across, moments, pitch)
        return adopted(force, contacts, across, moments, std, pitch)

    def met(self, tick: Tick, off: Array, located: Flags) -> int | None:
        """The contact whose post the leading end runs on, where that post may stand there; None:
        there is no such. On a map that has all posts, one that has not been located may also stand
        ahead of the leading end that has come past its place.

        Args:
            off: by how much the posts may stand off along the path, shape (nc,), m.
            located: which of their places touch has told, shape (nc,).
        """
        contacts = tick.contacts
        if tick.frame.joint_force is None:
            return None
        leading = self._chain.links - 1 if tick.travel.direction > 0 else 0
        settled = np.ones_like(located) if self._lacking else located
        nearest: int = nearest_ahead(
            contacts.link, contacts.inside, off, settled, leading, self._reach
        )
        if nearest < 0:
            return None
        force = self._points.head_on(tick.frame, leading, contacts.side.item(nearest))
        return nearest if force > self._tuning.tip_force else None

    def telling(self, tick: Tick) -> Flags:
        """Which contacts touch so that the places of their posts may be read, shape (nc,): a moment
        that two posts share tells the place of none.
        """
        contacts, touching = tick.contacts, tick.taken_on
        if self._lacking:
            touching = touching & ~opposed(contacts, -self._reach, self._chain.pitch)
        return touching

    def read(self, tick: Tick, telling: Flags, met: int | None = None) -> Sighting:
        """The posts of these contacts, shape (nc,), in the frame of link 1. `met`: contact whose
        post the leading end locates by running on it.
        """
        return self._points.read(tick.frame, tick.passed_on(), tick.contacts, telling, met)

    def unplanned(self, tick: Tick, link: int, posts: Landmarks) -> Reading | None:
        """Where the post stands that presses on a link, from 0, where nothing is planned; None
        where sensors and other posts do not tell.
        """
        if tick.frame.joint_force is None:
            return None
        seen = self.read(tick, tick.taken_on)
        pose = posts.pose(seen)
        touch = None if pose is None else self._touch(tick, link)
        if pose is None or touch is None:
            return None
        (turn, base), belief = pose, posts.belief
        directions = np.exp(1j * np.concatenate([[0.0], np.cumsum(tick.frame.position)]))
        axis = self._chain.pitch * directions[: touch.link].sum()
        std = math.hypot(touch.std, float(belief.relative_std(seen.post)[seen.post].max()))
        centre = axis + directions[touch.link] * touch.centre
        return Reading(base + turn * centre, std)

    def _touch(self, tick: Tick, link: int) -> Touch | None:
        """What presses on a link that may be touched by a post of the plan, too."""
        frame, torques, contacts = tick.frame, tick.passed_on(), tick.contacts
        reach = float(contacts.reach.mean())
        beside = np.flatnonzero((contacts.link == link) & (contacts.inside > -self._reach))
        if self._lacking and beside.size:
            flank = contacts.offset.item(beside[0])
            alone = beside.size == 1 and contacts.inside[beside[0]] > 0.0
            return self._points.on_tip(frame, torques, link, reach, flank) if alone else None
        touch = self._points.beside(frame, torques, link, reach)
        if not self._lacking or touch is None or touch.link == link:
            return touch
        shared = (contacts.link == touch.link) & (contacts.inside > -self._reach)
        return None if shared.any() else touch
