"""Contacts that hold the body while its head goes along a sequence of lines.

The contacts on the body are those of a window of the path that ends at the head. They are taken
on and released over the zones at the body's ends, so every window counts with and without the
contacts in these zones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boa_control.planning.search.balance import Balance
from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.tree import Reached
from boa_control.planning.search.windows import push_mass
from boa_description.angles import wrapped
from boa_description.arrays import Array
from boa_description.robot import Robot

END_ZONE = 0.03  # m at either end of the body, in which contacts are taken on and released
ARC_OVER_CHORD = 0.05  # m; a body of chords covers up to this much more arc than its length
SHORT = 1e-6  # m before and behind a contact
SUBDIVIDED = 3  # places per link at which moments are tested
SELF_GAP = 0.03  # m, between parts of the body; the points of a way are that far apart
SELF_ARC = 0.33  # m of path between parts that may meet


@dataclass(frozen=True, slots=True)
class Body:
    """The robot's measures as the search needs them: length, pitch and half width, m; mass, kg;
    limits of forces.
    """

    length: float
    pitch: float
    radius: float
    mass: float
    balance: Balance

    @classmethod
    def of(cls, robot: Robot, floor: float = 0.0) -> Body:
        """From the description, on a floor with this coefficient of friction."""
        links, link = robot.links, robot.link
        balance = Balance.of(robot, floor)
        return cls(links * link.pitch, link.pitch, link.radius, links * link.mass, balance)

    def margins_before(self, node: Reached, next_heads: Array) -> Array:
        """Least margin of the windows from a node's head to each of `next_heads`, m, where the next
        contact comes; 1 as long as the body is not yet on the path. Shape (len(next_heads),).
        """
        first = int(node.at.searchsorted(self._oldest(max(node.head, self.length))))
        worst = np.minimum.accumulate(node.margins[first:])
        last = node.at.searchsorted(next_heads - (self.length - 2 * END_ZONE))
        return np.where(next_heads > self.length, worst[np.maximum(last - first, 0)], 1.0)

    def margin_before(self, node: Reached, next_head: float) -> float:
        """As `margins_before`, for one place."""
        if next_head <= self.length:
            return 1.0
        first = int(node.at.searchsorted(self._oldest(max(node.head, self.length))))
        last = int(node.at.searchsorted(next_head - (self.length - 2 * END_ZONE)))
        return float(node.margins[first : max(first, last) + 1].min())

    def _oldest(self, head: float) -> float:
        """Arc length of the oldest contact that can be on the body, m."""
        return head - self.length - ARC_OVER_CHORD

    def points_behind(self, node: Reached, half: float, first: float) -> tuple[Array, Array, Array]:
        """Points, headings and arc lengths from the end of a line to one body length behind its
        first contact, at `first`, m.
        """
        points, headings, arcs = [], [], []
        s = node.s + half
        at: Reached | None = node
        while at is not None and at.way is not None and s > first - self.length:
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

    def balanced(self, node: Reached, first: float, behind: tuple[Array, Array, Array]) -> bool:
        """Whether contacts carry the body from its parent's last contact to its own last one, the
        first being at `first`, m; tested before and after every contact that is released or taken
        on between. `behind` as from `points_behind` of the node.
        """
        assert node.parent is not None
        old = node.parent
        length = first - float(self._axes(first, behind)[1][0])
        tests = [(first, old, -np.inf), (node.s, node, -np.inf)]
        for at in old.at.tolist():
            if max(self.length, old.head) < at + length < first:
                tests += [(at + length, old, at - SHORT), (at + length, old, at + SHORT)]
        for head, holder, after in tests:
            axes, places = self._axes(head, behind)
            if places[0] < behind[2][0]:  # the tail is not on the path yet
                continue
            carrying = holder.at > (places[0] if after == -np.inf else after)
            if not self.balance.possible(
                holder.pushes[carrying], holder.at[carrying], axes, places
            ):
                return False
        return True

    def _axes(self, head: float, behind: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        """Places along the body from tail to head, `SUBDIVIDED` per link, shape (k, 2), m, and
        their arc lengths.

        A link is the chord of an arc that is as much longer as the turn of the path along it says.
        """
        points, heading, arcs = behind
        links = round(self.length / self.pitch)
        rough = head - self.pitch * np.arange(links + 1)
        turns = wrapped(np.diff(np.interp(rough, arcs, heading)))
        places = head - np.concatenate([[0.0], np.cumsum(self.pitch / np.sinc(turns / 2 / np.pi))])
        # the moment along the body is largest at contacts, and some joint will pass each of them
        fine = np.linspace(0.0, links, SUBDIVIDED * links + 1)
        places = np.interp(fine, np.arange(links + 1), places[::-1])
        return np.column_stack([np.interp(places, arcs, x) for x in points.T]), places

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


def add_contacts(graph: LineGraph, node: Reached, body: Body) -> float:
    """Add a line's contacts to those of its parent, in place.

    Returns:
        Least margin of the windows up to the node's last contact.
    """
    lines = graph.lines
    holder = node.parent or Reached(node.line, None, 0.0, 0.0)
    worst = 1.0
    first = node.s - float(lines.length[node.line])
    for k in range(graph.contacts(node.line)):
        here = first if k == 0 else node.s
        worst = min(worst, body.margin_before(holder, here))
        at = np.append(holder.at, here)
        keep = at > here - body.length - 2 * ARC_OVER_CHORD
        holder = Reached(
            node.line,
            None,
            here,
            0.0,
            head=here,
            at=at[keep],
            wrenches=np.vstack([holder.wrenches, graph.wrenches[k, node.line]])[keep],
            pushes=np.vstack([holder.pushes, graph.pushes[k, node.line]])[keep],
            posts=np.append(holder.posts, lines.post[node.line, k])[keep],
        )
    node.head, node.at = holder.head, holder.at
    node.wrenches, node.pushes, node.posts = holder.wrenches, holder.pushes, holder.posts
    return worst
