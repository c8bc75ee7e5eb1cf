# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How many times as fast as it seeks its way the head goes on ground that it knows."""

RISE, FALL = 2.0, 4.0  # 1/s
BEYOND = 0.05  # m of track past where it began or turned back, from which it is fast


class Haste:
    """Times the speed, and its limits.

    Attributes:
        times: 1 where the head seeks its way, and where it went back.
    """

    def __init__(self, most: float, period: float) -> None:
        """`most`: on known ground. `period` of its calls, s."""
        self._most, self._period = most, period
        self.reset()

    def reset(self) -> None:
        """The robot stands."""
        self.times = 1.0
        self._slowly_to: float | None = None

    def update(self, s: float, known: bool, back: bool) -> float:
        """Go on by a period; the times.

        Args:
            s: place of the head on its track, m. known: the ground before it. back: it goes back.
        """
        if self._slowly_to is None:
            self._slowly_to = s + BEYOND
        if back:
            self._slowly_to = max(self._slowly_to, s + BEYOND)
        wanted = self._most if known and not back and s > self._slowly_to else 1.0
        most, least = self.times + RISE * self._period, self.times - FALL * self._period
        self.times = min(max(wanted, least), most)
        return self.times
