# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One benchmark's result, and how times are taken."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter_ns
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array


class Ratios(NamedTuple):
    """A time in units: of one `mj_step`, and of the fixed workload."""

    mj_steps: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Result:
    """A measured time.

    Attributes:
        name: stable, e.g. "control_step/hoal/boa_circle".
        what: for people.
        p50_us, p99_us: median and 99th percentile, us.
        target_us: what the median should stay below on an idle machine; None where there is no such
            wish.
        in_turns: the median in units, where both were measured in turns; None: the units are to be
            measured before and after.
    """

    name: str
    what: str
    p50_us: float
    p99_us: float
    target_us: float | None = None
    in_turns: Ratios | None = None


def from_times(name: str, what: str, times_us: Array, target_us: float | None = None) -> Result:
    """The result of many measured times."""
    p50, p99 = np.percentile(times_us, [50, 99])
    return Result(name, what, float(p50), float(p99), target_us)


def time_calls(call: Callable[[], object], repeats: int, per_call: int = 1) -> Array:
    """Times of `repeats` calls, us; divided by `per_call` where one call does several things."""
    times = np.zeros(repeats)
    for k in range(-max(1, repeats // 20), repeats):  # the first ones warm up
        before = perf_counter_ns()
        call()
        spent = perf_counter_ns() - before
        if k >= 0:
            times[k] = spent
    return times * (1e-3 / per_call)


def reference_time() -> Array:
    """Times of the fixed workload, us."""
    return time_calls(reference_work(), 400)


def reference_work() -> Callable[[], float]:
    """The fixed workload: dense algebra and Python calls, like a control step."""
    generator = np.random.default_rng(0)
    square = generator.normal(size=(15, 15)) + 15 * np.eye(15)
    right = generator.normal(size=15)

    def work() -> float:
        total = 0.0
        for _ in range(10):
            x = np.linalg.solve(square, right)
            total += float(x @ (square.T @ x)) + float(np.cumsum(np.cos(x))[-1])
        return total

    return work
