# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether the contacts hold the body: by their number, and by what balance lets them carry."""

from boa_control.controllers.hoal.contacts.tuning import ContactTuning
from boa_control.controllers.hoal.tick import Tick
from boa_control.model.dynamics import PlanarChain
from boa_control.optimisation.balance import attainable_share


def may_hold(touching: int, planned: int, tuning: ContactTuning) -> bool:
    """Whether so many contacts of the planned ones may hold the body: its closure, or all."""
    return touching >= min(tuning.closure, planned)


def held(chain: PlanarChain, tick: Tick, tuning: ContactTuning) -> bool:
    """Whether the posts that are detected balance the robot, and its joints are near enough to the
    shape of the path to set off.
    """
    contacts = tick.contacts
    gap = contacts.rows(chain, tick.state, 0.0)[0]
    detected = (contacts.activation >= 1.0) & (tick.level >= 1.0)
    near = tick.progress.residual <= tuning.start_shape
    return attainable_share(gap, detected.astype(float)) >= tuning.least_hold and near
