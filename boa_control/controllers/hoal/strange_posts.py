"""What presses on the body although no planned post stands there."""

from __future__ import annotations

from boa_control.controllers.hoal import bands
from boa_control.controllers.hoal.caution import Signals
from boa_control.controllers.hoal.steering import Travel

FREE_WAY = 0.03  # m on the way back, on which what it ran into may still press


class StrangePosts:
    """Remembers on which links something unplanned has pressed, and for how long it does.

    Attributes:
        pressing: s, for which something unplanned has pressed on a robot that goes on.
        leaving: m left of the way back on which what the robot ran into may still press.
    """

    def __init__(self, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._period = period
        self.reset()

    def reset(self) -> None:
        """Nothing has pressed."""
        self.pressing = self.leaving = 0.0
        self._left = 0  # direction in which what it leaves was run into
        self._links: set[int] = set()  # from 0, on which something has pressed
        self._told: list[int] = []

    @property
    def any(self) -> bool:
        """Something unplanned has pressed."""
        return bool(self._links)

    def leave(self, direction: int) -> None:
        """The robot goes back from what it ran into, going in a direction, 1 or -1."""
        self.leaving, self._left = FREE_WAY, direction

    def link(
        self, now: Signals, moved: float, travel: Travel, standing: bool
    ) -> tuple[int, str] | None:
        """Use one tick; the link, from 0, on which something unplanned presses, and its side.

        Args:
            moved: way of this tick along the path, m. standing: the robot has stopped; on an exact
                map the first strange post pushes its body against posts of the map then.
        """
        returning = travel.direction == travel.goal == self._left
        self.leaving = 0.0 if returning else max(self.leaving - moved, 0.0)
        if self.leaving or (now.exact and standing):
            return None
        return bands.strange_link(now, bands.SLOW)

    def count(self, presses: bool) -> None:
        """Use one tick of a robot that goes on."""
        self.pressing = self.pressing + self._period if presses else 0.0

    def tell(self, link: int, again: bool) -> bool:
        """Something presses on a link, from 0; whether it is the first time.

        Args:
            again: a post that the map lacks is to be located, for which every tick counts.
        """
        first = link not in self._links
        if first or again:
            self._told.append(link)
        self._links.add(link)
        return first

    def pop(self) -> tuple[int, ...]:
        """Links told since the last call, from 0."""
        links, self._told = tuple(self._told), []
        return links
