"""Which posts the chain touches at which link, from the map and the path coordinate alone.

A post is in contact as long as its point s_k of the path lies between tail and head. The measured
force does not switch contacts: that made every contact chatter, see docs/mathematics.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_control.model.reference import ReferenceTable
from boa_control.paths.path import PlannedPath
from boa_description.arrays import Array, Indices

SAME_PLACE = 1e-6  # m; posts of the map closer than this along the path stand opposite each other
OPPOSITE = 0.02  # m; the same along a link
# m, by which a located post may seem further inside than the end of a bent body has come
SWUNG = 0.03
SAME_DISTANCE = 1e-9  # m; at a joint both links are equally near
NEIGHBOURS = np.array([[0], [-1], [1]])  # of a link: itself and those beside it


class ContactSet(NamedTuple):
    """The posts in contact at one s, from tail to head. All arrays have shape (nc,).

    Attributes:
        post: index of the contact along the path, `PlannedPath.obstacles`.
        obstacle: index of its post, `PlannedPath.posts`; a post that the path touches several times
            has several contacts.
        link: index of the touching link, 0 = tail.
        offset: contact point along that link from its tail-side axis, m.
        side: +1 post on the left, -1 on the right.
        normal: shape (nc, 2), unit vector from the post to the link, along and across the link; (0,
            -side) at a flank.
        distance: of the post, where it is believed to stand, from the middle line of the body,
            counted to the left, m.
        reach: of the body's middle line to the post's centre when they touch, m.
        inside: distance of the contact from the nearer end of the body, along the path, m; negative
            beyond it.
        activation: 0 at the ends of the body and beyond, 1 where the contact carries fully.
        redundant: the post stands opposite to another, and the link is pressed against that one.
        two_sided: False if certainly none is redundant.
        at_flanks: every contact is at the flank of its link, none at a rounded end or joint.
    """

    post: Indices
    obstacle: Indices
    link: Indices
    offset: Array
    side: Array
    normal: Array
    distance: Array
    reach: Array
    inside: Array
    activation: Array
    redundant: NDArray[np.bool_]
    two_sided: bool
    at_flanks: bool

    def select(self, chosen: NDArray[np.bool_]) -> ContactSet:
        """The contacts where `chosen`, shape (nc,), is true."""
        index = chosen.nonzero()[0]
        if index.size == chosen.size:
            return self
        columns = (column[index] for column in self[:-2])
        return ContactSet._make((*columns, self.two_sided, self.at_flanks))

    @property
    def clearance(self) -> Array:
        """Gap between the link and the post where it is believed to stand, shape (nc,), m; 0 on the
        path itself.
        """
        return self.side * self.distance - self.reach

    @property
    def left_out(self) -> NDArray[np.bool_] | None:
        """`redundant`; None where there are none."""
        return self.redundant if self.two_sided else None

    def preload(self, share: Array, force: float, floor: float) -> tuple[Array, Array]:
        """Desired and least contact forces, shape (nc,) each, N, for a preload `force` and a least
        force `floor`, N, where each contact carries its `share`, shape (nc,).

        Two opposite posts are one contact that can push both ways: no joint torque squeezes the
        link between them. With lam >= 0, a desired f of the one and -f of the other costs as
        much as the net force of a single contact, and only one of the two carries it.
        """
        desired = force * share
        least = np.minimum(floor, desired)
        if self.two_sided:
            desired, least = (
                np.where(self.redundant, -desired, desired),
                np.where(self.opposed(), 0.0, least),
            )
        return desired, least

    def opposed(self) -> NDArray[np.bool_]:
        """Which contacts have another one on the other side of the link, shape (nc,)."""
        return np.asarray(self._facing().any(axis=1))

    def partner(self) -> Indices:
        """Index of the contact on the other side of the link, shape (nc,); 0 if there is none."""
        return np.asarray(self._facing().argmax(axis=1))

    def _facing(self) -> NDArray[np.bool_]:
        facing = (self.link[:, None] == self.link) & (self.side[:, None] != self.side)
        facing &= np.abs(self.offset[:, None] - self.offset) < OPPOSITE
        return facing

    def headward(self, chain: PlanarChain) -> Array:
        """1 where a contact acts on the links headward of a joint, else 0; shape (nc, n - 1)."""
        return chain.headward_rows.take(self.link, axis=0)

    def rows(self, chain: PlanarChain, state: PathState, friction: float) -> tuple[Array, Array]:
        """Gap Jacobian J, and the generalised forces of unit normal forces with sliding friction,
        (nc, n + 2) each.
        """
        turning = chain.turning_rows.take(self.link, axis=0)
        along, across = self.normal[:, :1], self.normal[:, 1:]
        sideways = state.across_rows.take(self.link, axis=0) + self.offset[:, None] * turning
        gap = across * sideways
        if self.at_flanks and friction == 0.0:
            return gap, gap
        lengthwise = state.along_rows.take(self.link, axis=0)
        if not self.at_flanks:
            gap += along * lengthwise
        if friction == 0.0:
            return gap, gap
        sliding = self.side[:, None] * (
            along * sideways - across * lengthwise - chain.radius * turning
        )
        return gap, gap - friction * sliding


def _redundant(s: Array, side: Array) -> NDArray[np.bool_]:
    """Of two posts opposite each other, the one against the pattern LRRL, in which preloads close
    the body.
    """
    opposite = np.abs(np.diff(s)) < SAME_PLACE
    line = np.concatenate([[0], np.cumsum(~opposite)])
    paired = np.concatenate([[False], opposite]) | np.concatenate([opposite, [False]])
    redundant: NDArray[np.bool_] = paired & (side != np.array([1, -1, -1, 1])[line % 4])
    return redundant


class ContactSchedule:
    """The map of posts in order of the path.

    Attributes:
        positions: shape (number of posts, 2), world, m.
    """

    def __init__(
        self, path: PlannedPath, reference: ReferenceTable, body_radius: float, ramp: float
    ) -> None:
        """`body_radius`: half width of the body, m. `ramp`: length over which a contact is taken on
        or released, m.
        """
        self._reference = reference
        self._ramp = ramp
        posts = path.obstacles
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
        self._obstacle = np.array(path.post_of, dtype=np.intp)
        self._near: _Neighbourhood | None = None
        self._candidates = _Candidates.of(reference.links, reference.pitch)

    def at(
        self,
        state: PathState,
        beyond: float = 0.0,
        offsets: Array | None = None,
        shifts: NDArray[np.complex128] | None = None,
    ) -> ContactSet:
        """The contacts at the state's path coordinate.

        Args:
            state: of the chain, on the path or bent.
            beyond: m from the ends of the body, up to which posts are looked at; above 0 for a
                chain that may be bent.
            offsets: of all posts from their places in the map along the normals of the path, m,
                positive towards it; only with `beyond`.
            shifts: of all obstacles from their places in the map before that, x + iy, world, m;
                0 where it is not known.
        """
        tail, head = state.sigma.item(0), state.sigma.item(-1)
        laps = math.floor((tail - beyond) / self._lap) * self._lap if self._closed else 0.0
        first = bisect_left(self._sorted, tail - beyond - laps)
        last = bisect_left(self._sorted, head + beyond - laps, first)
        near = self._neighbourhood((first, last, laps, state.turn))
        link = state.sigma[1:-1].searchsorted(near.s, side="right")
        inside = np.minimum(near.s - tail, head - near.s)
        at_flanks = beyond == 0.0 and self._reference.on_path
        if beyond > 0.0:
            centre = near.centre
            if shifts is not None:
                shift = shifts[near.obstacle]
                centre = centre + near.turned * shift
            if offsets is not None:
                centre = centre + offsets[near.post] * near.towards
            link, offset, normal, distance = _nearest(
                centre, near.side, state, link, self._candidates
            )
            if shifts is not None:  # a post that was located is met and left where it stands
                pitch = self._reference.pitch
                behind = link * pitch + offset
                before = state.along.size * pitch - behind
                beside = np.minimum(np.minimum(behind, before), _reached(near, centre, state, link))
                inside = np.where(shift != 0.0, beside, inside)
            _beside_the_ends(
                centre, near.towards, near.side, inside < 0, state, link, offset, normal, distance
            )
            activation = np.maximum(np.minimum(inside / self._ramp, 1.0), 0.0)
        else:
            if at_flanks:
                seen = state.in_link_frame(near.centre, link)
                offset, distance, normal = seen.real, seen.imag, near.flank
            else:  # joints are bent where they pass posts
                link, offset, normal, distance = _nearest(
                    near.centre, near.side, state, link, self._candidates
                )
            activation = np.minimum(inside / self._ramp, 1.0)
        return ContactSet(
            near.post,
            near.obstacle,
            link,
            offset,
            near.side,
            normal,
            distance,
            near.reach,
            inside,
            activation,
            near.redundant,
            two_sided=near.two_sided,
            at_flanks=at_flanks,
        )

    def _neighbourhood(self, key: tuple[int, int, float, int]) -> _Neighbourhood:
        """The posts `first` to `last` in order of the path, after `laps` (m), in the frame of
        repeat `turn`.
        """
        if self._near is None or self._near.key != key:
            first, last, laps, turn = key
            post = self._index[first:last]
            x, y = self._reference.to_pattern(self.positions[post], turn).T
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
            centre, reach = x + 1j * y, self._reach[post]
            two_sided = bool(redundant.any())
            self._near = _Neighbourhood(
                key,
                post,
                self._obstacle[post],
                s,
                side,
                redundant,
                two_sided,
                centre,
                reach,
                flank,
                towards,
                towards.conjugate() * (-1j * side),
                turned,
            )
        return self._near


class _Neighbourhood(NamedTuple):
    """The posts at the body: all of a contact set that stays the same from one transition to the
    next.

    Attributes:
        centre: of the posts, in the frame of the state, as complex numbers x + iy, m.
        reach: sum of the radii of post and body, m.
        flank: shape (nc, 2), normals at the flanks of the links.
        towards: unit vectors from the posts to the path, as complex numbers; tangent: of the path
            there, conjugate.
        turned: from directions in the world to the frame of the state, a unit number.
    """

    key: tuple[int, int, float, int]
    post: Indices
    obstacle: Indices
    s: Array
    side: Array
    redundant: NDArray[np.bool_]
    two_sided: bool
    centre: NDArray[np.complex128]
    reach: Array
    flank: Array
    towards: NDArray[np.complex128]
    tangent: NDArray[np.complex128]
    turned: complex


class _Candidates(NamedTuple):
    """The links that a post planned on one of them may touch, one column for each: that link and
    those beside it, shape (3, n).

    Attributes:
        link: indices. lowest, highest: of the places along their axis lines, m; the first and the
            last link are not bounded outwards.
    """

    link: Indices
    lowest: Array
    highest: Array

    @classmethod
    def of(cls, links: int, pitch: float) -> _Candidates:
        """Those of a chain."""
        link = np.clip(np.arange(links) + NEIGHBOURS, 0, links - 1)
        return cls(
            link,
            np.where(link > 0, 0.0, -np.inf),
            np.where(link < links - 1, pitch, np.inf),
        )


def _nearest(
    centre: NDArray[np.complex128],
    side: Array,
    state: PathState,
    link: Indices,
    candidates: _Candidates,
) -> tuple[Indices, Array, Array, Array]:
    """Link, offset, normal and distance of the axis line that is nearest to each post, of `link`
    and its neighbours.

    At a joint the body is round; there `link` counts, where the path coordinate says that the
    contact is.
    """
    links = candidates.link.take(link, axis=1)
    seen = state.in_link_frame(centre, links)
    offset = np.maximum(seen.real, candidates.lowest.take(link, axis=1))
    offset = np.minimum(offset, candidates.highest.take(link, axis=1))
    arm = seen - offset
    distance = np.abs(arm)
    distance[1:] += SAME_DISTANCE
    chosen = distance.argmin(axis=0) * link.size + np.arange(link.size)
    links, offset, arm = links.take(chosen), offset.take(chosen), arm.take(chosen)
    flank = arm.real == 0.0
    signed = np.where(flank, side * arm.imag, np.abs(arm))
    normal = arm.view(float).reshape(-1, 2) / -signed[:, None]
    normal[flank, 1] = -side[flank]
    return links, offset, normal, side * signed


def _reached(
    near: _Neighbourhood, centre: NDArray[np.complex128], state: PathState, link: Indices
) -> Array:
    """Most that posts at the first and last link may be inside, shape (nc,), m: how far the end of
    the body has come along the path at the post. Beside a tail that has swung away lies a post that
    it left long ago.
    """
    past_tail = ((centre - state.axes[0]) * near.tangent).real
    up_to_head = ((state.axes[-1] - centre) * near.tangent).real
    last = state.along.size - 1
    at_ends = np.where(link == 0, past_tail, np.where(link == last, up_to_head, np.inf))
    return at_ends + SWUNG


def _beside_the_ends(
    centre: NDArray[np.complex128],
    towards: NDArray[np.complex128],
    side: Array,
    outside: NDArray[np.bool_],
    state: PathState,
    link: Indices,
    offset: Array,
    normal: Array,
    distance: Array,
) -> None:
    """Set link, offset, normal and distance of posts `outside`, before the nose or behind the tail.

    A nose that must pass a post has to be beside it before it gets there. How far it is beside is
    measured across the path at the post, not across the head link, which still lies in the bend
    before it.
    """
    axes, along = state.axes, state.along
    last = along.size - 1
    for k in outside.nonzero()[0].tolist():
        touched, end = (last, last + 1) if link.item(k) > last / 2 else (0, 0)
        tip, outwards = axes.item(end), towards.item(k)
        across = outwards * along.item(touched).conjugate()
        link[k], offset[k] = touched, abs(tip - axes.item(touched))
        normal[k] = across.real, across.imag
        distance[k] = side.item(k) * ((tip - centre.item(k)) * outwards.conjugate()).real
