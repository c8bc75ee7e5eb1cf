"""What the command line shows while it works and when it is done."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from tqdm import tqdm


@contextmanager
def progress_bar(name: str, seconds: float) -> Iterator[Callable[[float], None]]:
    """Show a bar of simulated time with the speed as a multiple of real time; yields what moves it."""
    form = "{l_bar}{bar}| {n:.1f} of {total:.1f} s simulated{postfix}, {remaining} left"
    with tqdm(total=seconds, desc=name, bar_format=form, mininterval=0.2) as bar:

        def move(time: float) -> None:
            speed = bar.format_dict["rate"]
            if speed:
                bar.set_postfix_str(f"{speed:.1f} x real time", refresh=False)
            bar.update(time - bar.n)

        yield move


@contextmanager
def stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C into a request to stop at the next tick (the second one interrupts as usual)."""
    asked = []

    def ask(number: int, _: FrameType | None) -> None:
        asked.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)


# metric -> (label, factor, unit) of the summary
SUMMARY: tuple[tuple[str, str, float, str], ...] = (
    ("path_progress_m", "progress", 1.0, "m"),
    ("mean_speed_mps", "mean speed", 1e3, "mm/s"),
    ("head_path_error_rms_m", "head error (rms)", 1e3, "mm"),
    ("config_error_rms_rad", "shape error (rms)", 57.29577951308232, "deg"),
    ("force_error_rms_n", "force error (rms)", 1.0, "N"),
    ("force_reference_n", "force reference (rms)", 1.0, "N"),
    ("contacts_min", "fewest contacts", 1.0, ""),
    ("contact_chatter_fraction", "chatter", 100.0, "% of contact time"),
    ("form_closure_fraction", "form closure", 100.0, "% of the time"),
    ("torque_peak_nm", "peak torque", 1.0, "N m"),
    ("joint_force_peak_n", "peak joint force", 1.0, "N"),
    ("control_step_us_p50", "control step (median)", 1.0, "us"),
    ("real_time_factor", "speed of the run", 1.0, "x real time"),
    ("gate_trips", "gate trips", 1.0, ""),
)


def summary(metrics: Mapping[str, Any]) -> str:
    """The main metrics as a small table; what does not apply is left out."""
    lines = ["completed" if metrics["completed"] else "NOT completed"]
    for key, label, factor, unit in SUMMARY:
        value = metrics.get(key)
        if value is not None:
            lines.append(f"  {label:<24}{value * factor:>10.4g} {unit}".rstrip())
    return "\n".join(lines)
