# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forces on the links that no planned contact explains, from the joint force sensors.

The balance of a link says what pushes it from outside, without any map (`link_forces`). Across a
link that may be a planned post; what acts elsewhere, or along a link, is a post that the map does
not have, or has elsewhere.
"""

import math

import numpy as np

from boa_control.compiled import detection
from boa_control.estimation.link_forces import LinkForces
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array

# m from a joint, within which a planned contact may be on the neighbour: posts stand off the map
NEIGHBOUR_ZONE = 0.05
# m from where a post touches both links of a bent joint, the same where posts stand as on the map:
# in good runs the body is less than 5 mm from where it is planned
NEIGHBOUR_ZONE_EXACT = 0.01
END_ZONE = 0.09  # m from an end of the body, where a post that stands off touches the rounded tip


def unexplained(
    forces: LinkForces,
    contacts: ContactSet,
    pitch: float,
    bend: Array,
    exact: bool = False,
    doubt: Array | float = 0.0,
) -> LinkForces:
    """The forces without those that planned contacts may exert: sideways from the side on which one
    is planned, and along an end of the body that a planned post is about to touch or to leave.

    Args:
        contacts: planned, with those just before and behind the body. pitch: of the links, m.
        bend: of the joints as measured, shape (n - 1,), rad.
        exact: they press where they are planned, on flanks only.
        doubt: by how much each post may stand nearer or further along the path, shape (nc,), m.
    """
    along, across = forces.along.copy(), forces.across.copy()
    pressing = (
        contacts.link,
        contacts.offset,
        contacts.side,
        contacts.reach,
        contacts.inside,
        np.full(contacts.link.size, doubt) if isinstance(doubt, float) else doubt,
    )
    detection.unexplained(
        along,
        across,
        pressing,
        bend if exact else np.zeros(bend.size),
        NEIGHBOUR_ZONE_EXACT if exact else NEIGHBOUR_ZONE,
        -math.inf if exact else END_ZONE,
        pitch,
    )
    return LinkForces(along, across, forces.largest)
