# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When the true contacts of a run close the body."""

from __future__ import annotations

import numpy as np

from boa_control.planning.first_order import is_closed
from boa_description.arrays import Flags
from boa_tools.runs.runlog import TrueContacts, select

BATCH = 4000  # ticks tested at once


def first_order_closure(contacts: TrueContacts, ticks: int) -> Flags:
    """Whether the contacts that carry force close the body to first order, shape (ticks,)."""
    pressing = select(contacts, contacts.normal_force > 0)
    count = np.bincount(pressing.tick, minlength=ticks)
    first = np.cumsum(count) - count
    closed = np.zeros(ticks, dtype=bool)
    for start in range(0, ticks, BATCH):
        rows = slice(start, min(start + BATCH, ticks))
        width = max(int(count[rows].max()), 1)
        slot = np.arange(width)
        touching = slot < count[rows, None]
        index = np.where(touching, first[rows, None] + slot, first[rows, None])
        if not pressing.tick.size:
            continue
        index = np.minimum(index, pressing.tick.size - 1)
        closed[rows] = is_closed(pressing.point[index], pressing.normal[index], touching)
    return closed
