# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How punctual a cyclic loop is."""

from __future__ import annotations

from collections import deque

import numpy as np

WINDOW = 4000  # ticks, newest, of the percentiles


class LoopStats:
    """Counts ticks and lateness. Written by one thread, read by others.

    Args:
        period: s; a tick that is woken more than this late counts as late.
    """

    def __init__(self, period: float) -> None:
        self.period = period
        self.ticks = 0
        self.late = 0
        self._wake_us: deque[float] = deque(maxlen=WINDOW)
        self._work_us: deque[float] = deque(maxlen=WINDOW)

    def add(self, late_ns: int, work_ns: int) -> None:
        """Note one tick: how late it began and how long it took, ns."""
        self.ticks += 1
        late_us = late_ns * 1e-3
        self.late += late_us > self.period * 1e6
        self._wake_us.append(late_us)
        self._work_us.append(work_ns * 1e-3)

    @property
    def late_share(self) -> float:
        """Share of all ticks that were late by more than one period."""
        return self.late / self.ticks if self.ticks else 0.0

    def numbers(self) -> dict[str, float]:
        """Percentiles over the last ticks, us, and counts, by name."""
        wake, work = np.array(self._wake_us), np.array(self._work_us)
        if not len(wake) or not len(work):
            return {"bus_ticks": 0.0}
        return {
            "bus_ticks": float(self.ticks),
            "bus_late": float(self.late),
            "bus_wake_us_p50": float(np.percentile(wake, 50)),
            "bus_wake_us_p99": float(np.percentile(wake, 99)),
            "bus_work_us_p50": float(np.percentile(work, 50)),
            "bus_work_us_p99": float(np.percentile(work, 99)),
        }
