# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a robot does whose posts may stand elsewhere than the map says: one table of transitions.

Each tick asks the rows from top to bottom. A row whose states include the present one, and whose
guard finds something, changes the state; the rows below see the new one. A stop that passes ends
after a rest, one that stays with `reset`, a new path, or where the robot is sent back the way it
came. A robot that was lost with as many posts as balance a body, and lies still, takes hold of them
anew: it knows them better now. One with fewer is set in motion by pressing.

The rows stand in five groups, between which `MapSupervisor.update` tells of posts, limits forces
and counts the time of a stop. docs/drawings/supervision.py draws them.
"""

from collections.abc import Callable
from typing import NamedTuple

from boa_control.controllers.hoal.supervision import guards
from boa_control.controllers.hoal.supervision.reasons import Finding
from boa_control.controllers.hoal.supervision.watch import Watch
from boa_control.events import SupervisionState as State


class Row(NamedTuple):
    """One transition.

    Attributes:
        states: in which it applies. guard: finds why. to: the next state.
        why: the guard in a few words, for drawings. then: what else happens.
    """

    states: frozenset[State]
    guard: Callable[[Watch], Finding | None]
    to: State
    why: str
    then: Callable[[Watch], None] = Watch.proceed


GO = frozenset({State.GO})
SLOW = frozenset({State.SLOW})
BACK = frozenset({State.BACK})
STOPPED = frozenset({State.STOPPED})
LOST = frozenset({State.LOST})
AHEAD = GO | SLOW
MOVING = AHEAD | BACK
ANY = MOVING | STOPPED

# while it closes on its first posts, and one tick after
START = (
    Row(ANY, guards.few_at_start, State.LOST, "few posts at the start", Watch.rest),
    Row(ANY, guards.bent_at_start, State.LOST, "bent at the start", Watch.rest),
)
# under way, before what presses and what is not there is told
TRUST = (
    Row(GO, guards.outside, State.SLOW, "outside the first band"),
    Row(GO, guards.little_way, State.SLOW, "little way made"),
    Row(SLOW, guards.quiet_way, State.GO, "quiet way"),
)
# and after
WORSE = (
    Row(BACK, guards.held_again, State.STOPPED, "held again, or too far back", Watch.stay),
    Row(AHEAD, guards.runs_away, State.LOST, "no hold, fast", Watch.stay),
    Row(AHEAD, guards.unheld, State.BACK, "no hold, slow"),
    Row(STOPPED, guards.sent_back, State.SLOW, "sent back", Watch.leave),
    Row(ANY, guards.far_off, State.LOST, "far off", Watch.rest),
    Row(ANY, guards.unbalanced, State.LOST, "first posts do not hold it", Watch.rest),
    Row(ANY, guards.few_for_long, State.LOST, "few posts for long", Watch.rest),
    Row(MOVING, guards.not_located, State.STOPPED, "pressed, no way past it", Watch.stay),
    Row(MOVING, guards.misled, State.STOPPED, "posts taken for others", Watch.stay),
    Row(MOVING, guards.unmapped, State.STOPPED, "pressed, the map is exact", Watch.stay),
    Row(MOVING, guards.unplanned, State.STOPPED, "pressed, the map is in doubt", Watch.rest),
    Row(MOVING, guards.met_by_tip, State.STOPPED, "post met by the tip", Watch.rest),
    Row(MOVING, guards.blow, State.STOPPED, "outside the second band", Watch.rest),
)
# and once it is clear whether it shall get on
REST = (
    Row(MOVING, guards.stuck, State.STOPPED, "no way made", Watch.stay),
    Row(MOVING, guards.slips_back, State.STOPPED, "slips back", Watch.stay),
    Row(STOPPED, guards.swings, State.LOST, "does not stand still", Watch.stay),
    Row(STOPPED, guards.rested, State.SLOW, "rested after a blow"),
)
# of a lost robot
ANEW = (Row(LOST, guards.lies_still, State.GO, "lies still: takes hold anew", Watch.begin_anew),)
TABLE = START + TRUST + WORSE + REST + ANEW
