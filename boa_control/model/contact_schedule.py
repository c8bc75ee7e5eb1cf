# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which posts the chain touches at which link, from the map and the path coordinate alone.

A post is in contact as long as its point s_k of the path lies between tail and head. The measured
force does not switch contacts: that made every contact chatter, see docs/mathematics.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_control.compiled.on_path import flank_touches
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState
from boa_control.model.reference import ReferenceTable
from boa_control.paths.path import PathContact, PlannedPath
from boa_description.arrays import Array, Flags, Indices

SAME_PLACE = 1e-6  # m; posts of the map closer than this along the path stand opposite each other


def _redundant(s: Array, side: Array) -> NDArray[np.bool_]:
    """Of two posts opposite each other, the one against the pattern LRRL, in which preloads close
    the body.
    """
    opposite = np.abs(np.diff(s)) < SAME_PLACE
    line = np.concatenate([[0], np.cumsum(~opposite)])
    paired = np.concatenate([[False], opposite]) | np.concatenate([opposite, [False]])
    redundant: NDArray[np.bool_] = paired & (side != np.array([1, -1, -1, 1])[line % 4])
    return redundant


def _load_touches() -> Callable[..., Any]:
    """The kernels of a bent chain, which take their time to load: not for all others."""
    from boa_control.compiled.chain import touches

    kernel: Callable[..., Any] = touches
    return kernel


class ContactSchedule:
    """The map of posts in order of the path.

    Attributes:
        positions: shape (number of posts, 2), world, m.
        ramp: length over which a contact is taken on or released, m.
        towards: unit vectors from the posts to the path, world, as complex numbers x + iy, shape
            (number of posts,).
    """

    def __init__(
        self, path: PlannedPath, reference: ReferenceTable, body_radius: float, ramp: float
    ) -> None:
        """`body_radius`: half width of the body, m. `ramp`: length over which a contact is taken on
        or released, m.
        """
        self._reference = reference
        self.ramp = ramp
        self._body_radius = body_radius
        posts = path.contacts
        self.positions = np.array([[post.x, post.y] for post in posts]).reshape(-1, 2)
        s = np.array([post.s for post in posts])
        side = np.array([float(post.side) for post in posts])
        redundant = _redundant(s, side)
        index = np.arange(len(posts))
        self._lap = path.curve.length
        self._closed = path.curve.closed
        self._turning = 0.0 if path.curve.repeat is None else path.curve.repeat.rotation
        if self._closed:  # one lap more, so that a body across the seam finds its posts in order
            s, side = np.concatenate([s, s + self._lap]), np.tile(side, 2)
            redundant, index = np.tile(redundant, 2), np.tile(index, 2)
        self._s = s
        self._side = side
        self._redundant = redundant
        self._index = index
        self._sorted = s.tolist()
        self._reach = np.array([post.radius for post in posts]) + body_radius
        self._post = np.array(path.post_of, dtype=np.intp)
        self.towards = -1j * side[: len(posts)] * np.exp(1j * path.curve.heading(s[: len(posts)]))
        self._near: Neighbourhood | None = None
        self._touches = None if reference.on_path else _load_touches()

    def with_contact(self, contact: PathContact, post: int) -> ContactSchedule:
        """The schedule with one contact more, its index behind those of all others.

        Args:
            post: its number.
        """
        more = copy(self)
        more.positions = np.vstack([self.positions, (contact.x, contact.y)])
        more._reach = np.append(self._reach, contact.radius + self._body_radius)
        more._post = np.append(self._post, post)
        along = np.exp(1j * self._reference.curve.heading(np.array([contact.s])))
        more.towards = np.append(self.towards, -1j * contact.side * along)
        index = len(self.positions)
        laps = (0.0, self._lap) if self._closed else (0.0,)
        for s in (contact.s + lap for lap in laps):
            place = bisect_left(more._s.tolist(), s)
            more._s = np.insert(more._s, place, s)
            more._side = np.insert(more._side, place, float(contact.side))
            more._redundant = np.insert(more._redundant, place, False)
            more._index = np.insert(more._index, place, index)
        more._sorted = more._s.tolist()
        more._near = None
        return more

    def at(self, state: PathState, beyond: float = 0.0) -> ContactSet:
        """The contacts of a chain on the path, at the state's path coordinate, and those up to
        `beyond`, m, before and behind it.
        """
        near = self.near(state, beyond)
        link, places = np.empty(near.s.size, int), np.empty((4, near.s.size))
        if self._touches is None:
            normal = near.flank
            flank_touches(
                link, places, state.axes, state.along, state.sigma, near.s, near.centre, self.ramp
            )
        else:  # joints are bent where they pass posts
            normal = np.empty((near.s.size, 2))
            self._touches(
                (link, normal, places),
                (state.axes, state.along, state.sigma, self._reference.pitch),
                (near.s, near.side, near.centre, near.towards, near.on_map),
                0.0,
                self.ramp,
                False,
            )
        return near.touched(link, normal, places)

    def near(self, state: PathState, beyond: float = 0.0) -> Neighbourhood:
        """The posts between tail and head, and those up to `beyond`, m, from there."""
        tail, head = state.sigma.item(0) - beyond, state.sigma.item(-1) + beyond
        laps = math.floor(tail / self._lap) * self._lap if self._closed else 0.0
        first = bisect_left(self._sorted, tail - laps)
        last = bisect_left(self._sorted, head - laps, first)
        return self._neighbourhood((first, last, laps, state.turn))

    def _neighbourhood(self, key: tuple[int, int, float, int]) -> Neighbourhood:
        """The posts at the body; `key`: the first and the one after the last in order of the path,
        after how many laps (m), and the repeat in whose frame they are.
        """
        if self._near is None or self._near.key != key:
            first, last, laps, turn = key
            contact = self._index[first:last]
            x, y = self._reference.to_pattern(self.positions[contact], turn).T
            s, side, redundant = (
                self._s[first:last] + laps,
                self._side[first:last],
                self._redundant[first:last],
            )
            flank = np.column_stack([np.zeros(side.size), -side])
            turned = complex(np.exp(-1j * turn * self._turning))
            towards = (
                -1j * side * np.exp(1j * (self._reference.curve.heading(s) - turn * self._turning))
            )
            centre, reach = x + 1j * y, self._reach[contact]
            two_sided = bool(redundant.any())
            self._near = Neighbourhood(
                key,
                contact,
                self._post[contact],
                s,
                side,
                redundant,
                two_sided,
                centre,
                reach,
                flank,
                towards,
                turned,
                np.zeros(side.size, bool),
            )
        return self._near


class Neighbourhood(NamedTuple):
    """The posts at the body: all of a contact set that stays the same from one transition to the
    next.

    Attributes:
        centre: of the posts, in the frame of the state, as complex numbers x + iy, m.
        reach: sum of the radii of post and body, m.
        flank: shape (nc, 2), normals at the flanks of the links.
        towards: unit vectors from the posts to the path, as complex numbers.
        turned: from directions in the world to the frame of the state, a unit number.
        on_map: no post has been located elsewhere: all false.
    """

    key: tuple[int, int, float, int]
    contact: Indices
    post: Indices
    s: Array
    side: Array
    redundant: NDArray[np.bool_]
    two_sided: bool
    centre: NDArray[np.complex128]
    reach: Array
    flank: Array
    towards: NDArray[np.complex128]
    turned: complex
    on_map: Flags

    def touched(self, link: Indices, normal: Array, places: Array) -> ContactSet:
        """The contacts.

        Args:
            link, normal: as of `ContactSet`.
            places: rows offset, distance, inside and activation, as of `ContactSet`, shape (4, nc).
        """
        offset, distance, inside, activation = places
        return tuple.__new__(  # `ContactSet(...)` takes twice as long
            ContactSet,
            (
                *(self.contact, self.post, link, offset, self.side, normal, distance, self.reach),
                *(inside, activation, self.redundant, self.two_sided),
            ),
        )
