# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The posts that the chain touches at one path coordinate, and their rows in the dynamics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_control.compiled.rows import contact_rows
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_description.arrays import Array, Indices

OPPOSITE = 0.02  # m along a link; posts closer than this stand opposite each other


class ContactSet(NamedTuple):
    """The posts in contact at one s, from tail to head. All arrays have shape (nc,).

    Attributes:
        contact: index along the path, `PlannedPath.contacts`.
        post: index of its post, `PlannedPath.posts`; one that the path touches several times has
            several contacts.
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
    """

    contact: Indices
    post: Indices
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

    def select(self, chosen: NDArray[np.bool_]) -> ContactSet:
        """The contacts where `chosen`, shape (nc,), is true."""
        index = chosen.nonzero()[0]
        if index.size == chosen.size:
            return self
        kept: Indices | slice = index
        if index.size:
            first, end = index.item(0), index.item(-1) + 1
            if end - first == index.size:  # side by side: nothing is copied
                kept = slice(first, end)
        columns = [column[kept] for column in self[:-1]]
        return ContactSet._make((*columns, self.two_sided))

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

    def rows(self, chain: PlanarChain, state: PathState, friction: float) -> tuple[Array, Array]:
        """Gap Jacobian J, and the generalised forces of unit normal forces with sliding friction,
        (nc, n + 2) each.
        """
        gap, push = np.empty((2, self.link.size, state.dq.size))
        places = self.link, self.offset, self.side, self.normal
        chain_rows = state.across_rows, state.along_rows
        contact_rows(gap, push, places, chain_rows, friction, chain.radius)
        return gap, push
