# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When the next picture is due."""

from __future__ import annotations

from boa_control.messages.cdr import SECOND

VIEW_RATE = 30.0  # Hz, of everything that is only drawn


class ViewClock:
    """Picks the ticks at which displays are published."""

    def __init__(self, rate: float = VIEW_RATE) -> None:
        """`rate` in Hz of the stamps' clock."""
        self._period_ns = round(SECOND / rate)
        self._last_ns: int | None = None
        self._next_ns = 0

    def due(self, stamp_ns: int) -> bool:
        """Whether this tick is one of them: the first, the first of every period, and the first
        after time has started again.
        """
        again = self._last_ns is None or stamp_ns < self._last_ns
        self._last_ns = stamp_ns
        if not again and stamp_ns < self._next_ns:
            return False
        self._next_ns = stamp_ns + self._period_ns
        return True
