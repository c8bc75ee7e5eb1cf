"""Path that a search gives: lines and arcs, with named contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from boa_control.planning.search.joins import Pieces, total_length
from boa_description.arrays import Array


class Contact(NamedTuple):
    """One contact of a path: index of the post, +1 left or -1 right, place along the path, m."""

    post: int
    side: int
    s: float


@dataclass(frozen=True, slots=True)
class FoundPath:
    """A path and what the search knows of it.

    Attributes:
        start: shape (2,), m.
        heading: at the start, rad.
        segments: lengths (m) and curvatures (1/m).
        contacts: in order of s.
        margin: least margin of closure over all windows, see `windows.margin`.
        push_mass: largest over all contacts, kg, see `windows.push_mass`.
        price: minimised by the search, m.
        to_go: from the end of the path to the goal, m; 0 where it was reached.
    """

    start: Array
    heading: float
    segments: Pieces
    contacts: tuple[Contact, ...]
    margin: float
    push_mass: float
    price: float
    to_go: float

    @property
    def length(self) -> float:
        """Of the path, m."""
        return total_length(self.segments)


def merged(segments: Pieces) -> Pieces:
    """The same path with neighbouring straight pieces joined."""
    result: list[tuple[float, float]] = []
    for length, curvature in segments:
        if result and result[-1][1] == 0.0 and curvature == 0.0:
            result[-1] = (result[-1][0] + length, 0.0)
        else:
            result.append((float(length), float(curvature)))
    return tuple(result)
