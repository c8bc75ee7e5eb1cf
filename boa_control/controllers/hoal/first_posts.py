"""Taking hold of the first posts where these may stand elsewhere.

The robot stands still until it is held, and searching longer costs nothing. Forces that balance on
the map bend the body the more, the further the posts are off their places, and a bent body strikes
them. So what is not felt after a while is not reached by more force but searched, as the leading
end does it under way: the reference is bent further and further towards it.
"""

from __future__ import annotations

import numpy as np

from boa_control.controllers.hoal.bands import LEAST_HOLD, START_SHAPE
from boa_control.controllers.hoal.engagement import APPROACH
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_control.optimisation.balance import attainable_share
from boa_description.arrays import Array

LEAST_FELT = 3  # posts that tell the pose of the body; before, it drifts towards the next one
MOST_LEEWAY = 0.03  # m, the largest gap to a post that three others tell of: they may do so badly


def pose_known(contacts: ContactSet, level: Array) -> bool:
    """Whether enough posts are felt for others to be searched. `level`: of each, shape (nc,)."""
    return int(np.count_nonzero((level > APPROACH) & (contacts.activation > 0.0))) >= LEAST_FELT


def held(
    chain: PlanarChain, state: PathState, contacts: ContactSet, level: Array, residual: float
) -> bool:
    """Whether the posts that are felt balance the robot, and its joints are near enough to the
    shape of the path to set off.

    Args:
        level: how far each has been taken on, shape (nc,).
        residual: how far the joints are off the shape of `state`, rad rms.
    """
    gap = contacts.rows(chain, state, 0.0)[0]
    felt = (contacts.activation >= 1.0) & (level >= 1.0)
    return attainable_share(gap, felt.astype(float)) >= LEAST_HOLD and residual <= START_SHAPE


def leeway(away: Array) -> Array:
    """Gaps to the posts as far as they count, shape (nc,), m."""
    return np.minimum(away, MOST_LEEWAY)
