# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contacts that hold the body while its head goes along a sequence of lines.

The contacts on the body are those of a window of the path that ends at the head. They are taken
on and released over the zones at the body's ends, so every window counts with and without the
contacts in these zones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from boa_control.optimisation.kept_travel import effective_mass
from boa_control.planning.checks.friction import Rubbing
from boa_control.planning.search.balance import Balance, Touched
from boa_control.planning.search.field import PostField
from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.track import Track, track_behind
from boa_control.planning.search.tree import Reached
from boa_control.planning.search.windows import worst_margins
from boa_description.arrays import Array
from boa_description.robot import Robot

END_ZONE = 0.03  # m at either end of the body, in which contacts are taken on and released
ARC_OVER_CHORD = 0.05  # m; a body of chords covers up to this much more arc than its length
SELF_GAP = 0.03  # m, between parts of the body
EVERY_POINT = 3  # of a path, that is compared with the others for this gap
SELF_ARC = 0.33  # m of path between parts that may meet
SHORT = 1e-6  # m
NOWHERE = Reached(-1, None, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Body:
    """The robot's measures as the search needs them: number of links; length, pitch and half width,
    m; mass, kg; limits of forces.
    """

    links: int
    length: float
    pitch: float
    radius: float
    mass: float
    balance: Balance

    @classmethod
    def of(
        cls, robot: Robot, rubbing: Sequence[Rubbing] = (Rubbing(),), unsure: bool = False
    ) -> Self:
        """From the description, for each of these frictions of posts and floor; `unsure` as of
        `Balance`.
        """
        links, link = robot.links, robot.link
        balance = Balance.of(robot, rubbing, unsure)
        return cls(links, links * link.pitch, link.pitch, link.radius, links * link.mass, balance)

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
        last = max(first, self._kept(node, next_head))
        return float(node.margins[first : last + 1].min())

    def last_margin_before(self, node: Reached, next_head: float) -> float:
        """Of the last one of these windows alone, which are the contacts that are still on the body
        at `next_head`, m.
        """
        if next_head <= self.length:
            return 1.0
        return float(worst_margins(node.wrenches[self._kept(node, next_head) :])[0])

    def _kept(self, node: Reached, next_head: float) -> int:
        """The first contact of a node that is surely on the body with its head at `next_head`."""
        return int(node.at.searchsorted(next_head - (self.length - 2 * END_ZONE)))

    def _oldest(self, head: float) -> float:
        """Arc length of the oldest contact that can be on the body, m."""
        return head - self.length - ARC_OVER_CHORD

    def track_behind(self, node: Reached, half: float) -> Track:
        """The path from one body length behind the first of its windows to the end of the line of
        a node; `half` as of its line, m.
        """
        begin = node.parent.head if node.parent else self.length
        return track_behind(node, half, begin - self.length - 2 * self.pitch, self.pitch)

    def effective_mass_at(self, node: Reached, track: Track) -> float:
        """Push mass of the body with its head at the node's last contact, kg."""
        links = np.arange(node.s - self.length + self.pitch / 2, node.s, self.pitch)
        x = np.interp(links, track.arcs, track.points[:, 0])
        y = np.interp(links, track.arcs, track.points[:, 1])
        h = np.interp(links, track.arcs, track.heading)
        cos = np.cos(h)
        sin = np.sin(h)
        momentum = np.array([cos.sum(), sin.sum(), (x * sin - y * cos).sum()])
        inside = (node.at > node.s - self.length + END_ZONE) & (node.at <= node.s)
        return effective_mass(node.wrenches[inside, 0], momentum * self.mass / links.size)

    def held(self, node: Reached, track: Track, posts: PostField) -> bool:
        """Whether contacts hold and carry the body all the way from its parent's last contact to
        its own, as far as it lies on the path.
        """
        before = node.parent or NOWHERE
        touched = _touched(before, node, posts)
        return self._held(track, before.head, node.s, touched)

    def held_to_end(self, node: Reached, track: Track, lead: float, posts: PostField) -> bool:
        """The same from the node's last contact to `lead`, m, behind the end of its line."""
        longer = track.longer(lead, self.pitch)
        end = float(longer.arcs[-1])
        return self._held(longer, node.s, end, _touched(node, node, posts))

    def _held(self, track: Track, begin: float, end: float, touched: Touched) -> bool:
        begin = max(begin, self.length - SHORT)
        if end <= begin:
            return True
        poses = track.poses(begin, end, touched.at, self.links)
        return not len(poses.arcs) or self.balance.holds(poses, touched)

    def clear_of_itself(self, node: Reached, half: float, track: Track) -> bool:
        """Whether the newest way keeps away from the body."""
        assert node.way is not None
        own = node.s + half - node.way.s[-1] + node.way.s[::EVERY_POINT]
        far = own[:, None] - track.arcs[::EVERY_POINT] > SELF_ARC
        if not far.any():
            return True
        new, old = node.way.points[::EVERY_POINT], track.points[::EVERY_POINT]
        apart = np.hypot(new[:, None, 0] - old[:, 0], new[:, None, 1] - old[:, 1])
        return bool(apart[far].min() > 2 * self.radius + SELF_GAP)


def _touched(before: Reached, node: Reached, posts: PostField) -> Touched:
    """Contacts of two nodes that follow each other."""
    new = node.at > before.at[-1] if before.at.size else np.ones(node.at.size, bool)
    post = np.concatenate([before.posts, node.posts[new]])
    at = np.concatenate([before.at, node.at[new]])
    sides = np.concatenate([before.sides, node.sides[new]])
    return Touched(at, posts.centres[post], sides, posts.std[post])


def add_contacts(graph: LineGraph, node: Reached, body: Body) -> float:
    """Add a line's contacts to those of its parent, in place.

    Returns:
        Least margin of the windows up to the node's last contact.
    """
    lines = graph.lines
    holder = node.parent or Reached(node.line, None, 0.0, 0.0, wrenches=graph.wrenches[0, :0])
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
            wrenches=np.vstack([holder.wrenches, graph.wrenches[k, node.line][None]])[keep],
            posts=np.append(holder.posts, lines.post[node.line, k])[keep],
            sides=np.append(holder.sides, float(lines.side[node.line, k]))[keep],
        )
    node.head, node.at = holder.head, holder.at
    node.wrenches, node.posts, node.sides = holder.wrenches, holder.posts, holder.sides
    return worst
