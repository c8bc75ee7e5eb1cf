"""How gently posts are pressed where the map may be wrong: the share of the contact forces that may
be desired.
"""

from __future__ import annotations

from boa_control.controllers.hoal.bands import LEAST_HOLD
from boa_control.controllers.hoal.caution import Signals

# m/s, at which the body nears a post while it closes on its first ones: between the two it is
# pressed less and less, and no more at all above. A post struck at 0.02 gives 25 N in a joint
CALM_DRIFT, MOST_DRIFT = 0.008, 0.02
SLOW_SHARE = 0.6  # of the forces, unless trusted
LEAST_SHARE = 0.02  # of the forces, where nothing holds the robot: more would set it in motion
SHARE_TIME = 0.05  # s, time constant with which the forces follow the hold


class ForceShare:
    """Less where the body nears its first posts too fast, and where its posts hold it badly."""

    def __init__(self, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._blend = period / (period + SHARE_TIME)
        self.reset()

    def reset(self) -> None:
        """The full forces."""
        self._calm = self._hold = 1.0

    def go_on_from(self, before: ForceShare) -> None:
        """On a new path the posts hold the robot as well as before."""
        self._hold = before._hold

    def value(self, trusted: bool) -> float:
        """The share, 0 to 1. `trusted`: the contact model is."""
        return self._calm * self._hold * (1.0 if trusted else SLOW_SHARE)

    def calm(self, now: Signals) -> None:
        """Use how fast the body nears its first posts while it closes on them."""
        reserve = (MOST_DRIFT - now.drift) / (MOST_DRIFT - CALM_DRIFT)
        self._calm = min(max(reserve, 0.0), 1.0) if now.closing else 1.0

    def follow(self, hold: float) -> None:
        """Use one tick of `Signals.hold`, 0 to 1."""
        share = 1.0 if hold >= LEAST_HOLD else max(hold / LEAST_HOLD, LEAST_SHARE)
        if self._hold != share:
            self._hold += self._blend * (share - self._hold)
