"""What the command line shows while it works, and how it is stopped."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

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
