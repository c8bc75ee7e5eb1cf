# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A way between posts for a body that the floor carries: short lines and arcs, searched best first
over places and headings (hybrid A*; Dolgov et al. 2008), where posts need not hold.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from math import atan2, cos, hypot, radians, sin

import numpy as np

from boa_control.planning.search.field import PostField
from boa_control.planning.search.found import merged
from boa_control.planning.search.joins import JoinSettings, Pieces, Pose, joins
from boa_control.planning.search.way import sample
from boa_description.angles import wrapped
from boa_description.arrays import Array

PIECE = 0.08  # m, of a step
BENDS = (0.0, 2.5, -2.5, 5.0, -5.0)  # 1/m, of steps
CELL, TURN = 0.05, radians(15)  # m and rad; of places and headings that count as one
ROOM, NARROW = 0.08, 2.0  # m beside the body that a wave likes, and price per metre of none
BEND_PRICE = 0.05  # per metre and 1/m
GREED = 1.5  # weight of the remaining distance
STEPS = 20_000  # at most
RADII = (0.4, 0.3, 0.25, 0.2, 0.15)  # m, of the last piece, to a place with a heading
LARGEST_TURN = radians(130)
NEAR = 1.5  # m from that place, within which the last piece is tried


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """A place that is reached: x, y, m, heading, rad, price, m, and how."""

    x: float
    y: float
    heading: float
    price: float
    parent: _Node | None = None
    piece: tuple[float, float] = (0.0, 0.0)

    def pieces(self) -> list[tuple[float, float]]:
        """From the beginning."""
        back, node = [], self
        while node.parent is not None:
            back.append(node.piece)
            node = node.parent
        return back[::-1]


class FloorSearch:
    """Searches ways for the middle of a body through a field."""

    def __init__(self, field: PostField, radius: float) -> None:
        """`radius` of the body, m."""
        self._field = field
        self._radius = radius
        self._fan = _fan()

    def way(self, here: Pose, there: Pose) -> Pieces | None:
        """From a place and heading to another; None where there is none."""
        x, y = here.point.tolist()
        order = count()
        begin = _Node(x, y, float(here.heading), 0.0)
        heap = [(0.0, next(order), begin)]
        best: dict[tuple[int, int, int], float] = {}
        while heap and len(best) < STEPS:
            node = heapq.heappop(heap)[2]
            key = _cell(node)
            if best.get(key, np.inf) <= node.price:
                continue
            best[key] = node.price
            last = self._last(node, there)
            if last is not None:
                return merged([*node.pieces(), *last])
            for child in self._steps(node):
                if best.get(_cell(child), np.inf) > child.price:
                    total = child.price + GREED * _to_go(child, there)
                    heapq.heappush(heap, (total, next(order), child))
        return None

    def _steps(self, node: _Node) -> list[_Node]:
        """Where one more piece leads, from among `BENDS`."""
        c, s = cos(node.heading), sin(node.heading)
        middle, end = np.array([node.x, node.y]) + self._fan @ np.array([[c, s], [-s, c]])
        rooms = np.minimum(self._rooms(middle), self._rooms(end))
        nodes = []
        for bend, room, (x, y) in zip(BENDS, rooms.tolist(), end.tolist(), strict=True):
            if room >= 0.0:
                narrow = NARROW * max(0.0, 1.0 - room / ROOM)
                price = node.price + PIECE * (1.0 + narrow + BEND_PRICE * abs(bend))
                heading = node.heading + PIECE * bend
                nodes.append(_Node(x, y, heading, price, node, (PIECE, bend)))
        return nodes

    def _last(self, node: _Node, there: Pose) -> Pieces | None:
        """What is missing from a node to the end; None where that is too far or not free."""
        if _to_go(node, there) > NEAR:
            return None
        here = Pose(np.array([node.x, node.y]), np.array(node.heading))
        for bend in RADII:
            for pieces in joins(here, there, JoinSettings(bend, bend, bend, LARGEST_TURN)):
                if self._free(here.point, node.heading, pieces):
                    return pieces
        return None

    def _free(self, start: Array, heading: float, pieces: Pieces) -> bool:
        """Whether the body passes along pieces."""
        points = sample(start, heading, pieces, PIECE / 2).points
        return bool(self._rooms(points).min() >= 0.0)

    def _rooms(self, points: Array) -> Array:
        """Beside the body at points (n, 2), shape (n,), m; negative where a post is in the way."""
        posts = self._field
        reach = self._radius + ROOM + posts.largest_radius
        apart, near = posts.tree.query(points, k=2, distance_upper_bound=reach)
        radii = np.append(posts.radii, 0.0)[near]
        gaps: Array = (np.minimum(apart, reach) - radii).min(axis=1) - self._radius
        return np.minimum(gaps, posts.block_gaps(points) - self._radius)


def _fan() -> Array:
    """Middle and end of a step with each of `BENDS`, shape (2, n, 2), from its beginning, m."""
    ways = [sample(np.zeros(2), 0.0, ((PIECE, bend),), PIECE / 2).points for bend in BENDS]
    points: Array = np.array(ways)[:, 1:3].swapaxes(0, 1)
    return points


def _cell(node: _Node) -> tuple[int, int, int]:
    turns = round(2 * np.pi / TURN)
    return round(node.x / CELL), round(node.y / CELL), round(node.heading / TURN) % turns


def _to_go(node: _Node, there: Pose) -> float:
    """Straight on, with what a wrong heading costs, m."""
    dx, dy = (there.point - (node.x, node.y)).tolist()
    off = abs(float(wrapped(np.array(atan2(dy, dx) - node.heading))))
    return hypot(dx, dy) + 0.1 * off
