# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Consecutive ticks with the same contacts: their messages have one layout."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Indices


class Run(NamedTuple):
    """Ticks with the same contacts, and the rows of a table of contacts that belong to them.

    Attributes:
        ticks, rows: slices. size: number of contacts of each tick.
    """

    ticks: slice
    rows: slice
    size: int


def contact_runs(count: int, tick: Indices, keys: tuple[Indices, ...]) -> Iterator[Run]:
    """The runs of `count` ticks, in order.

    Args:
        tick: of every contact, ascending, shape (R,).
        keys: arrays (R,) which together name a contact.
    """
    size = np.bincount(tick, minlength=count)
    begins = np.ones(count, bool)
    begins[1:] = size[1:] != size[:-1]
    # each contact against the one at the same place in the set of the tick before
    rows = np.flatnonzero(~begins[tick])
    before = rows - size[tick[rows]]
    for key in keys:
        begins[tick[rows[key[rows] != key[before]]]] = True
    first = np.flatnonzero(begins).tolist()
    end = [0, *np.cumsum(size).tolist()]
    for start, stop in zip(first, [*first[1:], count], strict=False):
        yield Run(slice(start, stop), slice(end[start], end[stop]), int(size[start]))
