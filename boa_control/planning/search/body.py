"""Contacts that hold the body while its head goes along a sequence of lines.

The contacts on the body are those of a window of the path that ends at the head. They are taken
on and released over the zones at the body's ends, so every window counts with and without the
contacts in these zones.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.joins import Pieces
from boa_control.planning.search.way import Way
from boa_control.planning.search.windows import margin, push_mass
from boa_description.arrays import Array
from boa_description.robot import Robot

END_ZONE = 0.03  # m at either end of the body, in which contacts are taken on and released
ARC_OVER_CHORD = 0.05  # m; a body of chords covers up to this much more arc than its length
SELF_GAP = 0.03  # m, between parts of the body; the points of a way are that far apart
SELF_ARC = 0.33  # m of path between parts that may meet


@dataclass(slots=True, eq=False)
class Reached:
    """A line reached along a way; the tree that the search grows.

    Attributes:
        line: index.
        parent: the line before; None for the first.
        s: arc length of its last contact, m.
        price: so far, m.
        segments: from the end of the parent's line to the start of this one.
        way: from there to the end of this line; None until it is verified.
        at: arc lengths of the contacts within a body length, oldest first, m.
        wrenches: theirs, shape (len(at), 3).
        posts: of all contacts so far.
        margin, push_mass: the worst so far.
    """

    line: int
    parent: Reached | None
    s: float
    price: float
    segments: Pieces = ()
    way: Way | None = None
    at: Array = field(default_factory=lambda: np.zeros(0))
    wrenches: Array = field(default_factory=lambda: np.zeros((0, 3)))
    posts: frozenset[int] = frozenset()
    margin: float = 1.0
    push_mass: float = 0.0

    def back(self) -> list[Reached]:
        """All lines from the first to this one."""
        chain = []
        at: Reached | None = self
        while at is not None:
            chain.append(at)
            at = at.parent
        return chain[::-1]


@dataclass(frozen=True, slots=True)
class Body:
    """The robot's measures as the search needs them: length, pitch and half width, m; mass, kg."""

    length: float
    pitch: float
    radius: float
    mass: float

    @classmethod
    def of(cls, robot: Robot) -> Body:
        """From the description."""
        links, link = robot.links, robot.link
        return cls(links * link.pitch, link.pitch, link.radius, links * link.mass)

    def suffix_margins(self, at: Array, wrenches: Array) -> list[float]:
        """Margins of the contacts from each one on to the newest, and of none."""
        return [margin(wrenches[k:]) for k in range(len(at) + 1)]

    def oldest(self, at: Array, head: float, next_head: float) -> slice:
        """Which contacts are the oldest on the body while the head goes from one place to another,
        with and without those in the end zones.
        """
        first = int(np.searchsorted(at, head - self.length - ARC_OVER_CHORD))
        last = int(np.searchsorted(at, next_head - (self.length - 2 * END_ZONE)))
        return slice(first, last + 1)

    def window_margin(self, at: Array, wrenches: Array, head: float, next_head: float) -> float:
        """Least margin while the head goes from one place to the next contact's; 1 as long as the
        body is not yet on the path.
        """
        if next_head <= self.length:
            return 1.0
        window = self.oldest(at, max(head, self.length), next_head)
        return min(margin(wrenches[k:]) for k in range(window.start, window.stop))

    def points_behind(self, node: Reached, half: float) -> tuple[Array, Array, Array]:
        """Points, headings and arc lengths one body length back from the end of a line."""
        points, headings, arcs = [], [], []
        s = node.s + half
        at: Reached | None = node
        while at is not None and at.way is not None and s > node.s - self.length:
            s -= float(at.way.s[-1])
            points.append(at.way.points)
            headings.append(at.way.heading)
            arcs.append(s + at.way.s)
            at = at.parent
        return np.vstack(points[::-1]), np.concatenate(headings[::-1]), np.concatenate(arcs[::-1])

    def push_mass_at(self, node: Reached, behind: tuple[Array, Array, Array]) -> float:
        """Push mass of the body with its head at the node's last contact, kg; `behind` as from
        `points_behind`.
        """
        points, heading, arcs = behind
        links = np.arange(node.s - self.length + self.pitch / 2, node.s, self.pitch)
        x = np.interp(links, arcs, points[:, 0])
        y = np.interp(links, arcs, points[:, 1])
        h = np.interp(links, arcs, heading)
        cos = np.cos(h)
        sin = np.sin(h)
        momentum = np.array([cos.sum(), sin.sum(), (x * sin - y * cos).sum()])
        inside = (node.at > node.s - self.length + END_ZONE) & (node.at <= node.s)
        return push_mass(node.wrenches[inside], momentum * self.mass / links.size)

    def clear_of_itself(
        self, node: Reached, half: float, behind: tuple[Array, Array, Array]
    ) -> bool:
        """Whether the newest way keeps away from the body, `behind` as from `points_behind`."""
        assert node.way is not None
        points, _, arcs = behind
        own = node.s + half - node.way.s[-1] + node.way.s
        far = own[:, None] - arcs > SELF_ARC
        if not far.any():
            return True
        new = node.way.points
        apart = np.hypot(new[:, None, 0] - points[:, 0], new[:, None, 1] - points[:, 1])
        return bool(apart[far].min() > 2 * self.radius + SELF_GAP)


def with_contacts(graph: LineGraph, node: Reached, step: float, body: Body) -> float:
    """Add a line's contacts to those of its parent, in place.

    Args:
        step: way from the parent's last contact to the node's first, m.

    Returns:
        Least margin of the windows up to the node's last contact.
    """
    parent = node.parent
    at = node.at if parent is None else parent.at
    wrenches = node.wrenches if parent is None else parent.wrenches
    posts = node.posts if parent is None else parent.posts
    first = node.s - float(graph.lines.length[node.line])
    head = first - step
    worst = 1.0
    for k in range(graph.contacts(node.line)):
        here = first if k == 0 else node.s
        worst = min(worst, body.window_margin(at, wrenches, head, here))
        at = np.append(at, here)
        wrenches = np.vstack([wrenches, graph.wrenches[k, node.line]])
        posts = posts | {int(graph.lines.post[node.line, k])}
        head = here
    keep = at > node.s - body.length - 2 * ARC_OVER_CHORD
    node.at = at[keep]
    node.wrenches = wrenches[keep]
    node.posts = posts
    return worst
