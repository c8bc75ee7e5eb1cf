# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Screen of `boa launch`: the nodes' lines with their names before them, and one progress bar."""

import sys
from time import monotonic
from typing import Any

from tqdm import tqdm

from boa_control.messages.progress import Progress, read_progress

ENDLESS, WITH_END = "{n:.1f} s{postfix}", "{l_bar}{bar}| {n:.1f}/{total:.1f} s{postfix}"
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
        progress = read_progress(line)
        if progress is None:
            tqdm.write(f"[{name:<{self._width}}] {line}", file=sys.stdout)
            sys.stdout.flush()
        elif self._over:
            return
        elif sys.stderr.isatty():
            self._draw(progress)
        elif monotonic() >= self._next_line:
            self._next_line = monotonic() + PROGRESS_LINE_PERIOD
            print(f"[{name:<{self._width}}] {progress}", flush=True)

    def say(self, text: str) -> None:
        """Say something ourselves."""
        tqdm.write(f"boa launch: {text}", file=sys.stderr)

    def _draw(self, progress: Progress) -> None:
        if self._bar is None:
            form = ENDLESS if progress.end is None else WITH_END
            self._bar = tqdm(total=progress.end, desc="run", bar_format=form, leave=True)
        self._bar.set_postfix_str(progress.pace, refresh=False)
        self._bar.update(progress.time - self._bar.n)
        self._bar.refresh()

    def end_progress(self) -> None:
        """Leave the bar where it is, and draw no other."""
        self._over = True
        if self._bar is not None:
            self._bar.close()
            self._bar = None
