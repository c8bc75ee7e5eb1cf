"""Whose the force on a link is, where two posts press on opposite sides of it.

The balance across a link gives the difference of both forces; the moment about its middle tells
them apart, as they press at different places.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boa_control.estimation.sideways_balance import JOINT_ZONE
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array, Flags, Indices

APART = 0.03  # m along the link; nearer, a moment does not tell two forces apart


def told_apart(
    force: Array,
    contacts: ContactSet,
    across: Array,
    moments: Callable[[], Array],
    pitch: float,
) -> Array:
    """Forces of the contacts, shape (nc,), N, where posts press on opposite sides.

    Args:
        force: by the balance across links alone, shape (nc,), N.
        across: force across each link from outside, shape (n,), N. moments: about the middles of
            the links, shape (n,), N m; worked out where they are needed.
        pitch: of the links, m.
    """
    opposite = contacts.side[:, None] != contacts.side
    step = contacts.link - contacts.link[:, None]
    alone = (opposite & _beyond(contacts, step, pitch)).any(axis=1)
    pairs = opposite & (step == 0) & (np.abs(contacts.offset[:, None] - contacts.offset) >= APART)
    if not (alone.any() or pairs.any()):
        return force
    told = np.where(alone, -contacts.side * across[contacts.link], force)
    for j, k in np.argwhere(np.triu(pairs)).tolist():
        link, side = contacts.link.item(j), contacts.side.item(j)
        first, second = contacts.offset.item(j), contacts.offset.item(k)
        difference = -side * across.item(link)  # of the first less the second
        about = -side * (moments().item(link) + across.item(link) * pitch / 2)  # its beginning
        other = (about - difference * first) / (first - second)
        told[j], told[k] = difference + other, other
    return told


def opposed(contacts: ContactSet, inside: float) -> Flags:
    """Which contacts have another one on the other side of their link, shape (nc,), that lies at
    least so far `inside` the body, m; negative: before its end.
    """
    facing = (contacts.side[:, None] != contacts.side) & (contacts.link[:, None] == contacts.link)
    return np.asarray((facing & (contacts.inside > inside)).any(axis=1))


def _beyond(contacts: ContactSet, step: Indices, pitch: float) -> Flags:
    """Whether a contact (row) is so near a joint that the link beyond counts for it, and another
    one (column) is on that link; shape (nc, nc).
    """
    ahead = (contacts.offset > pitch - JOINT_ZONE)[:, None] & (step == 1)
    behind = (contacts.offset < JOINT_ZONE)[:, None] & (step == -1)
    return np.asarray(ahead | behind)
