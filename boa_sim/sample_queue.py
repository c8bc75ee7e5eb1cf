# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When samples of a sensor are taken, and when they arrive."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from boa_control.experiments.scenario import Effects
from boa_control.plant import Sample

T = TypeVar("T", bound=Sample)


class SampleQueue(Generic[T]):
    """When samples are taken, and when they arrive."""

    def __init__(self, rate: float, latency: float, effects: Effects) -> None:
        """`rate` in Hz and `latency` in s act where their effects are on; else every tick, at
        once.
        """
        self._period_ns = round(1e9 / rate) if effects.on("sensor_rate") else 0
        self._latency_ns = round(latency * 1e9) if effects.on("sensor_latency") else 0
        self.reset()

    def reset(self) -> None:
        """Drop all samples."""
        self._due_ns: int | None = None
        self._waiting: deque[T] = deque()
        self._newest: T | None = None

    def due(self, now_ns: int) -> bool:
        """Whether a SYNC takes a sample at this tick."""
        return self._due_ns is None or now_ns >= self._due_ns

    def push(self, sample: T) -> None:
        """Send off the sample of this tick."""
        if self._latency_ns > 0:
            self._waiting.append(sample)
        else:
            self._newest = sample
        due = sample.stamp_ns if self._due_ns is None else self._due_ns
        self._due_ns = due + max(self._period_ns, 1)
        if self._due_ns <= sample.stamp_ns:  # slower ticks than samples: one sample per tick
            self._due_ns = sample.stamp_ns + 1

    def newest(self, now_ns: int) -> T | None:
        """The newest sample that has arrived by now."""
        while self._waiting and self._waiting[0].stamp_ns + self._latency_ns <= now_ns:
            self._newest = self._waiting.popleft()
        return self._newest
