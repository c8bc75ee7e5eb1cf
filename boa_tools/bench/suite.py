# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run the benchmarks and show them."""

import platform
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from boa_description.arrays import Array
from boa_tools.bench import (
    buses,
    control,
    engines,
    launch,
    learning,
    messages,
    physics,
    startup,
    view,
)
from boa_tools.bench.result import Ratios, Result, reference_time

GROUPS: dict[str, Callable[[], Iterator[Result]]] = {
    "controllers": control.controllers,
    "chains": control.chains,
    "run": control.whole_run,
    "startup": startup.first_tick,
    "physics": control.physics,
    "engines": engines.engines,
    "messages": messages.messages,
    "bag": messages.bag,
    "servo": buses.servo_cycle,
    "spine": buses.spine_decode,
    "plant": buses.plant,
    "launch": launch.lockstep,
    "view": view.live_view,
}
# these last as long as one likes, and run only when they are named
TIMED: dict[str, Callable[[float], Iterator[Result]]] = {
    "real_time": launch.real_time,
    **{f"real_time_{rate}": partial(launch.real_time, rates=(rate,)) for rate in launch.RATES},
    "robot": launch.robot,
    "viewed": view.viewed_launch,
    "gym": learning.environment,
    **{f"robot_{load}": partial(launch.robot, loads=(load,)) for load in launch.LOADS},
}
SECONDS = 20.0  # of each run of the timed groups


def run_groups(
    names: Sequence[str], show: Callable[[str], None], seconds: float = SECONDS
) -> dict[str, Any]:
    """Run groups of benchmarks.

    Args:
        names: of `GROUPS` and `TIMED`.
        show: gets each line of the table as soon as it is known.
        seconds: length of each run of the timed groups.

    Returns:
        Machine, times of `mj_step` and of a fixed workload, and every result with its ratios to
        them. Both are measured right before and after each result: a machine whose host is busy
        is slower for some seconds, by half. Runs are measured in turns with both (`turns`).
    """
    clock = UnitClock()
    results: list[dict[str, Any]] = []
    show(f"{'benchmark':<26}{'median us':>11}{'99 % us':>11}{'mj_steps':>10}{'ratio':>9}  what")
    for name in names:
        for result in TIMED[name](seconds) if name in TIMED else GROUPS[name]():
            unit = clock.unit()
            results.append(
                {
                    "name": result.name,
                    "what": result.what,
                    "p50_us": result.p50_us,
                    "p99_us": result.p99_us,
                    "target_us": result.target_us,
                    **ratios(result, unit)._asdict(),
                }
            )
            show(line(result, unit))
    unit = clock.overall()
    for name, us, what in (
        ("mj_step", unit.mj_step_us, "MuJoCo alone, 13 links on boa_circle"),
        ("reference", unit.reference_us, "fixed workload; ratios compare between machines"),
    ):
        show(line(Result(name, what, us, np.nan), unit))
    return {
        "machine": {"system": platform.platform(), "python": platform.python_version()},
        "mj_step_us": unit.mj_step_us,
        "reference_us": unit.reference_us,
        "results": results,
    }


class Unit(NamedTuple):
    """Times to which others are compared, us: one `mj_step`, and the fixed workload."""

    mj_step_us: float
    reference_us: float


class UnitClock:
    """Measures the units again and again."""

    def __init__(self) -> None:
        self._step = physics.StepClock()
        self._steps: list[Array] = []
        self._references: list[Array] = []
        self._measure()

    def unit(self) -> Unit:
        """Medians of the measurement before this one and of one made now."""
        self._measure()
        return _medians(self._steps[-2:], self._references[-2:])

    def overall(self) -> Unit:
        """Medians of all measurements so far."""
        return _medians(self._steps, self._references)

    def _measure(self) -> None:
        self._steps.append(self._step.times())
        self._references.append(reference_time())


def _medians(steps: list[Array], references: list[Array]) -> Unit:
    return Unit(*(float(np.median(np.concatenate(times))) for times in (steps, references)))


def ratios(result: Result, unit: Unit) -> Ratios:
    """The median in units."""
    if result.in_turns is not None:
        return result.in_turns
    return Ratios(result.p50_us / unit.mj_step_us, result.p50_us / unit.reference_us)


def line(result: Result, unit: Unit) -> str:
    """One line of the table."""
    late = f"{result.p99_us:>11.1f}" if np.isfinite(result.p99_us) else f"{'':>11}"
    mj_steps, ratio = ratios(result, unit)
    times = f"{result.p50_us:>11.1f}{late}{mj_steps:>10.2f}{ratio:>9.3f}"
    wish = ""
    if result.target_us is not None:
        wish = (
            f"; target {result.target_us:g} us "
            f"{'met' if result.p50_us <= result.target_us else 'MISSED'}"
        )
    return f"{result.name:<26}{times}  {result.what}{wish}"
