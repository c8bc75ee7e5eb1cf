"""Whether the joints give the torque that is asked for.

They do not before the robot is armed, while the torque gate withholds commands that came late, and after ~/disarm. A
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
    """

    def __init__(self, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._patience = round(PATIENCE / period)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._asked: Array | None = None
        self._missing = 0

    @property
    def present(self) -> bool:
        """See class."""
        return self._missing > self._patience

    @property
    def began(self) -> bool:
        """It is present since this tick."""
        return self._missing == self._patience + 1

    def ask(self, torque: Array) -> Array:
        """Note the torque, (n_joints,), N m, that this tick asks for, and return it."""
        self._asked = torque
        return torque

    def look(self, effort: Array) -> bool:
        """Take in the measured torque, (n_joints,), N m; True while it stays away."""
        asked = self._asked
        if asked is None:
            return False
        size = float(asked.dot(asked))
        missing = size > TELLING**2 and float(effort.dot(asked)) < LEAST_SHARE * size
        self._missing = self._missing + 1 if missing else 0
        return self.present
