# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whose the force on a link is, where two posts press on opposite sides of it.

The balance across a link gives the difference of both forces; the moment about its middle tells
them apart, as they press at different places. A post at a joint presses on both links there.
"""

from collections.abc import Callable

import numpy as np

from boa_control.estimation.sideways_balance import JOINT_ZONE
from boa_control.estimation.touch_points import APART
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array, Flags, Indices


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
    alone = opposite & _beyond(contacts, step, pitch)
    apart = np.abs(contacts.offset[:, None] - contacts.offset) >= APART
    pairs = alone | np.triu(opposite & (step == 0) & apart)
    if not pairs.any():
        return force
    told = np.where(alone.any(axis=1), -contacts.side * across[contacts.link], force)
    for j, k in np.argwhere(pairs).tolist():
        link, side = contacts.link.item(k), contacts.side.item(j)
        ahead = contacts.link.item(j) - link
        first = contacts.offset.item(j) if ahead == 0 else max(ahead, 0) * pitch
        second = contacts.offset.item(k)
        if abs(first - second) < APART:
            continue
        difference = -side * across.item(link)  # of the first less the second
        about = -side * (moments().item(link) + across.item(link) * pitch / 2)  # its beginning
        other = (about - difference * first) / (first - second)
        told[k] = other
        told[j] = difference + other + (told[j] if ahead else 0.0)
    return told


def opposed(contacts: ContactSet, inside: float, pitch: float) -> Flags:
    """Which contacts have another one, on the other side, on a link that bears their force: their
    own, or the next one where they press at its joint; shape (nc,).

    Args:
        inside: least that the other one lies inside the body, m; negative: before its end.
        pitch: of the links, m.
    """
    step = contacts.link - contacts.link[:, None]
    facing = contacts.side[:, None] != contacts.side
    facing &= (step == 0) | _beyond(contacts, step, pitch)
    return np.asarray((facing & (contacts.inside > inside)).any(axis=1))


def _beyond(contacts: ContactSet, step: Indices, pitch: float) -> Flags:
    """Whether a contact (row) is so near a joint that the link beyond counts for it, and another
    one (column) is on that link; shape (nc, nc).
    """
    ahead = (contacts.offset > pitch - JOINT_ZONE)[:, None] & (step == 1)
    behind = (contacts.offset < JOINT_ZONE)[:, None] & (step == -1)
    return np.asarray(ahead | behind)
