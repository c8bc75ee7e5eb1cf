"""Run the benchmarks and show them."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from boa_tools.bench import buses, control, messages
from boa_tools.bench.result import Result, reference_time

GROUPS: dict[str, Callable[[], Iterator[Result]]] = {
    "controllers": control.controllers,
    "run": control.whole_run,
    "physics": control.physics,
    "messages": messages.messages,
    "bag": messages.bag,
    "servo": buses.servo_cycle,
    "spine": buses.spine_decode,
    "plant": buses.plant,
}


def run_groups(names: Sequence[str], show: Callable[[str], None]) -> dict[str, Any]:
    """Run groups of benchmarks.

    Args:
        names: of `GROUPS`.
        show: gets each line of the table as soon as it is known.

    Returns:
        Machine, time of the reference workload, and every result with its ratio to it.
    """
    before = reference_time()
    results: list[Result] = []
    show(f"{'benchmark':<26}{'median us':>11}{'99 % us':>11}{'ratio':>9}  what")
    for name in names:
        for result in GROUPS[name]():
            results.append(result)
            show(line(result, float(np.median(before))))
    reference = float(np.median(np.concatenate((before, reference_time()))))
    show(
        f"{'reference':<26}{reference:>11.1f}{'':>11}{1:>9.3f}  fixed workload; ratios are "
        f"comparable between machines"
    )
    return {
        "machine": {"system": platform.platform(), "python": platform.python_version()},
        "reference_us": reference,
        "results": [asdict(result) | {"ratio": result.p50_us / reference} for result in results],
    }


def line(result: Result, reference: float) -> str:
    """One line of the table."""
    times = f"{result.p50_us:>11.1f}{result.p99_us:>11.1f}{result.p50_us / reference:>9.3f}"
    wish = ""
    if result.target_us is not None:
        wish = (
            f"; target {result.target_us:g} us "
            f"{'met' if result.p50_us <= result.target_us else 'MISSED'}"
        )
    return f"{result.name:<26}{times}  {result.what}{wish}"
