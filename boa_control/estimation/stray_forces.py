"""Forces on the links that no planned contact explains, from the joint force sensors.

The balance of a link says what pushes it from outside, without any map (`link_forces`). Across a
link that may be a planned post; what acts elsewhere, or along a link, is a post that the map does
not have, or has elsewhere.
"""

from __future__ import annotations

import numpy as np

from boa_control.estimation.link_forces import LinkForces
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array

# m from a joint, within which a planned contact may be on the neighbour: posts stand off the map
NEIGHBOUR_ZONE = 0.05
NEIGHBOUR_ZONE_EXACT = 0.02  # m, the same where posts stand as on the map
END_ZONE = 0.09  # m from an end of the body, where a post that stands off touches the rounded tip


def unexplained(
    forces: LinkForces,
    contacts: ContactSet,
    pitch: float,
    exact: bool = False,
    doubt: Array | float = 0.0,
) -> LinkForces:
    """The forces without those that planned contacts may exert: sideways from the side on which one
    is planned, and along an end of the body that a planned post is about to touch or to leave.

    Args:
        contacts: planned, with those just before and behind the body. pitch: of the links, m.
        exact: they press where they are planned, on flanks only.
        doubt: by how much each post may stand nearer or further along the path, shape (nc,), m.
    """
    zone = NEIGHBOUR_ZONE_EXACT if exact else NEIGHBOUR_ZONE
    across, along = _known(forces.across), _known(forces.along)
    link, offset = contacts.link, contacts.offset
    touched = np.empty((3, link.size), int)  # the link, and its neighbours where they are near
    touched[0] = link
    np.subtract(link, offset < zone, out=touched[1])
    np.add(link, offset > pitch - zone, out=touched[2])
    touched = np.minimum(np.maximum(touched, 0), across.size - 1)
    expected = contacts.side * across.take(touched) < 0
    across[touched[expected]] = 0.0
    if not exact:
        along[link[np.abs(contacts.inside) < END_ZONE + doubt]] = 0.0
    return LinkForces(along, across)


def _known(forces: Array) -> Array:
    """A copy with 0 where a sensor is silent; numpy's nan_to_num takes ten times as long."""
    known = forces.copy()
    silent = np.isnan(forces)
    if np.count_nonzero(silent):
        known[silent] = 0.0
    return known
