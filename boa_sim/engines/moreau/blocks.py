# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Impulses of one time step as a list of blocks: contacts, joint stops and dry friction.

Every block has one to three rows; row r has the velocity u_r = (J v)_r and the impulse p_r.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_description.arrays import Array

UNBOUNDED = np.inf


class Blocks(NamedTuple):
    """Laws of all rows. A block of

    - one row with a finite limit is dry friction: |p| <= limit, against u;
    - one row without limit is a stop: 0 <= p, 0 <= u + shift, one of them zero;
    - two or three rows is a contact: its first row a stop along the normal, the others friction,
      |p_t| <= mu p_n, against u_t.

    Attributes:
        first: row at which a block begins, shape (n + 1,); the last entry is the number of rows.
        mu: shape (n,). limit: shape (n,), N s (N m s about a joint).
        shift: shape (rows,), m/s: what a velocity may fall short of zero; rows of friction: 0.
    """

    first: NDArray[np.int64]
    mu: Array
    limit: Array
    shift: Array

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.first[-1])


def stops(shift: Array) -> Blocks:
    """Blocks of one row each that only push; `shift` as in `Blocks`, shape (n,)."""
    n = shift.size
    return Blocks(np.arange(n + 1), np.zeros(n), np.full(n, UNBOUNDED), shift)


def dry_friction(limit: Array) -> Blocks:
    """Blocks of one row each with an impulse of at most `limit`, shape (n,)."""
    n = limit.size
    return Blocks(np.arange(n + 1), np.zeros(n), limit, np.zeros(n))


def contacts(shift: Array, mu: float, tangents: int) -> Blocks:
    """Contacts with `tangents` rows of friction (0, 1 or 2) after each normal; `shift` (n,) of the
    normals.
    """
    n, size = shift.size, 1 + tangents
    every = np.zeros((n, size))
    every[:, 0] = shift
    return Blocks(
        size * np.arange(n + 1), np.full(n, float(mu)), np.full(n, UNBOUNDED), every.ravel()
    )


def together(parts: list[Blocks]) -> Blocks:
    """All blocks in order, with their rows one after the other."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(part.rows for part in parts)])
    first = [part.first[:-1] + start for part, start in zip(parts, starts, strict=False)]
    return Blocks(
        np.concatenate([*first, starts[-1:]]),
        np.concatenate([part.mu for part in parts]),
        np.concatenate([part.limit for part in parts]),
        np.concatenate([part.shift for part in parts]),
    )


class Impulses(NamedTuple):
    """Solution of one time step.

    Attributes:
        velocity: v+, shape (nv,).
        impulse: p, shape (rows,), N s.
        residual: largest error of the laws, m/s.
        sweeps: how many were made before and between attempts of Newton's method.
    """

    velocity: Array
    impulse: Array
    residual: float
    sweeps: int
