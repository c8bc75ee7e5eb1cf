"""Which posts the chain touches at which link, from the map and the path coordinate alone.

A post is in contact as long as its point s_k of the path lies between tail and head. The measured force does not
switch contacts: that made every contact chatter, see docs/mathematics.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from boa_control.controllers.hoal.path_model import PathState
from boa_control.dynamics import PlanarChain
from boa_control.paths.path import PlannedPath
from boa_control.paths.reference import ReferenceTable

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ContactSet:
    """The posts in contact at one s, from tail to head. All arrays have shape (nc,).

    Attributes:
        post: index in the map.
        link: index of the touching link, 0 = tail.
        offset: contact point along that link from its tail-side axis, m.
        side: +1 post on the left, -1 on the right.
        clearance: distance between the link's flank and the post in the map, m; 0 on the path itself.
        inside: distance of the contact from the nearer end of the body, along the path, m; negative beyond it.
        activation: 0 at the ends of the body and beyond, 1 where the contact carries fully.
        redundant: the post stands opposite to the one before it, so both hold the link in the same place.
    """

    post: Indices
    link: Indices
    offset: Array
    side: Array
    clearance: Array
    inside: Array
    activation: Array
    redundant: NDArray[np.bool_]

    def select(self, chosen: NDArray[np.bool_]) -> ContactSet:
        """The contacts where `chosen`, shape (nc,), is true."""
        if chosen.all():
            return self
        return ContactSet(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def rows(self, chain: PlanarChain, state: PathState, friction: float) -> tuple[Array, Array]:
        """Gap Jacobian J, and the generalised forces of unit normal forces with sliding friction, (nc, n + 2) each."""
        turning = chain.turning_rows[self.link]
        gap = state.across_rows[self.link] + self.offset[:, None] * turning
        gap *= -self.side[:, None]
        if friction == 0.0:
            return gap, gap
        sliding = state.along_rows[self.link] - (self.side * chain.radius)[:, None] * turning
        return gap, gap - friction * sliding


class ContactSchedule:
    """The map of posts in order of the path.

    Attributes:
        positions: shape (number of posts, 2), world, m.
    """

    def __init__(self, path: PlannedPath, reference: ReferenceTable, body_radius: float, ramp: float) -> None:
        """`body_radius`: half width of the body, m. `ramp`: length over which a contact is taken on or released, m."""
        self._reference, self._ramp = reference, ramp
        posts = path.obstacles
        self.positions = np.array([[post.x, post.y] for post in posts]).reshape(-1, 2)
        s = np.array([post.s for post in posts])
        side = np.array([float(post.side) for post in posts])
        redundant = np.zeros(len(posts), bool)
        redundant[1:] = np.abs(np.diff(s)) < 1e-6
        index = np.arange(len(posts))
        self._lap, self._closed = path.curve.length, path.curve.closed
        if self._closed:  # one lap more, so that a body across the seam finds its posts in order
            s, side = np.concatenate([s, s + self._lap]), np.tile(side, 2)
            redundant, index = np.tile(redundant, 2), np.tile(index, 2)
        self._s, self._side, self._redundant, self._index = s, side, redundant, index
        self._sorted = s.tolist()
        self._reach = np.array([post.radius for post in posts]) + body_radius
        self._near: _Neighbourhood | None = None

    def at(self, state: PathState, beyond: float = 0.0) -> ContactSet:
        """The contacts at the state's path coordinate, with those up to `beyond` (m) from the ends of the body."""
        tail, head = state.sigma.item(0), state.sigma.item(-1)
        laps = math.floor((tail - beyond) / self._lap) * self._lap if self._closed else 0.0
        first = bisect_left(self._sorted, tail - beyond - laps)
        last = bisect_left(self._sorted, head + beyond - laps, first)
        near = self._neighbourhood((first, last, laps, state.turn))
        link = state.sigma[1:-1].searchsorted(near.s, side="right")
        offset, sideways = _in_link_frame(near.centre, state, link)
        if beyond > 0.0:  # the chain may be bent, or the post beyond the body: look at the neighbour
            pitch = self._reference.pitch
            link = np.clip(link + (offset > pitch) * 1 - (offset < 0) * 1, 0, len(state.along) - 1)
            offset, sideways = _in_link_frame(near.centre, state, link)
        inside = np.minimum(near.s - tail, head - near.s)
        activation = np.minimum(np.maximum(inside / self._ramp, 0.0), 1.0)
        clearance = near.side * sideways - near.reach
        return ContactSet(near.post, link, offset, near.side, clearance, inside, activation, near.redundant)

    def _neighbourhood(self, key: tuple[int, int, float, int]) -> _Neighbourhood:
        """The posts `first` to `last` in order of the path, after `laps` (m), in the frame of repeat `turn`."""
        if self._near is None or self._near.key != key:
            first, last, laps, turn = key
            post = self._index[first:last]
            x, y = self._reference.to_pattern(self.positions[post], turn).T
            s, side, redundant = self._s[first:last] + laps, self._side[first:last], self._redundant[first:last]
            self._near = _Neighbourhood(key, post, s, side, redundant, x + 1j * y, self._reach[post])
        return self._near


@dataclass(frozen=True, slots=True)
class _Neighbourhood:
    """The posts at the body: all of a contact set that stays the same from one transition to the next.

    Attributes:
        centre: of the posts, in the frame of the state, as complex numbers x + iy, m.
        reach: sum of the radii of post and body, m.
    """

    key: tuple[int, int, float, int]
    post: Indices
    s: Array
    side: Array
    redundant: NDArray[np.bool_]
    centre: NDArray[np.complex128]
    reach: Array


def _in_link_frame(points: NDArray[np.complex128], state: PathState, link: Indices) -> tuple[Array, Array]:
    """Coordinates of points x + iy, shape (nc,), along and across their links, shape (nc,) each, m."""
    axes, along = state.axes.view(complex)[:, 0], state.along.view(complex)[:, 0]
    seen = (points - axes[link]) * along[link].conj()  # multiplying by the conjugate turns into the frame of the link
    return seen.real, seen.imag


def transitions(before: ContactSet | None, now: ContactSet) -> tuple[str, ...]:
    """Hybrid transitions between two ticks: gain, lose, and pass a contact across a joint (thesis 3.3.2)."""
    if before is not None and before.post is now.post and before.link.tobytes() == now.link.tobytes():
        return ()
    before_links = {} if before is None else dict(zip(before.post.tolist(), before.link.tolist(), strict=True))
    now_links = dict(zip(now.post.tolist(), now.link.tolist(), strict=True))
    if before_links == now_links:
        return ()
    events = [f"gain obstacle {post} link {link + 1}" for post, link in now_links.items() if post not in before_links]
    events += [f"lose obstacle {post} link {link + 1}" for post, link in before_links.items() if post not in now_links]
    events += [
        f"pass obstacle {post} link {before_links[post] + 1} to {link + 1}"
        for post, link in now_links.items()
        if post in before_links and before_links[post] != link
    ]
    return tuple(events)
