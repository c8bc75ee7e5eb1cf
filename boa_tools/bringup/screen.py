"""Screen of `boa launch`: the nodes' lines with their names before them, and one progress bar."""

from __future__ import annotations

import re
import sys
from time import monotonic
from typing import Any

from tqdm import tqdm

PROGRESS = re.compile(r"progress (?P<time>[\d.]+)(?: of (?P<goal>[\d.e+]+))? s(?:, (?P<speed>.+))?")
PROGRESS_LINE_PERIOD = 10.0  # s, where there is no terminal to draw a bar on


class Screen:
    """Prints lines with the node's name before them, and progress lines as a bar."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._bar: Any = None
        self._next_line = 0.0
        self._over = False

    def show(self, name: str, line: str) -> None:
        """Show a line that a node has printed."""
        progress = PROGRESS.fullmatch(line)
        if progress is None:
            tqdm.write(f"[{name:<{self._width}}] {line}", file=sys.stdout)
            sys.stdout.flush()
        elif self._over:
            return
        elif sys.stderr.isatty():
            self._draw(float(progress["time"]), progress["goal"], progress["speed"] or "")
        elif monotonic() >= self._next_line:
            self._next_line = monotonic() + PROGRESS_LINE_PERIOD
            print(f"[{name:<{self._width}}] {line}", flush=True)

    def say(self, text: str) -> None:
        """Say something ourselves."""
        tqdm.write(f"boa launch: {text}", file=sys.stderr)

    def _draw(self, time: float, goal: str | None, speed: str) -> None:
        if self._bar is None:
            form = "{l_bar}{bar}| {n:.1f}/{total:.1f} s{postfix}" if goal else "{n:.1f} s{postfix}"
            self._bar = tqdm(
                total=float(goal) if goal else None, desc="run", bar_format=form, leave=True
            )
        self._bar.set_postfix_str(speed, refresh=False)
        self._bar.update(time - self._bar.n)
        self._bar.refresh()

    def end_progress(self) -> None:
        """Leave the bar where it is, and draw no other."""
        self._over = True
        if self._bar is not None:
            self._bar.close()
            self._bar = None
