"""For how long fewer posts are measured than can hold the robot."""

from __future__ import annotations

from boa_control.controllers.hoal.caution import Signals
from boa_control.controllers.hoal.engagement import APPROACH, TOUCH_FORCE
from boa_control.controllers.hoal.post_search import MARGIN, SEARCH_LIMIT
from boa_control.controllers.hoal.startup import may_hold
from boa_description.robot import Robot
from boa_description.scene import GRAVITY

FEW_TIME = 0.1  # s with fewer measured than `may_hold`, after which the robot is slow
LOST_TIME = 0.3  # s of the same, after which it is lost
FEEL_TIME = 1.0  # s, after which posts must be measured again that were not pressed
CLOSING_CONTACTS = 3  # fewer than that, at the start, balance nothing
CLOSING_TIME = 2.0  # s of the same, once the others are pressed enough to be measured
NEARING = 0.002  # m/s; a body that nears a post so fast while it closes is on its way to it


class FewMeasured:
    """Counts the time with too few."""

    def __init__(
        self, robot: Robot, friction: float, period: float, map_error: float = 0.0
    ) -> None:
        """`friction`: of the floor, Coulomb; up to it a post is pressed in vain. `period`: of the
        control ticks, s. `map_error`: expected offset of a post, standard deviation, m.
        """
        self._farthest = SEARCH_LIMIT * map_error + MARGIN  # m, that a first post may stand off
        self._measurable = TOUCH_FORCE + friction * robot.link.mass * GRAVITY  # N
        self._period = period
        self.reset()

    def reset(self) -> None:
        """No time has passed."""
        self._way = 0.0  # m, for which it has neared posts without hold
        self._time = 0.0  # s; below 0 while posts that were not pressed are felt again

    @property
    def doubtful(self) -> bool:
        """For so long that the robot has to be slow."""
        return self._time >= FEW_TIME

    @property
    def lost(self) -> bool:
        """For so long that the contact model is wrong."""
        return self._time >= LOST_TIME

    def count(self, now: Signals, share: float) -> None:
        """Use one tick under way. Posts that are pressed no more, because together they do not hold
        the robot, cannot be measured, and take a while to be felt again.

        Args:
            share: of the contact forces that may be desired, 0 to 1.
        """
        if not now.absent.size and share * now.pressed < self._measurable:
            self._time = -FEEL_TIME
        elif may_hold(now.touching, now.contacts):
            self._time = 0.0
        else:
            self._time += self._period

    def gives_up_closing(self, now: Signals) -> bool:
        """Use one tick while the robot closes on its first posts, or the first one after; whether
        they do not hold it: it would gather momentum. At first posts at their places are pressed
        too gently to be measured; meanwhile a robot that stands still waits.
        """
        held = now.touching >= CLOSING_CONTACTS
        self._way = 0.0 if held else self._way + self._period * now.drift
        strayed = self._way > self._farthest
        # it is on its way to the next post
        nearing = now.drift > NEARING and not strayed
        pressed = APPROACH * now.pressed >= self._measurable or (now.touching > 0 and strayed)
        few = pressed and not (held or nearing)
        self._time = self._time + self._period if few else 0.0
        ended = not now.closing and not may_hold(now.touching, now.contacts)  # by its time
        return self._time >= CLOSING_TIME or ended
