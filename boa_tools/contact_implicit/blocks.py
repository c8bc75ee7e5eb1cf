# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices whose entries are written as arrays over all knots at once."""

import numpy as np

from boa_description.arrays import Array, Indices


class Entries:
    """Rows, columns and values of a sparse matrix; entries at one place add up.

    Every block is broadcast to one shape, so that a number may stand for a whole block. The order
    of the blocks is the order of the calls: asked twice, the same code gives the same places.
    """

    def __init__(self) -> None:
        self._blocks: list[tuple[Array, Array, Array]] = []

    def add(self, rows: Indices, columns: Indices, values: Array | float) -> None:
        """Add a block."""
        block = np.broadcast_arrays(rows, columns, values)
        self._blocks.append((block[0].ravel(), block[1].ravel(), block[2].ravel()))

    @property
    def rows(self) -> Indices:
        """Of all entries."""
        return np.concatenate([block[0] for block in self._blocks])

    @property
    def columns(self) -> Indices:
        """Of all entries."""
        return np.concatenate([block[1] for block in self._blocks])

    @property
    def values(self) -> Array:
        """Of all entries."""
        return np.concatenate([block[2] for block in self._blocks])
