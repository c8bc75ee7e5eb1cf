"""Whose the force on an end link is, where two posts may press on one side of it.

The balance across a link gives one force. But a post just before the nose, or behind the tail, is
planned on the end link like the one that this link already touches. The moment about the link tells
them apart: the resultant of their forces acts between their places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boa_control.estimation.sideways_balance import JOINT_ZONE
from boa_control.estimation.stray_forces import NEIGHBOUR_ZONE
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array

# of the way from the post inside to the one outside, at which the resultant acts: nearer to either
# than a quarter it is that one's alone
ALONE = 0.25
# m from the post inside outwards to the one outside. Nearer, a moment does not tell them apart, and
# both cannot press: posts of radius r on one side of a link are 2 r apart. The one inside does
APART = 0.02


class Rivals(NamedTuple):
    """Two contacts that may press on one side of an end link.

    Attributes:
        outside: index of the contact beyond the end of the body; inside: of the other one.
        link: index of the end link.
        near, far: places of `inside` and `outside` along it, from its tail-side axis, m.
        counted: the force of `inside` is, or contains, that on the end link.
    """

    outside: int
    inside: int
    link: int
    near: float
    far: float
    counted: bool


def rivals(contacts: ContactSet, pitch: float) -> list[Rivals]:
    """Those among `contacts`; `pitch` of the links, m."""
    beyond = (contacts.inside < 0.0).nonzero()[0].tolist()
    if not beyond:
        return []
    pairs = []
    for k in beyond:
        end, far = contacts.link.item(k), contacts.offset.item(k)
        place = contacts.offset + pitch * (contacts.link - end)  # along the end link, if straight
        same = (contacts.side == contacts.side[k]) & (contacts.inside >= 0.0)
        candidates = np.flatnonzero(
            same & (place > -NEIGHBOUR_ZONE) & (place < pitch + NEIGHBOUR_ZONE)
        )
        if candidates.size:
            j = int(candidates[np.abs(place[candidates] - far).argmin()])
            near = place.item(j)
            counted = contacts.link.item(j) == end or -JOINT_ZONE < near < pitch + JOINT_ZONE
            pairs.append(Rivals(k, j, end, near, far, counted))
    return pairs


def apportioned(
    force: Array,
    contacts: ContactSet,
    pairs: list[Rivals],
    across: Array,
    moment: Array,
    pitch: float,
) -> Array:
    """Forces of the contacts, shape (nc,), N, with that on an end link shared out among rivals.

    Args:
        force: normal forces by the balance across links, shape (nc,), N.
        pairs: of `rivals`.
        across, moment: force across each link from outside, N, and its moment about the middle of
            the link, N m, shape (n,).
    """
    shared = force.copy()
    for pair in pairs:
        on_link = -contacts.side.item(pair.outside) * across.item(pair.link)
        if not on_link > 0.0:  # nor where a sensor is silent
            continue
        place = pitch / 2 + moment.item(pair.link) / across.item(pair.link)
        share = _outside(place, pair, outwards=1 if pair.far > pitch / 2 else -1)
        shared[pair.outside] = share * on_link
        shared[pair.inside] += (float(not pair.counted) - share) * on_link
    return shared


def _outside(place: float, pair: Rivals, outwards: int) -> float:
    """Share of the outer post in a force that acts at `place`, m along the link."""
    if outwards * (pair.far - pair.near) < APART:
        return 0.0
    way = (place - pair.near) / (pair.far - pair.near)
    return min(max((way - ALONE) / (1.0 - 2 * ALONE), 0.0), 1.0)
