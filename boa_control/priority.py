# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Means against late loops: no pauses for garbage, and real-time priority on Linux, requested,
never required.
"""

import gc
import os
from pathlib import Path

# objects more than at the last search, after which garbage is searched among them: Python's 700
# come together in 15 ticks of a run, which keeps 256 for its log and then has none of them left
YOUNG = 20_000


def freeze_memory(*, search: bool = True) -> None:
    """Search what exists by now no longer for garbage, which stops all threads for up to 50 ms now
    and then.

    Call it when everything is imported and built. `search`: for the last time now, which takes as
    long; otherwise what little garbage there is stays.
    """
    if search:
        gc.collect()
    gc.freeze()


def search_seldom(objects: int = YOUNG) -> None:
    """Search new objects for garbage only when there are so many of them: for loops that gather
    records and give all of them up together. A search then takes up to 1 ms, so this is not for
    loops in real time.
    """
    gc.set_threshold(objects, *gc.get_threshold()[1:])


def raise_priority(priority: int) -> bool:
    """Ask for SCHED_FIFO for the calling thread; False where that is not allowed."""
    return _raise(0, priority)


def raise_all_threads(priority: int) -> bool:
    """Ask for SCHED_FIFO for every thread that this process has by now; False where that is not
    allowed.

    A loop that waits for a message waits for the middleware's own threads, too: one of them that
    has to queue for a processor on a busy machine holds up the loop, whatever the loop's priority.
    """
    allowed = [_raise(int(thread.name), priority) for thread in Path("/proc/self/task").iterdir()]
    return all(allowed)


def _raise(thread: int, priority: int) -> bool:
    """Ask for a thread; one that has ended meanwhile does not count."""
    if priority <= 0:
        return False
    try:
        os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(priority))
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return True
