# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether posts hold the robot where it lies: pressed against fewer than close a body, it would
slide off and strike others.
"""

from collections.abc import Callable

from boa_control.events import Event, EventKind, Refused, listed
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState
from boa_control.paths.path import PlannedPath, point_at


def touching(schedule: ContactSchedule, state: PathState) -> ContactSet:
    """The posts of the map that the body touches at a place."""
    planned = schedule.at(state)
    return planned.select(planned.activation > 0.0)


class HoldCheck:
    """Judges the first contacts, once.

    Attributes:
        refused: they do not hold the robot.
    """

    def __init__(
        self, path: PlannedPath, schedule: ContactSchedule, slides: bool, closure: int
    ) -> None:
        """`slides`: nothing else than posts holds it; else it measures whether its posts do, or
        friction does. `closure`: contacts that close a body.
        """
        self._curve, self._names = path.curve, path.names
        self._schedule = schedule
        self._needed = closure if slides else 0
        self.reset()

    def reset(self) -> None:
        """Nothing has been judged."""
        self._judged = self.refused = False

    def judge(self, state_at: Callable[[float], PathState], s: float) -> tuple[Event, ...]:
        """Judge the place where the robot lies, at a path coordinate, m; what is told of it."""
        if self._judged:
            return ()
        self._judged = True
        held = touching(self._schedule, state_at(s))
        self.refused = held.link.size < self._needed
        if not self.refused:
            return ()
        x, y = place = point_at(self._curve, s)
        posts = listed(held.post.tolist(), self._names)
        note = (
            f"at ({x:.2f}, {y:.2f}) it touches {held.link.size} posts ({posts}), and "
            f"{self._needed} are needed to hold it; start elsewhere (initial.progress), or stand "
            "more posts there"
        )
        event = Event(
            kind=EventKind.START_REFUSED,
            reason=Refused.NO_HOLD,
            value=float(held.link.size),
            s=s,
            place=place,
            note=note,
        )
        return (event,)
