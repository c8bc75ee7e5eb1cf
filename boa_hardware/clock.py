# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Time of the robot: monotonic inside, one conversion to ROS time at the boundary."""

import time
from collections.abc import Callable

Nanoseconds = Callable[[], int]


class RobotClock:
    """Converts CLOCK_MONOTONIC to ROS time with an offset that is taken once.

    A step of the wall clock (NTP, a user) therefore changes no stamp and no age: stamps go on from
    the wall time at which the plant was opened.

    Args:
        monotonic_ns: never runs back.
        wall_ns: ns since 1970; read once.
    """

    def __init__(
        self, monotonic_ns: Nanoseconds = time.monotonic_ns, wall_ns: Nanoseconds = time.time_ns
    ) -> None:
        self.monotonic_ns = monotonic_ns
        self._offset_ns = wall_ns() - monotonic_ns()

    def now_ns(self) -> int:
        """Present ROS time, ns."""
        return self.stamp_ns(self.monotonic_ns())

    def stamp_ns(self, monotonic_ns: int) -> int:
        """ROS time of a monotonic time, ns."""
        return monotonic_ns + self._offset_ns
