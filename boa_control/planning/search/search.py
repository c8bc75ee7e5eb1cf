"""Best-first search over contact lines for a path on which contacts hold the chain all along."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from boa_control.planning.search.body import Body, Reached, with_contacts
from boa_control.planning.search.found import Contact, FoundPath, merged
from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.joins import Pieces, sharpness, total_length
from boa_control.planning.search.region import Region

LEAD = 0.06  # m of straight path before the first and behind the last line
RECKONED = 0.02  # m by which a price may be higher than guessed without waiting its turn again
NO_LIMIT = 10**9
BATCH = 100  # steps between looks at the clock
GENTLE = 1 / 0.12  # 1/m; sharper bends cost


@dataclass(frozen=True, slots=True)
class Demands:
    """Requirements of a path, and preferences of the search.

    Attributes:
        margin: least margin of closure in every window.
        push_mass: largest norm of contact forces per acceleration along the path, kg.
        greed: weight of the remaining distance.
        good_margin: above which more of it is worth nothing.
        margin_price: per metre, times what the margin is short of `good_margin`.
        good_gap: way without a contact that costs nothing, m.
        gap_price: per metre more than that.
        bend_price: per 1/m of curvature above `GENTLE`, m.
        push_price: per metre, times push mass over 100 kg.
        visits: of one line at most, once the body is complete (twice as many before).
    """

    margin: float = 0.10
    push_mass: float = 250.0
    greed: float = 2.5
    good_margin: float = 0.40
    margin_price: float = 2.0
    good_gap: float = 0.28
    gap_price: float = 1.5
    bend_price: float = 0.01
    push_price: float = 0.3
    visits: int = 4


class PathSearch:
    """One graph of lines, one start, one goal.

    Attributes:
        nearest: the path that came nearest to the goal; None where none holds a whole body.
        steps: lines that were expanded.
    """

    def __init__(self, graph: LineGraph, body: Body, start: Region, goal: Region) -> None:
        """`start`, `goal`: where the path begins (tail of the robot) and ends (head)."""
        self._graph = graph
        self._body = body
        lines = graph.lines
        begin = lines.start - LEAD * graph.tangent
        self._starts = np.flatnonzero(start.distance(begin, lines.heading) <= 0.0)
        self._to_go = goal.distance(graph.end + LEAD * graph.tangent, lines.heading)
        self.nearest: FoundPath | None = None
        self.steps = 0

    @property
    def starts(self) -> int:
        """Number of lines with which a path can begin."""
        return self._starts.size

    def run(
        self,
        demands: Demands,
        seconds: float,
        progress: Callable[[float], None] = lambda _: None,
        steps: int = NO_LIMIT,
    ) -> Iterator[FoundPath]:
        """Search from the start, until the time is over or nothing is left.

        Args:
            seconds: wall-clock time at most.
            steps: lines expanded at most; with it the end does not depend on the machine.
            progress: gets the distance to the goal of each line that is expanded, m.

        Yields:
            Paths that reach the goal, as they are found.
        """
        until = time.monotonic() + seconds
        order = count()
        heap: list[tuple[float, int, Reached]] = []
        visits: dict[int, int] = {}

        def push(node: Reached) -> None:
            ahead = demands.greed * float(self._to_go[node.line])
            heapq.heappush(heap, (node.price + ahead, next(order), node))

        lines = self._graph.lines
        for line in self._starts.tolist():
            push(Reached(line, None, LEAD + lines.half + float(lines.length[line]), 0.0))
        while heap and self.steps < steps:
            if next(order) % BATCH == 0 and time.monotonic() > until:
                return
            _, _, node = heapq.heappop(heap)
            if node.way is None:
                guess = node.price
                if not self._verify(node, demands):
                    continue
                if node.price > guess + RECKONED:
                    push(node)
                    continue
            complete = node.s > self._body.length
            visits[node.line] = visits.get(node.line, 0) + 1
            if visits[node.line] > demands.visits * (1 if complete else 2):
                continue
            self.steps += 1
            progress(float(self._to_go[node.line]))
            if complete and self._is_nearer(node):
                found = self._found(node, demands)
                if found is not None and found.to_go <= 0.0:
                    yield found
                    continue
            for child in self._children(node, demands):
                push(child)

    def _is_nearer(self, node: Reached) -> bool:
        to_go = float(self._to_go[node.line])
        return to_go <= 0.0 or self.nearest is None or to_go < self.nearest.to_go

    def _children(self, node: Reached, demands: Demands) -> Iterator[Reached]:
        """Lines that can follow, with a first guess of their price."""
        lines = self._graph.lines
        following, lengths = self._graph.following(node.line)
        margins = self._body.suffix_margins(node.at, node.wrenches)
        firsts = node.s + 2 * lines.half + lengths
        for line, first in zip(following.tolist(), firsts.tolist(), strict=True):
            if not node.posts.isdisjoint(lines.post[line].tolist()):
                continue
            if first > self._body.length:
                head = max(node.s, self._body.length)
                if min(margins[self._body.oldest(node.at, head, first)]) < demands.margin:
                    continue
            length = float(lines.length[line])
            price = node.price + _way_price(first - node.s, demands) + length
            yield Reached(line, node, first + length, price)

    def _verify(self, node: Reached, demands: Demands) -> bool:
        """Find the way to a node and its true price; False where it must not be used."""
        graph, line, parent = self._graph, node.line, node.parent
        half, length = graph.lines.half, float(graph.lines.length[line])
        step = 0.0
        if parent is None:
            node.way = graph.straight(line)
        else:
            way = graph.way(parent.line, line)
            if way is None:
                return False
            node.segments, node.way = way
            step = 2 * half + total_length(node.segments)
            node.s = parent.s + step + length
            node.price = parent.price + _way_price(step, demands) + length
            node.price += demands.bend_price * max(0.0, sharpness(node.segments) - GENTLE)
            node.margin, node.push_mass = parent.margin, parent.push_mass
        behind = self._body.points_behind(node, half)
        if parent is not None and not self._body.clear_of_itself(node, half, behind):
            return False
        worst = with_contacts(graph, node, step, self._body)
        if worst < demands.margin:
            return False
        node.margin = min(node.margin, worst)
        node.price += demands.margin_price * max(0.0, demands.good_margin - worst) * step
        if node.s > self._body.length:
            mass = self._body.push_mass_at(node, behind)
            if mass > demands.push_mass:
                return False
            node.push_mass = max(node.push_mass, mass)
            node.price += demands.push_price * mass / 100.0 * step
        return True

    def _found(self, node: Reached, demands: Demands) -> FoundPath | None:
        """The path to a node, if the windows up to its end hold as well."""
        lines = self._graph.lines
        end = node.s + lines.half + LEAD
        last = self._body.window_margin(node.at, node.wrenches, node.s, end)
        if last < demands.margin:
            return None
        chain = node.back()
        segments: list[Pieces] = [((LEAD, 0.0),)]
        contacts: list[Contact] = []
        for each in chain:
            straight = float(2 * lines.half + lines.length[each.line])
            segments += [each.segments, ((straight, 0.0),)]
            places = (each.s - float(lines.length[each.line]), each.s)
            contacts += [
                Contact(int(lines.post[each.line, k]), int(lines.side[each.line, k]), places[k])
                for k in range(self._graph.contacts(each.line))
            ]
        segments.append(((LEAD, 0.0),))
        root = chain[0].line
        found = FoundPath(
            start=lines.start[root] - LEAD * self._graph.tangent[root],
            heading=float(lines.heading[root]),
            segments=merged(tuple(piece for part in segments for piece in part)),
            contacts=tuple(contacts),
            margin=min(node.margin, last),
            push_mass=node.push_mass,
            price=node.price,
            to_go=float(self._to_go[node.line]),
        )
        if self.nearest is None or found.to_go < self.nearest.to_go:
            self.nearest = found
        return found


def _way_price(step: float, demands: Demands) -> float:
    """Price of the way to the next contact, m."""
    return step + demands.gap_price * max(0.0, step - demands.good_gap)
