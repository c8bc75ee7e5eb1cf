# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Path that a search gives: lines and arcs, with named contacts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from boa_control.paths.settings import NamedContact, SegmentPath
from boa_control.planning.search.goals import LEAD
from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.joins import Pieces, total_length
from boa_control.planning.search.tree import Reached
from boa_description.arrays import Array
from boa_description.scene import Circle


class Contact(NamedTuple):
    """One contact of a path: index of the post, +1 left or -1 right, place along the path, m."""

    post: int
    side: int
    s: float


@dataclass(frozen=True, slots=True)
class Beginning:
    """Path before the first line of a search, on which the body lies already.

    Attributes:
        start: shape (2,), m. heading: there, rad.
        segments: up to where the search goes on.
        contacts: on them.
    """

    start: Array
    heading: float
    segments: Pieces
    contacts: tuple[Contact, ...]


@dataclass(frozen=True, slots=True)
class FoundPath:
    """A path and what the search knows of it.

    Attributes:
        start: shape (2,), m.
        heading: at the start, rad.
        segments: lengths (m) and curvatures (1/m).
        contacts: in order of s.
        margin: least margin of closure over all windows, see `windows.margin`.
        effective_mass: largest over all contacts, kg, see `windows.effective_mass`.
        price: minimised by the search, m.
        to_go: from the end of the path to the goal, m; 0 where it was reached.
        closed: whether the end leads into the start.
        known: length of the path that a body lay on already, m; 0 for one that is laid down.
    """

    start: Array
    heading: float
    segments: Pieces
    contacts: tuple[Contact, ...]
    margin: float
    effective_mass: float
    price: float
    to_go: float
    closed: bool = False
    known: float = 0.0

    @property
    def length(self) -> float:
        """Of the path, m."""
        return total_length(self.segments)


def open_path(
    graph: LineGraph, node: Reached, lead: float, to_go: float, beginning: Beginning | None = None
) -> FoundPath:
    """The path to a node, with a straight piece of `lead`, m, behind it.

    Args:
        to_go: from its end to the goal, m.
        beginning: before the first node, whose line then stands for the end of it.
    """
    chain = node.back()
    root = chain[0].line
    if beginning is None:
        start = graph.lines.start[root] - LEAD * graph.tangent[root]
        before = Beginning(start, float(graph.lines.heading[root]), ((LEAD, 0.0),), ())
    else:
        before = beginning
        chain = chain[1:]
    segments = [*before.segments]
    contacts = [*before.contacts]
    for each in chain:
        segments += [*each.segments, (_straight(graph, each.line), 0.0)]
        contacts += line_contacts(graph, each)
    segments.append((lead, 0.0))
    return FoundPath(
        before.start,
        before.heading,
        merged(segments),
        tuple(contacts),
        node.margin,
        node.effective_mass,
        node.price,
        to_go,
        known=0.0 if beginning is None else total_length(before.segments),
    )


def closed_path(graph: LineGraph, node: Reached, join: int) -> FoundPath:
    """The lap from node number `join` of the way to `node` round to `node`, which has the same
    line.
    """
    chain = node.back()
    first = chain[join]
    root = first.line
    begin = first.s - float(graph.lines.length[root]) - graph.lines.half
    segments: list[tuple[float, float]] = [(_straight(graph, root), 0.0)]
    contacts = line_contacts(graph, first)
    for each in chain[join + 1 : -1]:
        segments += [*each.segments, (_straight(graph, each.line), 0.0)]
        contacts += line_contacts(graph, each)
    segments += node.segments
    return FoundPath(
        graph.lines.start[root],
        float(graph.lines.heading[root]),
        merged(segments),
        tuple(at._replace(s=at.s - begin) for at in contacts),
        node.margin,
        node.effective_mass,
        node.price,
        0.0,
        closed=True,
    )


def line_contacts(graph: LineGraph, node: Reached) -> list[Contact]:
    """Contacts on the line of a node."""
    lines = graph.lines
    places = (node.s - float(lines.length[node.line]), node.s)
    return [
        Contact(int(lines.post[node.line, k]), int(lines.side[node.line, k]), places[k])
        for k in range(graph.contacts(node.line))
    ]


def _straight(graph: LineGraph, line: int) -> float:
    return float(2 * graph.lines.half + graph.lines.length[line])


def merged(segments: Sequence[tuple[float, float]]) -> Pieces:
    """The same path with neighbouring straight pieces joined."""
    result: list[tuple[float, float]] = []
    for length, curvature in segments:
        if result and result[-1][1] == 0.0 and curvature == 0.0:
            result[-1] = (result[-1][0] + length, 0.0)
        else:
            result.append((float(length), float(curvature)))
    return tuple(result)


def path_settings(found: FoundPath, posts: Sequence[Circle]) -> SegmentPath:
    """A found path as a scenario has it; all posts of the map in their order."""
    return SegmentPath(
        kind="segments",
        start=(float(found.start[0]), float(found.start[1])),
        heading=found.heading,
        segments=found.segments,
        posts=tuple(posts),
        contacts=tuple(
            NamedContact(post=contact.post, side="L" if contact.side > 0 else "R", s=contact.s)
            for contact in found.contacts
        ),
        closed=found.closed,
    )
