# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whose a force is on a link that no post is planned to touch.

A post that stands off its place by more than the way to the next joint presses on the link beside
the planned one. How far off it may stand its own standard deviation says, and the moment about the
link says where it presses. So a force belongs to a post that may stand there; once that has been
located, contacts are planned where it is, and nothing is left to be adopted.
"""

from collections.abc import Callable

import numpy as np

from boa_control.compiled.detection import adoptable
from boa_control.estimation.sideways_balance import JOINT_ZONE
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array

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
    pressed = np.empty((2, across.size), bool)
    columns = contacts.link, contacts.offset, contacts.side, contacts.reach, contacts.inside, reach
    rules = LEAST_FORCE, JOINT_ZONE, pitch
    if not adoptable(doubted, pressed, force, columns, across, *rules):
        return force
    shared = force
    for side, links in zip((-1, 1), pressed, strict=True):
        for link in np.flatnonzero(links).tolist():
            near = doubted & (contacts.side == side) & (np.abs(contacts.link - link) == 1)
            place = min(max(pitch / 2 + moments()[link] / across.item(link), 0.0), pitch)
            away = np.abs((contacts.link - link) * pitch + contacts.offset - place) / reach
            away = np.where(near, away, np.inf)
            k = int(away.argmin())
            if away[k] <= 1.0:
                shared = shared.copy()
                shared[k] += -side * across[link]
    return shared
