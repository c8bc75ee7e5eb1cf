"""How much of a preload a set of contacts can carry in balance.

Nothing drives the body as a whole, so the forces of the posts must add up to nothing (three
equations). Four contacts or more that close the body carry nearly the same force each; as closure
goes, balance allows less and less, and at last nothing. Pressing all the same would set the body in
motion.
"""

from __future__ import annotations

import daqp
import numpy as np

from boa_description.arrays import Array

EQUAL = 5  # constraint type of the solver
MOST = 2.0  # times its presence, that one contact may carry
# of the balance, against rounding: rows that depend on each other are no contradiction
SLACK = 1e-6


def attainable_share(gap: Array, presence: Array) -> float:
    """Share of the preload that balance allows, 0 to 1.

    lam, 0 <= lam <= MOST presence, as near to `presence` as J_b' lam = 0 allows; the share is
    sum(lam) / sum(presence).

    Args:
        gap: J, shape (nc, n + 2). presence: of each contact, shape (nc,), 0 to 1.
    """
    used = presence > 0.0
    wish = presence[used]
    count = wish.size
    if count < 4:
        return 0.0
    balance = gap[used, :3].T
    # moments about the middle of the contacts' rows, so that the equations are of one size
    scale = np.maximum(np.linalg.norm(balance, axis=1, keepdims=True), 1e-9)
    rows = np.ascontiguousarray(balance / scale)
    lower = np.concatenate([np.zeros(count), np.full(3, -SLACK)])
    upper = np.concatenate([MOST * wish, np.full(3, SLACK)])
    sense = np.zeros(count + 3, np.int32)
    lam, _, flag, _ = daqp.solve(np.eye(count), -wish, rows, upper, lower, sense)
    return float(lam.sum() / wish.sum()) if flag > 0 else 0.0
