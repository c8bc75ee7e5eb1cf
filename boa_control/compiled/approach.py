# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How fast the leading end may come to posts that are not known well, as compiled loops."""

from __future__ import annotations

import math
from typing import NamedTuple

from boa_control.compiled import compiled
from boa_control.compiled.records import IndexVector, Vector, on_records

# by how much of `reach` a post protrudes into the way of the leading end, and the largest joint
# force per speed that its first touch gives there, N s/m (docs/first_touch.md, "One touch")
PROTRUSION = (0.0, 5 / 90, 10 / 90, 20 / 90, 30 / 90, 45 / 90, 70 / 90, 1.0)
TOUCH_DAMPING = (0.0, 111.0, 183.0, 351.0, 519.0, 756.0, 1021.0, 1083.0)


@compiled("f8(f8)")
def touch_damping(protrusion: float) -> float:
    """Between the values of `TOUCH_DAMPING`, N s/m."""
    k = 1
    while k < len(PROTRUSION) - 1 and PROTRUSION[k] <= protrusion:
        k += 1
    first, last = PROTRUSION[k - 1], PROTRUSION[k]
    slope = (TOUCH_DAMPING[k] - TOUCH_DAMPING[k - 1]) / (last - first)
    return slope * (min(protrusion, last) - first) + TOUCH_DAMPING[k - 1]


class ApproachRules(NamedTuple):
    """What stays the same in all ticks of a `hoal.post_map.approach_speed.SpeedLimit`.

    Attributes:
        links: of the chain.
        map_error: standard deviation of places of the map, m.
        entry_speed: at which a post may be met, m/s; NaN: that of which the first touch gives the
            force `blow`, N.
        braking: m/s2, with which the robot slows down before a post.
        unfelt: `level` up to which a contact is not felt.
        before, behind: `reach` and `search_distance` of the tuning, m.
        expected, least_doubt, search_speed, slow_speed: as there.
    """

    links: int
    map_error: float
    entry_speed: float
    blow: float
    braking: float
    unfelt: float
    before: float
    behind: float
    expected: float
    least_doubt: float
    search_speed: float
    slow_speed: float


class NextPosts(NamedTuple):
    """Contacts, shape (nc,) each: the first three as in `ContactSet`, the others as of
    `SpeedLimit.update`.
    """

    link: IndexVector
    inside: Vector
    reach: Vector
    level: Vector
    doubt: Vector
    searched: Vector


@on_records
def approach_speed(
    limit: float,
    posts: NextPosts,
    direction: int,
    leading: complex,
    rules: ApproachRules,
) -> float:
    """The speed along the path, m/s, at most `limit`, for the posts that the leading end has yet to
    meet, or to pass without having felt them.

    Args:
        direction: 1: the head leads; -1: the tail.
        leading: as of `SpeedLimit.update`.
    """
    across, before, expected = leading.imag, rules.before, rules.expected
    along_square = max(leading.real**2, 1.0 - across**2)  # not slower than the path
    square, half = along_square + across**2, rules.links // 2
    for k in range(posts.link.size):
        link, inside, felt = posts.link[k], posts.inside[k], posts.level[k] > rules.unfelt
        leads = link > half if direction > 0 else link < rules.links - 1 - half
        # one that is felt before the body is beside it stands on the tip
        if not leads or inside >= rules.behind or (felt and inside >= 0.0):
            continue
        # one that presses on the tip stands elsewhere than was believed
        std = max(posts.doubt[k], rules.map_error) if felt else posts.doubt[k]
        std = max(std, rules.least_doubt)
        entry = rules.entry_speed
        if math.isnan(entry):
            entry = rules.blow / touch_damping(std / posts.reach[k])
        entry /= math.sqrt(square)  # of its own speed along and across itself
        distance = max(-inside - before - expected * std, 0.0)
        limit = min(limit, math.sqrt(entry * entry + 2 * rules.braking * distance))
        if inside > 0.0:
            # by the time that it is REACH behind it, the post has been searched where it is
            # expected, from one deviation clear of it
            passing = before * rules.search_speed / ((1.0 + expected) * std)
            if posts.searched[k] < -expected * std:  # searched in vain
                passing = min(passing, rules.slow_speed)
            limit = min(limit, passing)
    return limit
