# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How much torque a servo can give at which joint speed."""

import math

import numpy as np

from boa_description.arrays import Array
from boa_description.robot import Actuator


class TorqueSpeedLine:
    """Equal servos whose torque falls in a straight line from the stall torque at rest to none at
    the no-load speed.

    So it is while they drive; braking, the full torque remains.

    Attributes:
        limit: the most they give at any speed, N m.
        stall: where the line begins at rest, N m.
        slope: how much less per joint speed, N m s.
    """

    def __init__(
        self, actuator: Actuator, joints: int, *, limit: float = math.inf, share: float = 1.0
    ) -> None:
        """`limit`: of the torque beside that of the motor, N m.

        `share`: of both that may be used, 0 to 1.
        """
        self.stall = share * actuator.torque_limit
        self.slope = self.stall / actuator.speed_limit
        self.limit = min(share * limit, self.stall)
        shape = (2, joints)  # in full, because broadcasting takes time at every call
        self._at_rest = np.full(shape, [[-self.stall], [self.stall]])
        self._least = np.full(shape, [[-self.limit], [0.0]])
        self._most = np.full(shape, [[0.0], [self.limit]])

    def bounds(self, velocity: Array) -> Array:
        """Least and largest torque at joint velocity (joints,), rad/s; shape (2, joints), N m."""
        line = self._at_rest - velocity * self.slope
        return np.minimum(np.maximum(line, self._least), self._most)

    def clip(self, torque: Array, velocity: Array) -> Array:
        """`torque` (joints,), N m, cut to the bounds at joint velocity (joints,), rad/s."""
        least, most = self.bounds(velocity)
        return np.minimum(np.maximum(torque, least), most)
