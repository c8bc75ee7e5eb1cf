# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whose a force is on a link that no post is planned to touch.

A post that stands off its place by more than the way to the next joint presses on the link beside
the planned one. How far off it may stand its own standard deviation says, and the moment about the
link says where it presses. So a force belongs to a post that may stand there; once that has been
located, contacts are planned where it is, and nothing is left to be adopted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boa_control.compiled.detection import unfelt_and_doubted
from boa_control.estimation.sideways_balance import JOINT_ZONE
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array, Flags

LEAST_FORCE = 0.5  # N, on a link without planned contact, from which it is that of a post
# standard deviations of its place, within which a post may press: 4 of its place and that of the
# body, which posts carry off by as much
WITHIN = 5.7


def adopted(
    force: Array,
    contacts: ContactSet,
    across: Array,
    moments: Callable[[], Array],
    std: Array,
    pitch: float,
) -> Array:
    """Forces of the contacts, shape (nc,), N, with those on links beside the planned ones.

    Args:
        force: normal forces on the planned links, shape (nc,), N.
        across: force across each link from outside, shape (n,), N. moments: about the middles of
            the links, shape (n,), N m; worked out where they are needed.
        std: of the places of the posts, shape (nc,), m. pitch: of the links, m.
    """
    reach, doubted = WITHIN * std, np.empty(std.size, bool)
    if not unfelt_and_doubted(doubted, force, reach, contacts.inside, LEAST_FORCE, JOINT_ZONE):
        return force
    shared = force
    for side in (-1, 1):
        pressed = -side * across >= LEAST_FORCE
        pressed &= ~_planned(contacts, side, across.size, pitch)
        for link in np.flatnonzero(pressed).tolist():
            near = doubted & (contacts.side == side) & (np.abs(contacts.link - link) == 1)
            if not near.any():
                continue
            place = min(max(pitch / 2 + moments()[link] / across.item(link), 0.0), pitch)
            away = np.abs((contacts.link - link) * pitch + contacts.offset - place) / reach
            away = np.where(near, away, np.inf)
            k = int(away.argmin())
            if away[k] <= 1.0:
                shared = shared.copy()
                shared[k] += -side * across[link]
    return shared


def _planned(contacts: ContactSet, side: int, links: int, pitch: float) -> Flags:
    """Links on which a post is planned on one side, or near enough to press there, shape (n,)."""
    here = contacts.side == side
    link, offset = contacts.link, contacts.offset
    planned = np.zeros(links + 2, bool)  # one more at both ends
    planned[link[here] + 1] = True
    planned[link[here & (offset < JOINT_ZONE)]] = True
    planned[link[here & (offset > pitch - JOINT_ZONE)] + 2] = True
    return planned[1:-1]
