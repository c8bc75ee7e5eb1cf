"""How fast gaps between the body and its posts open, as far as joint rates tell."""

from __future__ import annotations

import numpy as np

from boa_control.compiled import gaps
from boa_description.arrays import Array


def gap_rates(gap: Array, presence: Array, joint_rate: Array) -> Array:
    """Rates at which gaps open, as far as joint rates show them, shape (nc,), m/s; or by how much,
    m, for joint angles off those of the gaps.

    The base moves with the unknown rate xi that keeps the contacts closed as well as possible
    (least squares, weighted by presence); what remains of J_b xi + J_phi phi_dot are gaps that
    open or close. Three or fewer gaps tell nothing: some base closes them all.

    Args:
        gap: J, shape (nc, n + 2). presence: shape (nc,), 0 to 1. joint_rate: shape (n - 1,), rad/s.
    """
    rates = np.empty(presence.size)
    gaps.gap_rates(rates, gap, presence, joint_rate)
    return rates
