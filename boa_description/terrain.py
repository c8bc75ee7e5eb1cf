# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A floor that is not flat: steps and gaps across the x axis, for robots that leave the plane."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from boa_description.robot import Block, Metre


class Step(Block):
    """From x on the floor lies higher, by `height`."""

    kind: Literal["step"] = "step"
    x: Metre
    height: Metre = Field(gt=0, le=1)

    @property
    def end(self) -> float:
        """Where it is over, m."""
        return self.x


class Gap(Block):
    """From x the floor is missing for `width`; its ground lies `depth` below."""

    kind: Literal["gap"] = "gap"
    x: Metre
    width: Metre = Field(gt=0)
    depth: Metre = Field(default=0.5, gt=0, le=5)

    @property
    def end(self) -> float:
        """Where it is over, m."""
        return self.x + self.width


Terrain = Sequence[Step | Gap]
AnyFeature = Annotated[Step | Gap, Field(discriminator="kind")]


class Slab(NamedTuple):
    """A level piece of floor between two values of x, m; the first begins and the last ends
    nowhere (infinite).
    """

    start: float
    end: float
    top: float


def misplaced(terrain: Terrain) -> str | None:
    """Why these features cannot follow each other; None where they can."""
    for one, other in pairwise(terrain):
        if other.x <= one.end:
            return (
                f"terrain must come in order of x without overlap: {other.kind} at x = "
                f"{other.x:g} m begins before {one.kind} ends at {one.end:g} m"
            )
    return None


def slabs(terrain: Terrain) -> tuple[Slab, ...]:
    """The floor from left to right; the first slab lies at height 0."""
    pieces: list[Slab] = []
    start, top = -math.inf, 0.0
    for feature in terrain:
        pieces.append(Slab(start, feature.x, top))
        if isinstance(feature, Gap):
            pieces.append(Slab(feature.x, feature.end, top - feature.depth))
        else:
            top += feature.height
        start = feature.end
    return (*pieces, Slab(start, math.inf, top))


def raised(terrain: Terrain, low: float, high: float) -> Slab | None:
    """The first slab between two values of x, m, that lies higher than the first of all."""
    for piece in slabs(terrain):
        if piece.top > 0.0 and piece.start < high and piece.end > low:
            return piece
    return None
