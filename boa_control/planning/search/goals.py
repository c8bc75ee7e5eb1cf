# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals of a search, line by line: how far from each line, and with how long a piece of straight
path behind a line it is reached.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.region import Region
from boa_control.planning.search.tree import Reached
from boa_description.angles import wrapped
from boa_description.arrays import Array

LEAD = 0.06  # m of straight path before the first and behind the last line
LONGER = (0.11, 0.16)  # m; tried where the goal is then reached
NOT_THERE = 1e-3  # m to go from lines behind which there is no room
TURNING = 0.3  # m of way per rad that a heading is off


class Goal(Protocol):
    """Where a search ends.

    Attributes:
        to_go: way still to go from every line, m; 0 where the goal is reached.
        closes: whether the path leads back into itself there.
    """

    to_go: Array
    closes: bool

    def lead(self, line: int) -> float:
        """Straight path behind the line, m."""

    def accepts(self, node: Reached, verify: Callable[[Reached], bool]) -> bool:
        """Whether a path may end with a node whose line reaches the goal."""


class RegionGoal:
    """The head shall arrive in a region."""

    closes = False

    def __init__(self, graph: LineGraph, region: Region) -> None:
        """Work out how far every line is from it."""
        lines = graph.lines
        self.to_go = region.distance(graph.end + LEAD * graph.tangent, lines.heading)
        there = np.flatnonzero(self.to_go <= 0.0)
        self.to_go[there[~graph.free_ahead(there, LEAD)]] = NOT_THERE
        self._leads: dict[int, float] = {}
        for lead in LONGER:
            away = region.distance(graph.end + lead * graph.tangent, lines.heading)
            there = np.flatnonzero((self.to_go > 0.0) & (away <= 0.0))
            there = there[graph.free_ahead(there, lead)]
            self.to_go[there] = 0.0
            self._leads |= dict.fromkeys(there.tolist(), lead)

    def lead(self, line: int) -> float:
        """As short as reaches the goal."""
        return self._leads.get(line, LEAD)

    def accepts(self, node: Reached, verify: Callable[[Reached], bool]) -> bool:  # noqa: ARG002
        """Every one."""
        return True


class ReturnGoal:
    """The path shall come back to lines with which it began, and go on along them, so that it
    closes.

    Attributes:
        overlap: nodes beyond the one where the path closes, as far as a body length; of the last
            accepted node.
    """

    closes = True

    def __init__(self, graph: LineGraph, beginning: Sequence[Reached], body_length: float) -> None:
        """`beginning`: the nodes of the path, of which the first body length counts."""
        self._graph = graph
        self._beginning = list(beginning)
        self._body_length = body_length
        first = self._beginning[0].s
        self._joins = {
            node.line: k for k, node in enumerate(beginning) if node.s - first < body_length
        }
        lines = graph.lines
        self.to_go = np.full(lines.heading.size, np.inf)
        for line in self._joins:
            apart = np.hypot(*(graph.end - graph.end[line]).T)
            off = np.abs(wrapped(lines.heading - lines.heading[line]))
            self.to_go = np.minimum(self.to_go, apart + TURNING * off)
        others = np.ones(lines.heading.size, bool)
        others[list(self._joins)] = False
        self.to_go[others] = np.maximum(self.to_go[others], NOT_THERE)

    def lead(self, line: int) -> float:  # noqa: ARG002
        """None: the path goes on."""
        return 0.0

    def join(self, line: int) -> int:
        """Which node of the beginning has this line."""
        return self._joins[line]

    def accepts(self, node: Reached, verify: Callable[[Reached], bool]) -> bool:
        """Whether the contacts before the join and those behind it hold the body together."""
        follower = node
        for old in self._beginning[self._joins[node.line] + 1 :]:
            if follower.s - node.s > self._body_length + 2 * LEAD:
                return True
            follower = Reached(old.line, follower, follower.s, follower.price)
            if not verify(follower):
                return False
        return follower.s - node.s > self._body_length + 2 * LEAD
