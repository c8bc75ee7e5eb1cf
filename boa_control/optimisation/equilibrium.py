"""Contact forces near the desired ones and in equilibrium with the other forces on the whole body.

Nothing drives the base, so contact forces lam must fulfil (P' lam)_b = b_b. Forces that do not, as
equal ones usually do not, push the body along for ever. Those wished for are therefore

    minimise   1/2 |lam - desired|^2 + 1/2 rho |r|^2
    subject to (P' lam)_b - L r = b_b,   lam >= floor,

with L L' = M_bb / m. M_bb is the inertia of the body with its joints held, m its mass, so that r is
the force and, divided by the radius of gyration, the moment about the centre of mass that are left
over. rho is large: where forces above the floor can be in equilibrium they are; elsewhere the QP
still has an optimum.
"""

from __future__ import annotations

import math

import daqp
import numpy as np

from boa_control.optimisation.contact_qp import EQUAL, SOFT, UNBOUNDED
from boa_description.arrays import Array

FLOOR_PRICE = 100.0
RIGIDITY = 1e4  # rho: 1 N out of balance costs as much as one contact that is 100 N off


class Equilibrium:
    """Solves one instance after the other in the same buffers; one per controller."""

    def __init__(self) -> None:
        self._buffers: dict[int, _Buffers] = {}

    def forces(
        self, push: Array, bias: Array, inertia: Array, desired: Array, floor: Array
    ) -> Array:
        """The forces in equilibrium that are nearest to the desired ones, shape (nc,), N.

        Args:
            push: P_b, generalised forces of unit contact forces on the base, shape (nc, 3).
            bias: b_b, forces that the contacts must carry, shape (3,).
            inertia: M_bb of a planar body, shape (3, 3).
            desired, floor: shape (nc,), N.
        """
        count = len(push)
        buffers = self._buffers.get(count)
        if buffers is None:
            buffers = self._buffers[count] = _Buffers(count)
        return buffers.solve(push, bias, inertia, desired, floor)


class _Buffers:
    """The QP in the solver's form for `count` contacts: x = [lam, r]."""

    def __init__(self, count: int) -> None:
        size = count + 3
        self._count = count
        self._H = np.diag(np.r_[np.ones(count), np.full(3, RIGIDITY)])
        self._f = np.zeros(size)
        self._A = np.zeros((3, size))
        self._A[0, count] = self._A[1, count + 1] = -1.0
        self._lower = np.full(size + 3, -UNBOUNDED)
        self._upper = np.full(size + 3, UNBOUNDED)
        self._sense = np.r_[np.full(count, SOFT), np.zeros(3), np.full(3, EQUAL)].astype(np.int32)

    def solve(
        self, push: Array, bias: Array, inertia: Array, desired: Array, floor: Array
    ) -> Array:
        count, A = self._count, self._A
        A[:, :count] = push.T
        A[2, count:] = _moment_row(inertia)
        np.negative(desired, out=self._f[:count])
        self._lower[:count] = floor
        self._lower[count + 3 :] = self._upper[count + 3 :] = bias
        x, *_ = daqp.solve(
            self._H, self._f, A, self._upper, self._lower, self._sense, rho_soft=1 / FLOOR_PRICE
        )
        forces: Array = x[:count]
        return forces


def _moment_row(inertia: Array) -> tuple[float, float, float]:
    """Last row of -L: with [[m, 0, a], [0, m, b], [a, b, c]] the base stands at (a, b) / m from the
    centre of mass, turned by a quarter, and the radius of gyration about it follows by Steiner.
    """
    mass, about_base = inertia.item(0), inertia.item(8)
    x, y = inertia.item(6) / mass, inertia.item(7) / mass
    return -x, -y, -math.sqrt(about_base / mass - x * x - y * y)
