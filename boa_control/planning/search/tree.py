# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tree that a search grows: lines reached one after the other, with the contacts so far."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from boa_control.planning.search.joins import Pieces
from boa_control.planning.search.way import Way
from boa_control.planning.search.windows import worst_margins
from boa_description.arrays import Array, Indices

NO_POSTS = np.zeros(0, dtype=np.intp)
NOTHING = np.zeros(0)
NO_WRENCHES = np.zeros((0, 1, 3))


@dataclass(slots=True, eq=False)
class Reached:
    """A line reached along a way.

    Attributes:
        line: index.
        parent: the line before; None for the first.
        s: arc length of its last contact, m; `half` before the end of a line without contacts.
        head: arc length up to which the windows of the body were tested, m.
        price: so far, m.
        segments: from the end of the parent's line to the start of this one.
        way: from there to the end of this line; None until it is verified.
        previous: arc length one pitch (as a chord) behind the points of the way, counted as they
            are, m; None until a track over them is made.
        at: arc lengths of the contacts within a body length, oldest first, m.
        wrenches: theirs, shape (len(at), k, 3), as if the body lay straight there, for k frictions
            of the posts.
        posts: theirs, shape (len(at),).
        sides: theirs, +1 post on the left, -1 right, shape (len(at),).
        margin, effective_mass: the worst so far.
    """

    line: int
    parent: Reached | None
    s: float
    price: float
    head: float = 0.0
    segments: Pieces = ()
    way: Way | None = None
    previous: Array | None = None
    at: Array = field(default_factory=lambda: NOTHING)
    wrenches: Array = field(default_factory=lambda: NO_WRENCHES)
    posts: Indices = field(default_factory=lambda: NO_POSTS)
    sides: Array = field(default_factory=lambda: NOTHING)
    margin: float = 1.0
    effective_mass: float = 0.0
    _margins: Array | None = None

    @property
    def margins(self) -> Array:
        """`worst_margins` of the contacts, kept."""
        if self._margins is None:
            self._margins = worst_margins(self.wrenches)
        return self._margins

    def back(self) -> list[Reached]:
        """All lines from the first to this one."""
        chain = []
        at: Reached | None = self
        while at is not None:
            chain.append(at)
            at = at.parent
        return chain[::-1]
