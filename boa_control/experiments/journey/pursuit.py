# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the goals stand that somebody has set, whichever way they came: a table."""

from collections import deque
from collections.abc import Iterable
from enum import Enum

from boa_control.experiments.journey.believed_map import BelievedMap
from boa_control.experiments.journey.parts import Goal
from boa_control.planning.post_map import check_place, map_of
from boa_description.errors import BoaError

REACH = 0.5  # m from a post, up to which a goal makes sense


class Standing(Enum):
    """How goals stand; the last three are final."""

    PURSUED = "pursued"
    CANCELLING = "given up on request; the robot comes to rest"
    ARRIVED = "arrived"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Change(Enum):
    """What may happen to goals."""

    REACH = "arrived at the last one"
    FAIL = "nothing more can be done"
    REPLACE = "another goal has come"
    CANCEL = "cancelled"
    HOLD = "the robot stands and holds"


# what is not in the table changes nothing
TABLE: dict[tuple[Standing, Change], Standing] = {
    (Standing.PURSUED, Change.REACH): Standing.ARRIVED,
    (Standing.PURSUED, Change.FAIL): Standing.FAILED,
    (Standing.PURSUED, Change.REPLACE): Standing.FAILED,
    (Standing.PURSUED, Change.CANCEL): Standing.CANCELLING,
    (Standing.CANCELLING, Change.HOLD): Standing.CANCELLED,
    (Standing.CANCELLING, Change.REPLACE): Standing.CANCELLED,
    (Standing.CANCELLING, Change.FAIL): Standing.FAILED,
}
FINAL = frozenset({Standing.ARRIVED, Standing.FAILED, Standing.CANCELLED})


class Pursuit:
    """Goals that are pursued in turn, from when they are set to how that ends.

    Attributes:
        goals: the present one and those after it.
        at_once: what is found is followed without being told to, and who has set the goals is told
            where it cannot be.
        standing: see there. reason: of the newest change.
        recoveries: how often another way was planned, or the same one tried again.
    """

    def __init__(self, goals: Iterable[Goal] = (), at_once: bool = False) -> None:
        """Pursued from now on."""
        self.goals = deque(goals)
        self.at_once = at_once
        self.standing = Standing.PURSUED
        self.reason = ""
        self.recoveries = 0

    @property
    def over(self) -> bool:
        """Nothing changes any more."""
        return self.standing in FINAL

    def change(self, change: Change, reason: str = "") -> None:
        """Something happens; `reason` in words, where the change alone does not tell it."""
        after = TABLE.get((self.standing, change))
        if after is not None:
            self.standing, self.reason = after, reason or change.value


def require_sensible(goals: Iterable[Goal], world: BelievedMap | None) -> None:
    """Refuse goals without a map, inside a post or near none. Raises BoaError."""
    if world is None:
        raise BoaError("goal: there is no map yet; publish one, or start with map:=FILE")
    posts = map_of(world.obstacles)
    for goal in goals:
        check_place(posts, "goal", goal.x, goal.y, REACH)
