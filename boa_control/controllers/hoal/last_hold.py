"""A post is not left before the next one is felt, where the others cannot hold the body.

A climber lets go of one hold when the next one bears. Where posts stand off the map, the one ahead
may have to be searched for longer than the way on which the one at the other end still touches.
"""

from __future__ import annotations

import math

from boa_control.controllers.hoal.bands import LEAST_HOLD
from boa_control.controllers.hoal.engagement import APPROACH
from boa_control.controllers.hoal.post_search import SEARCH_AHEAD
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_control.optimisation.balance import attainable_share
from boa_description.arrays import Array, Flags

LEAVING = 0.08  # m before a post is left, from which it counts
LEFT = 0.012  # m of the same, where the robot stands and searches: the post still carries there


def last_hold_limit(
    chain: PlanarChain,
    state: PathState,
    contacts: ContactSet,
    level: Array,
    across: Flags,
    direction: int,
    braking: float,
) -> float:
    """Speed at which the body may leave the post at its trailing end, m/s; infinite where another
    one is felt, or the others hold it.

    Args:
        contacts: planned, with those just before and behind the body.
        level: how far each has been taken on, shape (nc,). across: searched across the path as far
            as it can be from here, alike.
        direction: 1: the head leads; -1: the tail. braking: m/s2.
    """
    middle = (chain.links - 1) / 2
    ahead = (contacts.link - middle) * direction > 0
    felt = level > APPROACH
    leaving = ~ahead & felt & (contacts.inside > 0.0) & (contacts.inside < LEAVING)
    if not leaving.any():
        return math.inf
    way = max(float(contacts.inside[leaving].min()) - LEFT, 0.0)
    searched = ahead & ~felt & ~across & (contacts.inside + way > -SEARCH_AHEAD)
    if not searched.any():  # nor can it be, from there
        return math.inf
    gap = contacts.rows(chain, state, 0.0)[0]
    presence = contacts.activation * felt * level
    held = attainable_share(gap, presence)
    if held < LEAST_HOLD or attainable_share(gap, presence * ~leaving) >= LEAST_HOLD:
        return math.inf
    return math.sqrt(2 * braking * way)
