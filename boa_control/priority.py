"""Means against late loops: no pauses for garbage, and real-time priority on Linux, requested,
never required.
"""

from __future__ import annotations

import gc
import os


def freeze_memory() -> None:
    """Search what exists by now no longer for garbage, which stops all threads for up to 50 ms now
    and then.

    Call it when everything is imported and built.
    """
    gc.collect()
    gc.freeze()


def raise_priority(priority: int) -> bool:
    """Ask for SCHED_FIFO for the calling thread; False where that is not allowed."""
    if priority <= 0:
        return False
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except OSError:
        return False
    return True
