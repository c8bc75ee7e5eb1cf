# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where every joint of the chain is when it lies on the curve: q_ref(s) with first and second
derivative.

All joint axes lie on the curve, neighbours a link pitch apart. The path coordinate s is the arc
length of the middle joint axis; from there the chain is placed towards the head and towards the
tail.
"""

import copy
import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from boa_control.model.grid import Grid
from boa_control.paths.path import Curve
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.placement import SLACK, joints_on_curve

RESOLUTION = 5e-4  # m, of the table; linear interpolation then errs by less than 1e-5 rad
OVERRUN = 1.25  # pitches beyond the extent of an open curve: a link is looked ahead


@dataclass(frozen=True, slots=True)
class Placement:
    """Chains on the curve for several anchors s, shape (N,).

    Attributes:
        sigma: shape (N, n + 1), arc length of every joint axis from the tail-side end of link 1 to
            the head, m.
        q, dq, ddq: shape (N, n + 2), q = [x, y, theta_1, phi_1 ..] and its derivatives with respect
            to s.
    """

    sigma: Array
    q: Array
    dq: Array
    ddq: Array


@dataclass(frozen=True, slots=True)
class ReferencePoint:
    """The reference at one s. Shapes as in `Placement` without the first dimension; read only.

    `turn` counts repeats of the curve's symmetry: q is given in the frame of the first repeat,
    where the joint angles and all derivatives are the same; `ReferenceTable.world_base` takes the
    base to the world.
    """

    s: float
    turn: int
    sigma: Array
    q: Array
    dq: Array
    ddq: Array

    @property
    def phi(self) -> Array:
        """Joint angles phi_ref(s), rad."""
        return self.q[3:]

    @property
    def dphi(self) -> Array:
        """phi_ref'(s), rad/m."""
        return self.dq[3:]


class ReferenceTable:
    """q_ref(s) over one repeat of the curve, or wherever the chain finds room on it, sampled finely
    and interpolated linearly.

    Attributes:
        on_path: all joint axes lie on the curve.
    """

    def __init__(self, curve: Curve, links: int, pitch: float) -> None:
        """Build the table; takes a tenth of a second.

        Raises:
            BoaError: the chain cannot be placed on the curve (bends too tight for the pitch, curve
                too short).
        """
        self.curve = curve
        self.links = links
        self.pitch = pitch
        self.anchor = links // 2
        self.on_path = True
        repeat = curve.repeat
        self._span = curve.length if repeat is None else repeat.length
        cells = max(8, int(np.ceil(self._span / RESOLUTION)))
        self._grid = Grid.over(self._span, cells, periodic=repeat is not None)
        if repeat is None:
            self._grid = self._grid.between(*self._room())
        s = self.nodes
        placed = place_chain(curve, links, pitch, s, self.anchor)
        self._rows = np.ascontiguousarray(
            np.hstack([placed.q, placed.dq, placed.ddq, placed.sigma - s[:, None]])
        )
        d = links + 2
        self._slices = (slice(0, d), slice(d, 2 * d), slice(2 * d, 3 * d), slice(3 * d, 4 * d - 1))
        self.start, self.end = self._limits(placed.sigma, s)

    @property
    def nodes(self) -> Array:
        """The s of the table's rows, m."""
        grid = self._grid
        return np.linspace(0.0, self._span, grid.cells + 1)[grid.first : grid.last + 1]

    @property
    def spacing(self) -> float:
        """From one of the `nodes` to the next, m."""
        return self._grid.step

    def bent(self, bend: Array) -> Self:
        """The table of a chain that is bent by dq(s), given at the `nodes`, shape (N, n + 2)."""
        other = copy.copy(self)
        other._rows, other.on_path = self._rows.copy(), False
        change = bend
        for part in self._slices[:3]:
            other._rows[:, part] += change
            change = np.gradient(change, self._grid.step, axis=0, edge_order=2)
        return other

    @property
    def span(self) -> float:
        """Length after which joint angles repeat (the whole length where the curve has no
        symmetry), m.
        """
        return self._span

    @property
    def extent(self) -> tuple[float, float]:
        """First and last s with the whole chain on the curve; one lap where it is closed, m."""
        return (0.0, self.curve.length) if self.curve.closed else (self.start, self.end)

    def at(self, s: float) -> ReferencePoint:
        """The reference at path coordinate `s`; beyond the ends of the table of an open curve
        without symmetry the end value.
        """
        turn, i, share = self._grid.cell(s)
        row = self._rows[i] + share * (self._rows[i + 1] - self._rows[i])
        q, dq, ddq, sigma = self._slices
        return ReferencePoint(s, turn, row[sigma] + s, row[q], row[dq], row[ddq])

    def placement(self, s: Array) -> Placement:
        """As `at`, for many s, shape (N,)."""
        rows = self._interpolated(s, slice(None))
        q, dq, ddq, sigma = self._slices
        return Placement(rows[:, sigma] + s[:, None], rows[:, q], rows[:, dq], rows[:, ddq])

    def shapes(self, s: Array) -> Array:
        """Joint angles phi_ref for many s, shape (len(s), n - 1), rad."""
        return self._interpolated(s, slice(3, self.links + 2))

    def _interpolated(self, s: Array, columns: slice) -> Array:
        i, share = self._grid.cells_of(s)
        before = self._rows[i, columns]
        between: Array = before + share[:, None] * (self._rows[i + 1, columns] - before)
        return between

    def to_pattern(self, points: Array, turn: int) -> Array:
        """World points, shape (..., 2), in the frame of the first repeat, where `at` gives q."""
        repeat = self.curve.repeat
        if repeat is None or turn == 0:
            return points
        if repeat.rotation == 0.0:
            return points - turn * np.array(repeat.translation)
        c, s = math.cos(turn * repeat.rotation), math.sin(turn * repeat.rotation)
        turned: Array = points @ np.array([[c, -s], [s, c]])
        return turned

    def world_base(self, point: ReferencePoint) -> Array:
        """x, y, theta_1 in the world for a reference point."""
        repeat = self.curve.repeat
        base = point.q[:3].copy()
        if repeat is not None:
            angle = point.turn * repeat.rotation
            c, s = np.cos(angle), np.sin(angle)
            base[:2] = np.array([[c, -s], [s, c]]) @ base[:2] + point.turn * np.array(
                repeat.translation
            )
            base[2] += angle
        return base

    def _room(self) -> tuple[float, float]:
        """From where to where the middle joint of a chain between the ends of the curve can be,
        with an `OVERRUN` on both sides, m.
        """
        curve, links, pitch = self.curve, self.links, self.pitch
        first = joints_on_curve(curve, links, pitch, 0.0, 0)[self.anchor]
        last = joints_on_curve(curve, links, pitch, curve.length, links)[self.anchor]
        return float(first) - OVERRUN * pitch, float(last) + OVERRUN * pitch

    def _limits(self, sigma: Array, s: Array) -> tuple[float, float]:
        """Smallest and largest s with the whole chain on the curve (the whole line when it is
        closed).
        """
        if self.curve.closed:
            return -np.inf, np.inf
        if self._grid.periodic:
            return float(np.max(s - sigma[:, 0])), self.curve.length - float(
                np.max(sigma[:, -1] - s)
            )
        inside = (sigma[:, 0] >= -SLACK) & (sigma[:, -1] <= self.curve.length + SLACK)
        if not inside.any():
            raise BoaError(
                f"path: {self.curve.length:.3f} m of path is shorter than the robot on it "
                f"({self.links} links of {self.pitch:.3f} m); add way-points"
            )
        return float(s[inside][0]), float(s[inside][-1])


def place_chain(curve: Curve, links: int, pitch: float, s: Array, anchor: int) -> Placement:
    """Place chains of `links` links on the curve with joint axis number `anchor` (0 = tail end) at
    arc lengths s.

    With sigma_j the arc length of axis j, v_j = t(sigma_j) sigma_j' and u_j, n_j along and across
    link j, constant pitch demands u_j . (v_{j+1} - v_j) = 0, so sigma'_{j+1} = sigma'_j (u_j . t_j)
    / (u_j . t_{j+1}) and theta_j' = n_j . (v_{j+1} - v_j) / l; the second derivative follows by
    differentiating once more.

    Raises:
        BoaError: the curve turns back within one link.
    """
    sigma = joints_on_curve(curve, links, pitch, s, anchor)
    heading = curve.heading(sigma)
    t = np.stack([np.cos(heading), np.sin(heading)], axis=-1)
    n_t = np.stack([-t[..., 1], t[..., 0]], axis=-1)
    bend = curve.curvature(sigma)[..., None] * n_t
    p = curve.position(sigma)
    u = np.diff(p, axis=1) / pitch
    n = np.stack([-u[..., 1], u[..., 0]], axis=-1)
    ut0 = np.einsum("ijk,ijk->ij", u, t[:, :-1])  # u_j . t_j
    ut1 = np.einsum("ijk,ijk->ij", u, t[:, 1:])  # u_j . t_{j+1}

    rate, v = np.ones_like(sigma), np.empty_like(p)
    turn_rate = np.empty_like(ut0)
    acceleration, a = np.zeros_like(sigma), np.empty_like(p)
    v[:, anchor], a[:, anchor] = t[:, anchor], bend[:, anchor]

    def step(
        link: int, known: int, new: int, along_known: Array, along_new: Array, sign: float
    ) -> None:
        rate[:, new] = rate[:, known] * along_known / along_new
        v[:, new] = t[:, new] * rate[:, new, None]
        turn_rate[:, link] = sign * _dot(n[:, link], v[:, new] - v[:, known]) / pitch
        normal_part = bend[:, new] * rate[:, new, None] ** 2
        demand = (
            _dot(u[:, link], a[:, known] - normal_part) - sign * pitch * turn_rate[:, link] ** 2
        )
        acceleration[:, new] = demand / along_new
        a[:, new] = t[:, new] * acceleration[:, new, None] + normal_part

    for j in range(anchor, links):
        step(j, j, j + 1, ut0[:, j], ut1[:, j], 1.0)
    for j in range(anchor - 1, -1, -1):
        step(j, j + 1, j, ut1[:, j], ut0[:, j], -1.0)

    theta = np.unwrap(np.arctan2(u[..., 1], u[..., 0]), axis=1)
    theta += 2 * np.pi * np.round((heading[:, :1] - theta[:, :1]) / (2 * np.pi))
    turn_acceleration = np.einsum("ijk,ijk->ij", n, np.diff(a, axis=1)) / pitch
    return Placement(
        sigma,
        _coordinates(p[:, 0], theta),
        _coordinates(v[:, 0], turn_rate),
        _coordinates(a[:, 0], turn_acceleration),
    )


def _coordinates(base: Array, headings: Array) -> Array:
    """[x, y, theta_1, phi_1 ..] from the tail end and link headings, or their derivatives."""
    return np.hstack([base, headings[:, :1], np.diff(headings, axis=1)])


def _dot(a: Array, b: Array) -> Array:
    result: Array = np.einsum("ij,ij->i", a, b)
    return result
