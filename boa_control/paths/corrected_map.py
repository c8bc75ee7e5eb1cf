# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The map of posts as a run has found it."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["mapped", "touched", "unexpected"]


class CorrectedPost(NamedTuple):
    """A post that stands, as far as is known.

    Attributes:
        number: index on the map; those that are not on it have numbers behind all of the map's.
        x, y, radius: m.
        std: standard deviation of its place per axis, among the posts that were touched: what
            moves all of them like one rigid body nothing can observe. m.
        kind: mapped: as on the map, not touched yet; unexpected: touched, and not on the map.
    """

    number: int
    x: float
    y: float
    radius: float
    std: float
    kind: Kind


@dataclass(frozen=True, slots=True)
class CorrectedMap:
    """Posts in order of their numbers; those of the map that are not there are left out.

    Attributes:
        posts: that stand. missing: indices of the map's posts that were searched in vain.
    """

    posts: tuple[CorrectedPost, ...]
    missing: tuple[int, ...] = ()
