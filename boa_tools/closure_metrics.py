"""Share of time in which the true contacts give the closure that the scenario asks for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boa_control.closure.first_order import is_closed
from boa_control.experiment import Experiment
from boa_tools.contact_metrics import ContactHistory
from boa_tools.runlog import RunLog, TrueContacts, select

Flags = NDArray[np.bool_]

BATCH = 4000  # ticks tested at once


def closure_fraction(log: RunLog, experiment: Experiment, contacts: ContactHistory, window: Flags) -> float | None:
    """Share of ticks in `window` with closure; None without true contacts or a criterion."""
    evaluation = experiment.scenario.evaluation
    if contacts.force is None or log.true_contacts is None or not window.any():
        return None
    if evaluation.closure == "contacts":
        if evaluation.required_contacts is None:
            return None
        return float(((contacts.force > 0).sum(axis=1) >= evaluation.required_contacts)[window].mean())
    return float(first_order_closure(log.true_contacts, log.ticks)[window].mean())


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
