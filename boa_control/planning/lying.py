# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot that lies on a path, as the beginning of a new one: its body must follow the old path up
to its head, from there on the way is free.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from boa_control.model.reference import ReferenceTable
from boa_control.paths.named import MISPLACED, SIDES, misplaced, segment_curve
from boa_control.paths.path import Curve
from boa_control.paths.segments import SegmentRun, Segments
from boa_control.paths.settings import SegmentPath
from boa_control.planning.search.body import Body
from boa_control.planning.search.field import PostField
from boa_control.planning.search.found import Beginning, Contact
from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.joins import Pieces, total_length
from boa_control.planning.search.lines import Lead
from boa_control.planning.search.tree import Reached
from boa_control.planning.search.way import sample
from boa_control.planning.search.windows import rubbing_wrenches
from boa_description.errors import BoaError
from boa_description.robot import Robot

BEHIND = 0.25  # m of old path kept behind the tail
EVERY = 0.08  # m between the places where a robot that goes back may leave the old path
BACK_PRICE = 0.5  # per metre of going back
PAST_END = 3e-3  # m past the end of its path at which a robot may have come to rest
COARSE = 0.01  # m, between points on which the body is laid


@dataclass(frozen=True, slots=True)
class LyingBody:
    """A robot at rest on a path.

    Attributes:
        path: on which it lies.
        head: arc length of its head end on that path, m.
        back_to: arc length to which its head may go back along the path before a new one begins,
            m; None where it must not go back.
    """

    path: SegmentPath
    head: float
    back_to: float | None = None

    @classmethod
    def at_progress(
        cls, path: SegmentPath, robot: Robot, progress: float, back: float = 0.0
    ) -> Self:
        """From the progress that controllers report (arc length of the middle joint, m); `back` is
        how far the robot may go back, m.
        """
        reference = ReferenceTable(segment_curve(path), robot.links, robot.link.pitch)
        head = float(reference.at(progress).sigma[-1])
        return cls(path, head, head - back if back > 0 else None)


def progress_of(path: SegmentPath, robot: Robot, head: float) -> float:
    """Arc length of the middle joint, m, where the head end lies at `head`, m."""
    reference = ReferenceTable(segment_curve(path), robot.links, robot.link.pitch)
    low, high = reference.extent
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if reference.at(middle).sigma[-1] < head else (low, middle)
    return high


def last_place(path: SegmentPath, robot: Robot) -> float:
    """Arc length of the middle joint, m, where the head end lies at the end of an open path."""
    return ReferenceTable(segment_curve(path), robot.links, robot.link.pitch).end


class OldPath:
    """The rest of the path of a lying body, with the posts of the new map.

    Attributes:
        head: arc length of the robot's head end on what is left, m.
        branches: arc lengths at which a new path may begin, m; the first one is `head`.
        curve: of what is left.
    """

    def __init__(self, lying: LyingBody, posts: PostField, robot: Robot) -> None:
        """Cut off what lies behind the robot, and find the posts of its contacts in the map. A
        contact whose post is not there any more is left out.

        Raises:
            BoaError: the robot does not lie on the path.
        """
        self._robot = robot
        path, head = _unrolled(lying)
        curve = segment_curve(path)
        body = robot.links * robot.link.pitch
        if not body - 1e-6 <= head <= curve.length + PAST_END:
            raise BoaError(
                f"the robot's head lies at {head:.3f} m of its path, which is {curve.length:.3f} m "
                f"long; it must be at {body:.3f} m at least, where all of the robot is on it"
            )
        head = min(head, curve.length)
        back = head if lying.back_to is None else max(body, head - (lying.head - lying.back_to))
        cut = _cut(path, back - body - BEHIND)
        self._pieces = pieces_after(path.segments, cut)
        self.curve = SegmentRun(
            Segments(
                curve.position(np.array(cut)),
                float(curve.heading(np.array(cut))),
                *np.array(self._pieces, float).T,
            )
        )
        self.head = head - cut
        self._shift = lying.head - self.head
        self._contacts = tuple(
            at._replace(s=at.s - cut)
            for at in _in_map(path, curve, posts, robot.link.radius)
            if cut < at.s <= head
        )
        places = np.arange(head - cut, back - cut - 1e-9, -EVERY)
        self.branches = tuple(places.tolist())

    def branch(self, graph: LineGraph, node: Reached) -> float:
        """At which the path to a node of a search leaves the old one, m."""
        return self.branches[graph.lead_lines.index(node.back()[0].line)]

    def beginning(self, graph: LineGraph, node: Reached) -> Beginning:
        """The old path up to there."""
        branch = self.branch(graph, node)
        return Beginning(
            self.curve.segments.start,
            self.curve.segments.start_heading,
            pieces_before(self._pieces, branch),
            tuple(at for at in self._contacts if at.s <= branch),
        )

    def on_old_path(self, s: float) -> float:
        """Arc length on the path of the lying body of what is now at `s`, m."""
        return s + self._shift

    def leads(self) -> tuple[Lead, ...]:
        """The ends of the old path at all branches."""
        return tuple(self._lead(branch) for branch in self.branches)

    def roots(self, graph: LineGraph, body: Body) -> list[Reached]:
        """The bodies that lie there as roots of a search in a graph made with `leads`."""
        pairs = zip(graph.lead_lines, self.branches, strict=True)
        return [self._root(line, branch, graph, body) for line, branch in pairs]

    def _lead(self, branch: float) -> Lead:
        from_ = max(0.0, branch - 1.5 * self._robot.link.pitch)
        begin, end = np.array(from_), np.array(branch)
        near = {at.post for at in self._contacts if from_ - 0.1 <= at.s <= branch + 0.1}
        return Lead(
            self.curve.position(begin),
            float(self.curve.heading(begin)),
            pieces_after(pieces_before(self._pieces, branch), from_),
            self.curve.position(end),
            float(self.curve.heading(end)),
            np.array(sorted(near), dtype=np.intp),
        )

    def _root(self, line: int, branch: float, graph: LineGraph, body: Body) -> Reached:
        within = [at for at in self._contacts if branch - body.length - 0.1 < at.s <= branch]
        at = np.array([contact.s for contact in within])
        heading = self.curve.heading(at)
        side = np.array([float(contact.side) for contact in within])[:, None]
        tangent = np.column_stack([np.cos(heading), np.sin(heading)])
        normal = np.column_stack([-tangent[:, 1], tangent[:, 0]])
        points = self.curve.position(at) + side * normal * body.radius
        start = self.curve.segments
        way = sample(start.start, start.start_heading, pieces_before(self._pieces, branch), COARSE)
        return Reached(
            line,
            None,
            s=branch - graph.lines.half,
            price=BACK_PRICE * (self.head - branch),
            head=branch,
            way=way,
            at=at,
            wrenches=rubbing_wrenches(points, -side * normal, tangent, graph.frictions),
            posts=np.array([contact.post for contact in within], dtype=np.intp),
            sides=side[:, 0],
        )


def _unrolled(lying: LyingBody) -> tuple[SegmentPath, float]:
    """A closed path as an open one of two laps; its first piece need not be straight."""
    path = lying.path
    if not path.closed:
        return path, lying.head
    lap = total_length(path.segments)
    again = tuple(at.model_copy(update={"s": at.s + lap}) for at in path.contacts)
    twice = path.model_copy(
        update={
            "segments": (*path.segments, *path.segments, (1e-6, 0.0)),
            "contacts": (*path.contacts, *again),
            "closed": False,
        }
    )
    return twice, lying.head % lap + lap


def _in_map(path: SegmentPath, curve: Curve, posts: PostField, body_radius: float) -> list[Contact]:
    """The contacts of a path with the posts of another map, in order of s."""
    found = []
    for at in path.contacts:
        old = path.posts[at.post]
        apart = np.hypot(*(posts.centres - [old.x, old.y]).T)
        if not apart.size:
            continue
        post = int(apart.argmin())
        if apart[post] > posts.radii[post]:
            continue
        here = old.model_copy(
            update={
                "x": float(posts.centres[post, 0]),
                "y": float(posts.centres[post, 1]),
                "radius": float(posts.radii[post]),
            }
        )
        if misplaced(at, here, curve, body_radius) <= MISPLACED * body_radius:
            found.append(Contact(post, SIDES[at.side], at.s))
    return sorted(found, key=lambda contact: contact.s)


def _cut(path: SegmentPath, before: float) -> float:
    """The last arc length up to `before` that lies on a straight piece; else 0, m."""
    cut = at = 0.0
    for length, bend in path.segments:
        if at > before:
            break
        if bend == 0.0:
            cut = max(0.0, min(before, at + length - 1e-3))
        at += length
    return cut


def pieces_before(pieces: Sequence[tuple[float, float]], s: float) -> Pieces:
    """The first `s`, m, of pieces."""
    kept = []
    for length, bend in pieces:
        if s <= 1e-9:
            break
        kept.append((min(length, s), bend))
        s -= length
    return tuple(kept)


def pieces_after(pieces: Sequence[tuple[float, float]], s: float) -> Pieces:
    """The pieces after their first `s`, m."""
    kept = []
    for length, bend in pieces:
        if length - s > 1e-9:
            kept.append((length - max(0.0, s), bend))
        s -= length
    return tuple(kept)
