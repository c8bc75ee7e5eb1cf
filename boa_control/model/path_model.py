# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Everything the controller needs to know about the chain on its path, tabulated over s.

The dynamics are evaluated at q_ref(s), not at the measured angles, whose errors would add up along
the chain. They then depend on s alone, up to a rigid motion, so one repeat of the path is enough
and one interpolation of one row replaces all of it on line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_control.compiled.on_path import interpolate
from boa_control.model.dynamics import PlanarChain, times
from boa_control.model.grid import Grid
from boa_control.model.reference import Placement, ReferenceTable
from boa_description.arrays import Array, Indices
from boa_description.floor import require_one_coefficient
from boa_description.scene import GRAVITY, GroundFriction

RESOLUTION = 5e-4  # m, as long as the table stays below the memory limit
MEMORY = 64e6  # bytes of the table of a path without symmetry
BLOCK = 64  # samples worked out together, few enough for the processor's cache


class Sideways(NamedTuple):
    """Forces across each link that do not come from neighbours or posts.

    Attributes:
        inertial: m n_i . acceleration of each link on its path, shape (n,), N.
        ground: n_i . friction of the floor, shape (n,), N.
    """

    inertial: Array
    ground: Array


class PathState(NamedTuple):
    """The chain on the path at one s, in the frame of the first repeat of the path.

    Attributes:
        s, turn: path coordinate of the middle joint, m; repeat number.
        path_inertia: q' . M q', the inertia of motion along the path, kg.
        q, dq, ddq: shape (n + 2,), reference and its derivatives with respect to s.
        dphi: shape (n - 1,), those of `dq` that belong to the joints: phi_ref'.
        sigma: shape (n + 1,), arc lengths of the joint axes, m.
        mass: shape (n + 2, n + 2), M(q_ref).
        inertial: shape (n + 2,), M q'' + h(q, q'): force per squared speed.
        ground: shape (n + 2,), generalised force of the floor's friction at unit coefficient (or
            per speed).
        axes: shape (n + 1,), joint axes as complex numbers x + iy, m.
        along: shape (n,), unit vectors u_i as complex numbers; n_i = i u_i.
        across_rows, along_rows: shape (n, n + 2), see `PlanarChain`.
        momentum: shape (2, n - 1, n + 2), rows of the joint constraint forces (x, then y).
        momentum_bias: shape (2, n - 1), their part per squared speed.
        ground_headward: shape (2, n - 1), friction of the floor on all links beyond each joint, in
            units of `ground`.
        sideways_inertial: shape (n,), m n_i . acceleration of each link centre, per squared speed.
        sideways_ground: shape (n,), n_i . friction of the floor on each link, in units of `ground`.
    """

    s: float
    turn: int
    path_inertia: float
    q: Array
    dq: Array
    dphi: Array
    ddq: Array
    sigma: Array
    mass: Array
    inertial: Array
    ground: Array
    axes: NDArray[np.complex128]
    along: NDArray[np.complex128]
    across_rows: Array
    along_rows: Array
    momentum: Array
    momentum_bias: Array
    ground_headward: Array
    sideways_inertial: Array
    sideways_ground: Array

    def beside(
        self,
        q: Array,
        axes: NDArray[np.complex128],
        along: NDArray[np.complex128],
        across_rows: Array,
        along_rows: Array,
    ) -> PathState:
        """The state of a chain beside its path, with the dynamics of the one on it; written out, as
        `_replace` takes three times as long.
        """
        return tuple.__new__(
            PathState,
            (
                *(self.s, self.turn, self.path_inertia, q, self.dq, self.dphi, self.ddq),
                *(self.sigma, self.mass, self.inertial, self.ground, axes, along),
                *(across_rows, along_rows, self.momentum, self.momentum_bias),
                *(self.ground_headward, self.sideways_inertial, self.sideways_ground),
            ),
        )

    def bias(self, rate: float, ground: float) -> Array:
        """Inertial forces less those of the floor on the way at `rate`, m/s, shape (n + 2,).

        Args:
            ground: what multiplies the pattern of the floor's friction, see
                `Friction.ground_coefficient`.
        """
        bias = self.inertial * rate**2
        if ground:
            bias -= self.ground * ground
        return bias

    def joint_force_bias(self, rate: float, ground: float) -> Array:
        """The same for all links beyond each joint, shape (2, n - 1), N, in the world."""
        bias = self.momentum_bias * rate**2
        if ground:
            bias -= self.ground_headward * ground
        return bias

    def sideways(self, rate: float, ground: float) -> Sideways:
        """Forces across the links on the way at `rate`, m/s; arrays of their own."""
        return Sideways(self.sideways_inertial * rate**2, self.sideways_ground * ground)

    def in_link_frame(
        self, points: NDArray[np.complex128], link: Indices
    ) -> NDArray[np.complex128]:
        """Points x + iy, shape (..., nc), as along + i across, seen from the tail-side axes of
        their links, m.
        """
        # dividing by u turns into the frame of the link
        seen: NDArray[np.complex128] = (points - self.axes.take(link)) / self.along.take(link)
        return seen


class PathModel:
    """Table of `PathState` over the places of a `ReferenceTable`."""

    def __init__(
        self, chain: PlanarChain, reference: ReferenceTable, ground: GroundFriction
    ) -> None:
        """Build the table; takes about a tenth of a second for a repeat of 0.7 m.

        Raises:
            BoaError: a floor whose friction is not one coefficient times a pattern.
        """
        require_one_coefficient(ground, "what follows a path (hoal, boa plan)")
        n = chain.links
        self.chain = chain
        self.reference = reference
        self._shapes = _shapes(n)
        sizes = [math.prod(shape) for shape in self._shapes.values()]
        ends = np.cumsum(sizes).tolist()
        self._columns = {
            name: slice(end - size, end)
            for name, size, end in zip(self._shapes, sizes, ends, strict=True)
        }
        span = reference.span
        cells = max(8, min(int(np.ceil(span / RESOLUTION)), int(MEMORY / (8 * sum(sizes)))))
        nodes = reference.nodes
        self._grid = Grid.over(span, cells, periodic=reference.curve.repeat is not None).between(
            nodes[0], nodes[-1]
        )
        index = np.arange(self._grid.first, self._grid.last + 1)
        # the last not in the second repeat
        s = np.minimum(self._grid.step * index, np.nextafter(span, 0.0))
        self._table = np.empty((s.size, sum(sizes)))
        for begin in range(0, s.size, BLOCK):
            block = slice(begin, begin + BLOCK)
            self._table[block] = _rows(chain, reference.placement(s[block]), s[block], ground)

    def at(self, s: float) -> PathState:
        """The state at path coordinate s, m."""
        return self.cursor()(s)

    def sideways(
        self, s: Sequence[float], rate: Sequence[float], ground: Sequence[float]
    ) -> Sideways:
        """`PathState.sideways` at T path coordinates, m, with rates, m/s: shape (T, n) each."""
        row, share = self._grid.cells_of(np.array(s))
        share = share[:, None]
        parts = self._columns["sideways_inertial"], self._columns["sideways_ground"]
        inertial, floor = (
            self._table[row, part] + share * (self._table[row + 1, part] - self._table[row, part])
            for part in parts
        )
        squares = np.array([one**2 for one in rate])
        return Sideways(inertial * squares[:, None], floor * np.array(ground)[:, None])

    def cursor(self) -> Callable[[float], PathState]:
        """The same as `at` for a control loop: all states share their memory, so each is valid
        until the next.
        """
        row = np.empty(self._table.shape[1])
        parts: dict[str, Any] = {
            name: row[self._columns[name]].reshape(shape) for name, shape in self._shapes.items()
        }
        for name in ("axes", "along"):
            parts[name] = parts[name].view(complex)[:, 0]
        parts["dphi"] = parts["dq"][3:]
        inertia, sigma = parts["path_inertia"], self._columns["sigma"]
        arrays = [parts[name] for name in PathState._fields[3:]]
        table, cell, made = self._table, self._grid.cell, tuple.__new__

        def at(s: float) -> PathState:
            turn, i, share = cell(s)
            interpolate(row, table, i, share, s, sigma.start, sigma.stop)
            # `PathState(...)` takes twice as long
            return made(PathState, (s, turn, inertia.item(), *arrays))

        return at


def _shapes(n: int) -> dict[str, tuple[int, ...]]:
    """Shapes of the parts of one row by their names in `PathState`, in the order of the
    table; points and unit vectors as pairs x, y, `sigma` less s.
    """
    return {
        "q": (n + 2,),
        "dq": (n + 2,),
        "ddq": (n + 2,),
        "sigma": (n + 1,),
        "mass": (n + 2, n + 2),
        "inertial": (n + 2,),
        "ground": (n + 2,),
        "axes": (n + 1, 2),
        "along": (n, 2),
        "across_rows": (n, n + 2),
        "along_rows": (n, n + 2),
        "momentum": (2, n - 1, n + 2),
        "momentum_bias": (2, n - 1),
        "ground_headward": (2, n - 1),
        "sideways_inertial": (n,),
        "sideways_ground": (n,),
        "path_inertia": (1,),
    }


def _rows(chain: PlanarChain, at: Placement, s: Array, ground: GroundFriction) -> Array:
    """One row of the table for every s."""
    posture = chain.posture(at.q)
    mass = chain.mass_matrix(posture)
    momentum = chain.joint_force_map(posture)
    along = np.stack([posture.cos, posture.sin], axis=-1)
    across = np.stack([-posture.sin, posture.cos], axis=-1)
    bias = chain.joint_force_bias(posture, at.dq)
    bias += np.stack([times(momentum.x, at.ddq), times(momentum.y, at.ddq)], axis=-1)
    inertial = times(mass, at.ddq) + chain.bias(posture, at.dq)
    # momentum rate of each link: differences of that of all links beyond its two joints
    headward = np.concatenate([inertial[:, None, :2], bias, np.zeros((s.size, 1, 2))], axis=1)
    link_forces = -np.diff(headward, axis=1)
    drag = ground_drag(
        ground, chain.link_mass, chain.centre_velocities(posture, at.dq), along, across
    )
    parts = {
        "q": at.q,
        "dq": at.dq,
        "ddq": at.ddq,
        "sigma": at.sigma - s[:, None],
        "mass": mass,
        "inertial": inertial,
        "ground": chain.centre_forces(posture, drag),
        "axes": chain.joint_axes(at.q, posture),
        "along": along,
        "across_rows": chain.across_rows(posture),
        "along_rows": chain.along_rows(posture),
        "momentum": np.stack([momentum.x, momentum.y], axis=1),
        "momentum_bias": np.swapaxes(bias, 1, 2),
        "ground_headward": np.swapaxes(np.cumsum(drag[:, ::-1], axis=1)[:, -2::-1], 1, 2),
        "sideways_inertial": np.sum(across * link_forces, axis=-1),
        "sideways_ground": np.sum(across * drag, axis=-1),
        "path_inertia": np.sum(at.dq * times(mass, at.dq), axis=-1),
    }
    return np.hstack([parts[name].reshape(s.size, -1) for name in _shapes(chain.links)])


def ground_drag(
    ground: GroundFriction, mass: float, velocity: Array, along: Array, across: Array
) -> Array:
    """Force of the floor on the link centres when all move along the path, shape (..., n, 2), at
    unit coefficient.

    To be multiplied by `GroundFriction.coefficient_at`. Coulomb: -m g v / |v|. Viscous: -v.
    Anisotropic: -m g (mu (v.u) u + mu_n (v.n) n) / (mu |v|), with mu_n for the divisor mu where
    that is 0.
    """
    if ground.model == "viscous":
        return -velocity
    slip = velocity / np.maximum(np.hypot(velocity[..., 0], velocity[..., 1]), 1e-9)[..., None]
    if ground.model == "anisotropic" and ground.coefficient > 0:
        lengthwise = np.sum(slip * along, axis=-1, keepdims=True) * along
        crosswise = np.sum(slip * across, axis=-1, keepdims=True) * across
        slip = (ground.mu / ground.coefficient) * lengthwise + (
            ground.mu_normal / ground.coefficient
        ) * crosswise
    return -mass * GRAVITY * slip
