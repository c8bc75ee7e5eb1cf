# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
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

import daqp
import numpy as np

from boa_control.compiled.qp import EQUAL, SOFT, UNBOUNDED, Form, balance
from boa_description.arrays import Array

FLOOR_PRICE = 100.0  # k: 1 N below the floor costs as much as 10 N off
RIGIDITY = 1e4  # rho: 1 N out of balance costs as much as one contact that is 100 N off


class Equilibrium:
    """Solves one instance after the other in the same buffers; one per controller."""

    def __init__(self) -> None:
        self._buffers: dict[int, _Buffers] = {}

    def forces(self, push: Array, bias: Array, mass: Array, desired: Array, floor: Array) -> Array:
        """The forces in equilibrium that are nearest to the desired ones, shape (nc,), N.

        Args:
            push: P, generalised forces of unit contact forces, shape (nc, n + 2). Only the base
                counts, which comes first, here and in the following.
            bias: b, forces that the contacts must carry, shape (n + 2,) or (3,).
            mass: M of a planar body, shape (n + 2, n + 2).
            desired, floor: shape (nc,), N.
        """
        count = len(push)
        buffers = self._buffers.get(count)
        if buffers is None:
            buffers = self._buffers[count] = _Buffers(count)
        return buffers.solve((push, bias, mass, desired, floor))


class _Buffers:
    """The QP in the solver's form for `count` contacts: x = [lam, r]."""

    def __init__(self, count: int) -> None:
        size = count + 3
        weights = np.r_[np.ones(count), np.full(3, RIGIDITY)]
        A = np.zeros((3, size))
        A[0, count] = A[1, count + 1] = -1.0
        lower, upper = np.full(size + 3, -UNBOUNDED), np.full(size + 3, UNBOUNDED)
        sense = np.r_[np.full(count, SOFT), np.zeros(3), np.full(3, EQUAL)].astype(np.int32)
        self._form = Form(weights, np.zeros(size), A, lower, upper, sense)
        self._H = np.diag(weights)
        self._count = count

    def solve(self, given: tuple[Array, ...]) -> Array:
        """`given`: a `compiled.qp.Balance`."""
        form = self._form
        x = np.empty(form.f.size)
        if not balance(x, form, FLOOR_PRICE, given):
            rows = form.A, form.upper, form.lower, form.sense
            x, *_ = daqp.solve(self._H, form.f, *rows, rho_soft=1 / FLOOR_PRICE)
        forces: Array = x[: self._count]
        return forces
