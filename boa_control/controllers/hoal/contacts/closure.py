# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether the contacts hold the body: by their number, and by what balance lets them carry."""

from __future__ import annotations

from boa_control.controllers.hoal.tick import Tick
from boa_control.model.dynamics import PlanarChain
from boa_control.optimisation.balance import attainable_share

START_SHAPE = 0.05  # rad rms, with which a start-up that has not detected all posts must not end
LEAST_HOLD = 0.5  # of the preload that balance allows; good sets of contacts have 0.8 and more
CLOSURE = 4  # contacts, fewer of which cannot close a body in the plane


def may_hold(touching: int, planned: int) -> bool:
    """Whether so many contacts of the planned ones may hold the body: `CLOSURE`, or all."""
    return touching >= min(CLOSURE, planned)


def held(chain: PlanarChain, tick: Tick) -> bool:
    """Whether the posts that are detected balance the robot, and its joints are near enough to the
    shape of the path to set off.
    """
    contacts = tick.contacts
    gap = contacts.rows(chain, tick.state, 0.0)[0]
    detected = (contacts.activation >= 1.0) & (tick.level >= 1.0)
    near = tick.progress.residual <= START_SHAPE
    return attainable_share(gap, detected.astype(float)) >= LEAST_HOLD and near
