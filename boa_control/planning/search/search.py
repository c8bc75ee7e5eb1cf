# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Best-first search over contact lines for a path on which contacts hold the chain all along."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from boa_control.planning.search.body import Body, add_contacts
from boa_control.planning.search.goals import LEAD, Goal
from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.joins import sharpness, total_length
from boa_control.planning.search.track import Track, pinch
from boa_control.planning.search.tree import Reached
from boa_description.arrays import Array, Indices

RECKONED = 0.02  # m by which a price may be higher than guessed without waiting its turn again
NO_LIMIT = 10**9
DEAD_ENDS = 200  # that are looked into at most, where there is nothing else
KEPT_BACK = 3  # paths that reach the goal and cannot go on, kept back for one that can
ONWARD = 8  # lines that are tried behind the goal
BATCH = 100  # steps between looks at the clock
GENTLE = 1 / 0.12  # 1/m; sharper bends cost
START = 0.1  # m from where a robot is laid down, in which it may still take hold of its posts


@dataclass(frozen=True, slots=True)
class Demands:
    """Requirements of a path, and preferences of the search.

    Attributes:
        margin: least margin of closure in every window.
        start_margin: the same while the robot takes hold of its first posts: from where it is laid
            down to the first contact that comes after `START`.
        effective_mass: largest norm of contact forces per acceleration along the path, kg.
        greed: weight of the remaining distance.
        good_margin: above which more of it is worth nothing.
        margin_price: per metre, times what the margin is short of `good_margin`.
        good_gap: way without a contact that costs nothing, m.
        gap_price: per metre more than that.
        bend_price: per 1/m of curvature above `GENTLE`, m.
        pinch_price: per rad2 of squared bends of joints towards the posts that they pass, m. In the
            inside of such a bend the next link strikes the post with speed times bend.
        push_price: per metre, times push mass over 100 kg.
        visits: of one line at most, once the body is complete (twice as many before).
    """

    margin: float = 0.10
    start_margin: float = 0.0
    effective_mass: float = 250.0
    greed: float = 2.5
    good_margin: float = 0.40
    margin_price: float = 2.0
    good_gap: float = 0.28
    gap_price: float = 1.5
    bend_price: float = 0.01
    pinch_price: float = 8.0
    push_price: float = 0.3
    visits: int = 4


class PathSearch:
    """From lines already reached to a goal.

    Attributes:
        nearest: the node that came nearest to the goal; None where none holds a whole body.
        steps: lines that were expanded.
        exhausted: the search has ended because nothing is left.
    """

    def __init__(
        self, graph: LineGraph, body: Body, roots: Sequence[Reached], goal: Goal, demands: Demands
    ) -> None:
        """Prepare a search.

        Args:
            roots: where paths begin: verified nodes of the tree, or lines with which one begins.
        """
        self._graph = graph
        self._body = body
        self._roots = roots
        self._goal = goal
        self._to_go = goal.to_go
        self._demands = demands
        self._dead_ends: list[Reached] = []
        self.nearest: Reached | None = None
        self.steps = 0
        self.exhausted = False

    def run(
        self,
        over: Callable[[], bool] = lambda: False,
        progress: Callable[[float], None] = lambda _: None,
        steps: int = NO_LIMIT,
    ) -> Iterator[Reached | None]:
        """Search until it is over or nothing is left.

        Args:
            over: whether to stop; asked every `BATCH` of steps.
            progress: gets the distance to the goal of each line that is expanded, m.
            steps: lines expanded at most; with it the end does not depend on the machine.

        Yields:
            Nodes that reach the goal, as they are reached; those from which the robot could not go
            on are kept back until a few of them are there, or nothing else is. None after every
            `BATCH` of steps, so that searches can take turns.
        """
        order = count()
        greed = self._demands.greed
        heap: list[tuple[float, int, Reached | _Guess]] = []
        visits: dict[int, int] = {}
        arrived: list[Reached] = []  # from which the robot could not go on
        for root in self._roots:
            estimate = root.price + greed * float(self._to_go[root.line])
            heap.append((estimate, next(order), root))
        heapq.heapify(heap)
        while heap and self.steps < steps:
            if next(order) % BATCH == 0:
                if over():
                    break
                yield None
            _, _, item = heapq.heappop(heap)
            node = item if isinstance(item, Reached) else item.node()
            if node.way is None:
                guess = node.price
                if not self._usable(node):
                    continue
                if node.price > guess + RECKONED:
                    estimate = node.price + greed * float(self._to_go[node.line])
                    heapq.heappush(heap, (estimate, next(order), node))
                    continue
            complete = node.s > self._body.length
            visits[node.line] = visits.get(node.line, 0) + 1
            if visits[node.line] > self._demands.visits * (1 if complete else 2):
                continue
            self.steps += 1
            progress(float(self._to_go[node.line]))
            if complete and self._is_nearer(node) and self._ends_held(node):
                self.nearest = node
                if self._to_go[node.line] <= 0.0 and self._goal.accepts(node, self.verify):
                    if self._goes_on(node):
                        yield node
                    else:
                        arrived.append(node)
                        if len(arrived) > KEPT_BACK:
                            yield arrived.pop(0)
                    continue
            for estimate, child in self._children(node):
                heapq.heappush(heap, (estimate, next(order), child))
        self.exhausted = not heap
        yield from arrived
        if self.nearest is None:
            self._look_into_dead_ends()

    def first(
        self, seconds: float, clock: Callable[[], float], steps: int = NO_LIMIT
    ) -> Reached | None:
        """The first node that reaches the goal within some time, s, by a clock, and some steps."""
        end = clock() + seconds
        nodes = self.run(lambda: clock() > end, steps=steps)
        return next((node for node in nodes if node is not None), None)

    def _usable(self, node: Reached) -> bool:
        """Verify a node; dead ends are put aside as early as that can be told."""
        if self._may_go_on(node) and self._reach(node) and self._leads_on(node):
            return self._hold(node)
        if self.nearest is None:
            self._dead_ends.append(node)
        return False

    def verify(self, node: Reached) -> bool:
        """Find the way to a node and its true price; False where it must not be used."""
        return self._reach(node) and self._hold(node)

    def _reach(self, node: Reached) -> bool:
        """Find the way to a node, and whether the contacts close the body on it."""
        graph, line, parent, demands = self._graph, node.line, node.parent, self._demands
        step = 0.0
        if parent is None:
            node.way = graph.straight(line, LEAD)
        else:
            way = graph.way(parent.line, line)
            if way is None:
                return False
            node.segments, node.way = way
            length = float(graph.lines.length[line])
            step = self._step(node)
            node.s = parent.s + step + length
            node.price = parent.price + float(self._way_price(step)) + length
            node.price += demands.bend_price * max(0.0, sharpness(node.segments) - GENTLE)
            node.margin, node.effective_mass = parent.margin, parent.effective_mass
        worst = add_contacts(graph, node, self._body)
        node.margin = min(node.margin, worst)
        node.price += demands.margin_price * max(0.0, demands.good_margin - worst) * step
        return worst >= self._margin_from(parent)

    def _margin_from(self, node: Reached | None) -> float:
        """Least margin that is demanded from a node, or the beginning, to the next contact."""
        demands = self._demands
        if node is not None and node.head >= self._body.length + START:
            return demands.margin
        return max(demands.margin, demands.start_margin)

    def _hold(self, node: Reached) -> bool:
        """Whether the body gets past itself to a node, and is held and carried all the way."""
        half, demands = self._graph.lines.half, self._demands
        track = self._body.track_behind(node, half)
        if node.parent is not None and not self._body.clear_of_itself(node, half, track):
            return False
        node.price += demands.pinch_price * self._pinch(node, track)
        if node.s > self._body.length:
            mass = self._body.effective_mass_at(node, track)
            if mass > demands.effective_mass or not self._body.held(node, track, self._graph.posts):
                return False
            node.effective_mass = max(node.effective_mass, mass)
            step = self._step(node) if node.parent is not None else 0.0
            node.price += demands.push_price * mass / 100.0 * step
        return True

    def _pinch(self, node: Reached, track: Track) -> float:
        """Pinch at the contacts of the line before a node, on both sides of which the way is known
        now, rad2.
        """
        before = node.parent
        count = 0 if before is None else self._graph.contacts(before.line)
        if before is None or count == 0:
            return 0.0
        return pinch(track, before.at[-count:], before.sides[-count:])

    def _may_go_on(self, node: Reached) -> bool:
        """Whether a node is worth its way: the goal is reached there, or contacts can close the
        body until the head is at the nearest line that may follow. It is judged with the shortest
        way to the node that there can be, and refuses none that a longer way would save.
        """
        if self._to_go[node.line] <= 0.0:
            return True
        add_contacts(self._graph, node, self._body)
        ways = self._unused(node)[1]
        if not ways.size:
            return False
        nearest = node.s + 2 * self._graph.lines.half + float(ways.min())
        return self._body.last_margin_before(node, nearest) >= self._margin_from(node)

    def _leads_on(self, node: Reached) -> bool:
        """The same with the way as it is."""
        return self._to_go[node.line] <= 0.0 or self._following(node)[0].size > 0

    def _step(self, node: Reached) -> float:
        """Way from the last contact of a node's parent to its own first one, m."""
        return 2 * self._graph.lines.half + total_length(node.segments)

    def _look_into_dead_ends(self) -> None:
        """Where no body that could go on is held anywhere, let `nearest` be one that cannot."""
        best = heapq.nsmallest(
            DEAD_ENDS, self._dead_ends, key=lambda node: float(self._to_go[node.line])
        )
        whole = (node for node in best if self.verify(node) and node.s > self._body.length)
        self.nearest = next(filter(self._ends_held, whole), None)

    def _goes_on(self, node: Reached) -> bool:
        """Whether the robot could go on from the end of a path, to a next goal."""
        if self._goal.closes:
            return True
        guesses = heapq.nsmallest(ONWARD, self._children(node), key=lambda guess: guess[0])
        return any(self.verify(child.node()) for _, child in guesses)

    def _is_nearer(self, node: Reached) -> bool:
        to_go = float(self._to_go[node.line])
        return to_go <= 0.0 or self.nearest is None or to_go < self._to_go[self.nearest.line]

    def _ends_held(self, node: Reached) -> bool:
        """Whether the body is held up to the end of the path, where it ends with this node."""
        half, lead = self._graph.lines.half, self._goal.lead(node.line)
        if self._body.margin_before(node, node.s + half + lead) < self._demands.margin:
            return False
        track = self._body.track_behind(node, half)
        return self._body.held_to_end(node, track, lead, self._graph.posts)

    def _children(self, node: Reached) -> Iterator[tuple[float, _Guess]]:
        """Lines that can follow, with a first guess of their price and of that to the goal."""
        following, firsts = self._following(node)
        length = self._graph.lines.length[following]
        price = node.price + self._way_price(firsts - node.s) + length
        estimate = price + self._demands.greed * self._to_go[following]
        columns = (x.tolist() for x in (estimate, following, firsts + length, price))
        for total, line, s, paid in zip(*columns, strict=True):
            yield total, _Guess(line, node, s, paid)

    def _following(self, node: Reached) -> tuple[Indices, Array]:
        """Lines that can follow as far as contacts tell, and the least arc lengths, m, of their
        first contacts.
        """
        following, ways = self._unused(node)
        firsts = node.s + 2 * self._graph.lines.half + ways
        held = self._body.margins_before(node, firsts) >= self._margin_from(node)
        return following[held], firsts[held]

    def _unused(self, node: Reached) -> tuple[Indices, Array]:
        """Lines that are near enough to follow, past posts that do not carry the body yet, and the
        lengths of the shortest ways there, m.
        """
        following, ways = self._graph.following(node.line)
        posts = self._graph.lines.post[following]
        unused = ~(posts[:, :, None] == node.posts).any(axis=(1, 2))
        return following[unused], ways[unused]

    def _way_price(self, step: Array | float) -> Array:
        """Price of the way to the next contact, m."""
        demands = self._demands
        return np.asarray(step + demands.gap_price * np.maximum(0.0, step - demands.good_gap))


@dataclass(frozen=True, slots=True, eq=False)
class _Guess:
    """A line that may follow; most are never tried."""

    line: int
    parent: Reached
    s: float
    price: float

    def node(self) -> Reached:
        """To be verified."""
        return Reached(self.line, self.parent, self.s, self.price)
