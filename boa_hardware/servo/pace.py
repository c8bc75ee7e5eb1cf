# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ticks at absolute times of CLOCK_MONOTONIC."""

import time


class Ticker:
    """Waits for the next tick; a late tick does not move the ones after it, and lost ticks are not
    made up for.

    Args:
        period: s.
    """

    def __init__(self, period: float) -> None:
        self._period_ns = round(period * 1e9)
        self._next_ns = time.monotonic_ns() + self._period_ns

    def wait(self) -> int:
        """Sleep until the next tick and return how late it is woken, ns. After a stall of more than
        a period the ticks go on from now.
        """
        remaining = self._next_ns - time.monotonic_ns()
        if remaining > 0:
            time.sleep(remaining * 1e-9)
        late = time.monotonic_ns() - self._next_ns
        self._next_ns += self._period_ns * (1 + late // self._period_ns)
        return late
