# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A map whose posts stand where it says, or not at all.

Nothing bends and nothing is searched. A post is pressed gently until it is detected: in balance
with all others it may have to carry 10 N at once, and where it does not stand, that would set the
body in motion. One that is pressed in vain, or should be detected by now, is not there, and is
given up, unless it is pressed more gently than sensors tell. One where the body is off its path is
given up, too. While the sensors that would tell are silent, nothing is concluded. Something else
that presses on the body is another post, or one of the map that stands elsewhere: since the posts
that are detected hold the body on its path, its place is known from where it presses and how it
bends the body.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from boa_control.controllers.hoal.contacts.detection import Expected
from boa_control.controllers.hoal.contacts.plan import SameContacts
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map.exact_map import ExactMap
from boa_control.controllers.hoal.post_map.interface import NO_POSTS
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.new_path import SAME_POST
from boa_control.estimation.touch_points import TouchPoints
from boa_control.events import Event, EventKind
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost
from boa_control.paths.path import PlannedPath
from boa_description.arrays import Array, Flags, Indices
from boa_description.chain import joint_axes
from boa_description.scene import clearance

Axes = NDArray[np.complex128]
"""Joint axes from tail to head as complex numbers x + iy, shape (n + 1,), m."""


class PresenceMap(ExactMap):
    """The variant of `PostMap` that gives up posts which are not there."""

    measured = True

    def __init__(
        self,
        chain: PlanarChain,
        schedule: ContactSchedule,
        path: PlannedPath,
        period: float,
        parameters: Parameters,
    ) -> None:
        """`period`: of the control ticks, s."""
        tuning = parameters.tuning
        self._tuning, self._detection = tuning.post_map, tuning.contacts
        numbers = path.numbers or range(len(path.posts))
        self._posts = dict(zip(numbers, path.posts, strict=True))
        self._curve = path.curve
        self._points = TouchPoints(chain)
        self._pitch = chain.pitch
        self._period = period
        self._numbers = np.array(path.post_of, dtype=np.intp)  # of the contacts' posts
        super().__init__(chain.links - 1, schedule, period, parameters)

    def reset(self) -> None:
        """All posts are there."""
        super().reset()
        contacts = self._numbers.size
        self._felt = np.zeros(contacts, bool)  # a contact of which something was detected
        self._undetected = np.zeros(contacts)  # s, while it should have been detected
        self._impulse = np.zeros(contacts)  # N s, with which it was pressed in vain
        self._telling = np.zeros(contacts, bool)  # it is pressed so that it would be detected
        self._silent = np.zeros(contacts, bool)  # no sensor tells of it now
        self._missing = np.zeros(contacts, bool)
        self._missed: set[int] = set()  # posts that were given up, also those of former paths
        self._others: tuple[CorrectedPost, ...] = ()  # posts that the map has not, or elsewhere
        self._met: tuple[CorrectedPost, ...] = ()  # those that were found on this path
        self._tick: Tick | None = None
        self._here: Indices = NO_POSTS
        self._news = False

    def go_on_from(self, before: PresenceMap, same: SameContacts) -> None:
        """Contacts that were detected were detected; posts that were given up, and that this path
        has not, are still missing.
        """
        self._felt[same.new] = before._felt[same.former]
        self._missed = before._missed.difference(self._posts)
        self._others = before._others

    def plan(self, state: PathState) -> ContactSet:
        """The posts between tail and head that are there."""
        contacts = self._schedule.at(state)
        missing = self._missing[contacts.contact]
        if not missing.any():
            self._here = NO_POSTS
            return contacts
        self._here = np.unique(contacts.post[missing])
        return contacts.select(~missing)

    def expected(self, tick: Tick) -> Expected:
        """Also those that a round end touches already, or still."""
        near = self._schedule.at(tick.state, self._tuning.tip)
        return Expected(near.select(~self._missing[near.contact]))

    def update(self, tick: Tick) -> Array | None:
        """Every planned contact carries, but for those that are given up."""
        self._tick, contacts = tick, tick.contacts
        tuning, touched = self._tuning, tick.force >= self._detection.felt_force
        detected = touched | (tick.level > self._detection.approach)
        self._felt[contacts.contact[detected]] = True
        self._silent[contacts.contact] = tick.silent
        if tick.closing:
            self._felt[contacts.contact] = True  # the robot was laid down among them
            return None
        doubted = ~contacts.redundant & ~self._felt[contacts.contact] & ~tick.silent
        due = doubted & self._telling[contacts.contact] & (contacts.activation >= 1.0)
        self._undetected[contacts.contact[due]] += self._period
        vain = (self._undetected >= self._detection.blow_time) | (self._impulse >= tuning.in_vain)
        lacking = vain & ~self._felt
        astray = self._astray(tick)
        if astray is not None:
            lacking[astray] = True
        if (lacking & ~self._missing).any():
            self._missing |= np.isin(self._numbers, self._numbers[lacking])
            self._missed.update(self._numbers[self._missing].tolist())
            gone = {(self._posts[k].x, self._posts[k].y) for k in self._missed & set(self._posts)}
            # of a path that posts carry which were found before: another touch is news again
            self._others = tuple(one for one in self._others if (one.x, one.y) not in gone)
            self._news = True
        return None

    def probed(self, contacts: ContactSet) -> Flags | None:
        """Those that were not detected yet."""
        detected = self._felt[contacts.contact]
        return None if detected.all() else ~detected

    def pressed(self, contacts: ContactSet, force: Array) -> None:
        """Give up posts against which the robot has pressed in vain."""
        self._telling[contacts.contact] = force >= self._detection.telling_force
        vain = (self._telling & ~(self._felt | self._silent))[contacts.contact]
        if not vain.any():
            return
        self._impulse[contacts.contact[vain]] += self._period * force[vain]

    def absent(self, contacts: ContactSet) -> Indices:  # noqa: ARG002
        """Those beside the body."""
        return self._here

    def unexpected(self, link: int) -> None:
        """Add the post that presses on a link, where forces tell its place."""
        tick = self._tick
        if tick is None or not self._posts:
            return
        reach = tick.contacts.reach
        if tick.frame.joint_force is None or not reach.size:
            return
        radius = float(np.median([post.radius for post in self._posts.values()]))
        touch = self._points.beside(tick.frame, tick.passed_on(), link, float(reach.mean()))
        if touch is None:
            return
        axis, ahead = self._bent_axes(tick)[touch.link : touch.link + 2].tolist()
        place = axis + (ahead - axis) / abs(ahead - axis) * touch.centre
        number = max([*self._posts, *(post.number for post in self._others)]) + 1
        other = CorrectedPost(number, place.real, place.imag, radius, touch.std, "unexpected")
        if not any(clearance(other, post) < 0 for post in self._others):
            self._others = (*self._others, other)
            self._met = (*self._met, other)
            self.events.add(Event(kind=EventKind.UNMAPPED_POST, place=(other.x, other.y)))
            self._news = True

    def _astray(self, tick: Tick) -> int | None:
        """The foremost contact, where the body is so far off its path that the post cannot stand at
        its place: inside of it, or beside it and yet detected. The other posts hold the body, and
        nothing else pushes it aside.
        """
        contacts, detected = tick.contacts, tick.force >= self._detection.felt_force
        carrying = np.flatnonzero(contacts.activation > 0.0)
        if not carrying.size:
            return None
        ahead = tick.travel.direction * contacts.link[carrying]
        k = int(carrying[ahead.argmax()])
        post = self._posts[int(self._numbers[contacts.contact[k]])]
        if any(math.hypot(post.x - one.x, post.y - one.y) > SAME_POST for one in self._met):
            return None
        others = detected & (contacts.link != contacts.link[k])
        if np.count_nonzero(others) < self._detection.balanced:
            return None
        axes, here = tick.state.axes, slice(contacts.link[k], contacts.link[k] + 2)
        off = (self._bent(tick, axes, contacts.link[others]) - axes)[here].mean()
        inside = float(contacts.side[k] * (off / tick.state.along[contacts.link[k]]).imag)
        astray = self._tuning.astray
        wrong = inside > astray or (inside < -astray and detected[k])
        return int(contacts.contact[k]) if wrong else None

    def _bent_axes(self, tick: Tick) -> Axes:
        """The joint axes of the body as it is bent, where the posts that are detected hold it."""
        on_path: Axes = self._curve.position(tick.state.sigma) @ np.array([1, 1j])
        held = np.unique(tick.contacts.link[tick.force >= self._detection.felt_force])
        return self._bent(tick, on_path, held)

    def _bent(self, tick: Tick, on_path: Axes, held: Indices) -> Axes:
        """The same, with the links `held` kept where they are on the path; `on_path`: the axes of
        the body on it. Both in one frame, m.
        """
        bent: Axes = joint_axes(self._pitch, np.zeros(3), tick.frame.position) @ np.array([1, 1j])
        return _laid_on(bent, on_path, held)

    def news(self) -> CorrectedMap | None:
        """The map without the posts that are not there, and with those that it has not."""
        if not self._news:
            return None
        self._news = False
        mapped = (
            CorrectedPost(number, post.x, post.y, post.radius, 0.0, "mapped")
            for number, post in self._posts.items()
            if number not in self._missed
        )
        others = self._others
        standing = (
            post for post in mapped if not any(clearance(post, other) < 0 for other in others)
        )
        return CorrectedMap((*standing, *others), tuple(sorted(self._missed)))


def _laid_on(body: Axes, path: Axes, links: Indices) -> Axes:
    """The body, moved as it is so that the middles of these links lie as near as can be to where
    they are on the path; of all links where they are fewer than two.

    Args:
        body, path: its axes, and those on the path, m. links: from 0.
    """
    if links.size < 2:
        links = np.arange(body.size - 1)
    here, there = ((axes[links] + axes[links + 1]) / 2 for axes in (body, path))
    turn = np.vdot(here - here.mean(), there - there.mean())
    laid: Axes = there.mean() + (body - here.mean()) * turn / abs(turn)
    return laid
