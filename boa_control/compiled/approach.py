"""How fast the leading end may come to posts that are not known well, as compiled loops; constants
are those of `hoal.speed_limit`.
"""

from __future__ import annotations

import math
from typing import Any

from boa_control.compiled import compiled

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


@compiled(
    "f8(f8, i8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], i8, i8, f8, f8, f8, f8, f8, c16,"
    " f8, f8, f8, f8, f8, f8, f8)"
)
def approach_speed(
    limit: float,
    link: Any,
    inside: Any,
    reach: Any,
    level: Any,
    doubt: Any,
    searched: Any,
    direction: int,
    links: int,
    map_error: float,
    entry_speed: float,
    blow: float,
    braking: float,
    swing: float,
    leading: complex,
    unfelt: float,
    before: float,
    behind: float,
    expected: float,
    least_doubt: float,
    search_speed: float,
    slow_speed: float,
) -> float:
    """The speed along the path, m/s, at most `limit`, for the posts that the leading end has yet to
    meet, or to pass without having felt them.

    Args:
        link, inside, reach: of the contacts, as in `ContactSet`.
        level, doubt, searched, swing, leading: as of `SpeedLimit.update`.
        direction: 1: the head leads; -1: the tail. links: of the chain.
        map_error: standard deviation of places of the map, m.
        entry_speed: at which a post may be met, m/s; NaN: that of which the first touch gives the
            force `blow`, N.
        braking: m/s2, with which the robot slows down before a post.
        unfelt: `level` up to which a contact is not felt. before, behind: REACH and
            SEARCH_DISTANCE, m; the others: as there.
    """
    across = leading.imag
    along_square = max(leading.real**2, 1.0 - across**2)  # not slower than the path
    square = along_square + across**2
    for k in range(link.size):
        leads = link[k] > links // 2 if direction > 0 else link[k] < links - 1 - links // 2
        # one that is felt before the body is beside it stands on the tip
        if not leads or inside[k] >= behind or (level[k] > unfelt and inside[k] >= 0.0):
            continue
        # one that presses on the tip stands elsewhere than was believed
        std = max(doubt[k], map_error) if level[k] > unfelt else doubt[k]
        std = max(std, least_doubt)
        entry = entry_speed
        if math.isnan(entry):
            entry = blow / touch_damping(std / reach[k])
        # both together meet the post: |speed leading + i swing| = entry
        aside = min(max(swing, -entry / math.sqrt(2.0)), entry / math.sqrt(2.0))
        whole = math.sqrt(square * entry * entry - along_square * aside * aside) - across * aside
        entry = min(whole / square, entry / math.sqrt(square))
        distance = max(-inside[k] - before - expected * std, 0.0)
        limit = min(limit, math.sqrt(entry * entry + 2 * braking * distance))
        if inside[k] > 0.0:
            # by the time that it is REACH behind it, the post has been searched where it is
            # expected, from one deviation clear of it
            passing = before * search_speed / ((1.0 + expected) * std)
            if searched[k] < -expected * std:  # searched in vain
                passing = min(passing, slow_speed)
            limit = min(limit, passing)
    return limit
