"""Whether the joints give the torque that is asked for.

They do not before the robot is armed, after ~/disarm, and while the torque gate withholds commands that come late. A
controller that goes on integrating meanwhile pushes with all it has when the torque returns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TELLING = 0.2  # N m, norm over the joints; less than this says nothing
LEAST_SHARE = 0.5  # of the asked torque
PATIENCE = 0.03  # s that a measured torque may lag behind


class Outage:
    """Compares what was asked with what is measured.

    Attributes:
        present: the torque has been away for longer than it can lag behind.
        began: it is present since the newest sample.
    """

    def __init__(self, longest_gap: float) -> None:
        """`longest_gap`: between two samples, s; a controller that was away for longer has let the torque fade."""
        self._longest_gap = longest_gap
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.present = self.began = False
        self._asked: Array | None = None
        self._newest_ns: int | None = None
        self._given_ns = 0

    def ask(self, torque: Array) -> Array:
        """Note the torque, (n_joints,), N m, that this tick asks for, and return it."""
        self._asked = torque
        return torque

    def look(self, stamp_ns: int, effort: Array) -> bool:
        """Take in the torque, (n_joints,), N m, measured at `stamp_ns`; True while it stays away."""
        before, was_away = self._newest_ns, self.present
        self._newest_ns = stamp_ns
        if before is None or not self._missing(effort):
            self._given_ns = stamp_ns
        absent = before is not None and stamp_ns - before > self._longest_gap * 1e9
        self.present = absent or stamp_ns - self._given_ns > PATIENCE * 1e9
        self.began = self.present and not was_away
        return self.present

    def _missing(self, effort: Array) -> bool:
        asked = self._asked
        if asked is None:
            return False
        size = float(asked.dot(asked))
        return size > TELLING**2 and float(effort.dot(asked)) < LEAST_SHARE * size
