# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whose the force on an end link is, where two posts may press on one side of it.

The balance across a link gives one force. But a post just before the nose, or behind the tail, is
planned on the end link like the one that this link already touches. The moment about the link tells
them apart: the resultant of their forces acts between their places.
"""

from typing import NamedTuple

from boa_control.compiled.detection import any_rivals
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
    columns = contacts.link, contacts.offset, contacts.side, contacts.inside
    if not any_rivals(*columns, NEIGHBOUR_ZONE, pitch):
        return []
    inside, side = contacts.inside.tolist(), contacts.side.tolist()
    link, offset = contacts.link.tolist(), contacts.offset.tolist()
    pairs = []
    for k in (k for k, depth in enumerate(inside) if depth < 0.0):
        end, far = link[k], offset[k]
        nearest = None
        for j in range(len(inside)):
            near = offset[j] + pitch * (link[j] - end)  # along the end link, if that is straight
            if side[j] != side[k] or inside[j] < 0.0 or not _beside(near, pitch, NEIGHBOUR_ZONE):
                continue
            if nearest is None or abs(near - far) < abs(nearest.near - far):
                counted = link[j] == end or _beside(near, pitch, JOINT_ZONE)
                nearest = Rivals(k, j, end, near, far, counted)
        if nearest is not None:
            pairs.append(nearest)
    return pairs


def _beside(place: float, pitch: float, zone: float) -> bool:
    """Whether a place along a link, m, is on it, or within `zone`, m, of its ends."""
    return -zone < place < pitch + zone


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
