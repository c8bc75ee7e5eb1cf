# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Progress on the command line, and how a run is stopped."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from tqdm import tqdm


@contextmanager
def progress_bar(name: str, seconds: float) -> Iterator[Callable[[float], None]]:
    """Show a bar of simulated time with the speed as a multiple of real time; yields what moves it.

    The bar appears when it is first moved: what is wrong before that gets a line of its own.
    """
    form = "{l_bar}{bar}| {n:.1f} of {total:.1f} s simulated{postfix}, {remaining} left"
    bars: list[tqdm[NoReturn]] = []

    def move(time: float) -> None:
        if not bars:
            bars.append(
                tqdm(total=seconds, desc=name, bar_format=form, mininterval=refresh_interval())
            )
        bar = bars[0]
        speed = bar.format_dict["rate"]
        if speed:
            bar.set_postfix_str(f"{speed:.1f} x real time", refresh=False)
        bar.update(time - bar.n)

    try:
        yield move
    finally:
        for bar in bars:
            bar.close()


def refresh_interval() -> float:
    """Time between two states of a progress bar, s: often on a screen, seldom in a file that keeps
    them all.
    """
    return 0.2 if sys.stderr.isatty() else 10.0


def unwind_on_signals() -> None:
    """Let SIGTERM, and SIGHUP of a terminal that is closed, unwind the program like Ctrl-C, so that
    torque goes off then too.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


@contextmanager
def when_interrupted(kept: str) -> Iterator[None]:
    """Let a KeyboardInterrupt say what has been written, unless it says that already."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(str(stop) or kept) from None


@contextmanager
def stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C or SIGTERM into a request to stop; yields a test for it.

    The second one acts as usual. An exception instead of a request can get lost: where a process is
    just being started, say, Python only prints it.
    """
    requests = []

    def request_stop(number: int, _: FrameType | None) -> None:
        requests.append(number)
        signal.signal(number, before[signal.Signals(number)])

    before = {
        number: signal.signal(number, request_stop) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield lambda: bool(requests)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
