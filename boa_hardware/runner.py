# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who calls the servo loop and the spine: threads at absolute times; in tests, simulated time. How
punctual a cyclic loop is.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

import numpy as np

from boa_control.plant import PlantError
from boa_hardware import realtime
from boa_hardware.servo.pace import Ticker
from boa_hardware.spine.bus import SpineBus

WINDOW = 4000  # ticks, newest, of the percentiles


class Runner(Protocol):
    """Runs the cyclic work of a robot plant."""

    @property
    def stats(self) -> LoopStats:
        """Punctuality of the servo loop."""

    def start(self, tick: Callable[[], None], period: float, spine: SpineBus | None) -> None:
        """Call `tick` every `period` s and let the spine cycle (None: `tick` does that itself)."""

    def wait(self, ready: Callable[[], bool], timeout: float) -> bool:
        """Wait until `ready()`, checked after every tick, for at most `timeout` s; the last value
        of `ready()`.

        Raises:
            PlantError: the loop has ended by an error.
        """

    def reset_stats(self) -> None:
        """Count punctuality from now on."""

    def stop(self) -> None:
        """End the cyclic work. Never raises; may be called twice."""


class ThreadRunner:
    """A thread for the servo bus; the spine has its own. Both wait for absolute times of
    CLOCK_MONOTONIC.

    Args:
        priority: SCHED_FIFO priority to request; 0: none.
    """

    def __init__(self, priority: int = 0) -> None:
        self._priority = priority
        self._ticked = threading.Condition()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._spine: SpineBus | None = None
        self._error: str | None = None
        self.stats = LoopStats(1.0)

    def start(self, tick: Callable[[], None], period: float, spine: SpineBus | None) -> None:
        """See Runner."""
        self.stats = LoopStats(period)
        self._spine = spine
        self._thread = threading.Thread(
            target=self._run, args=(tick, period), name="servo bus", daemon=True
        )
        with realtime.priority(self._priority):
            if spine is not None:
                spine.start()
            self._thread.start()

    def _run(self, tick: Callable[[], None], period: float) -> None:
        ticker = Ticker(period)
        try:
            while not self._stop.is_set():
                late_ns = ticker.wait()
                begin = time.monotonic_ns()
                tick()
                self.stats.add(late_ns, time.monotonic_ns() - begin)
                with self._ticked:
                    self._ticked.notify_all()
        except Exception as error:  # the tick has switched torque off; the owner is told by `wait`
            self._error = f"{type(error).__name__}: {error}"
            with self._ticked:
                self._ticked.notify_all()

    def reset_stats(self) -> None:
        """Count from now on."""
        self.stats = LoopStats(self.stats.period)

    def wait(self, ready: Callable[[], bool], timeout: float) -> bool:
        """See Runner."""
        with self._ticked:
            done = self._ticked.wait_for(lambda: self._error is not None or ready(), timeout)
        if self._error is not None:
            raise PlantError(
                f"servo bus: internal error, the thread has ended: {self._error}; start the "
                f"plant again"
            )
        return done

    def stop(self) -> None:
        """See Runner."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=5.0)
        self._thread = None
        if self._spine is not None:
            self._spine.close()


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
