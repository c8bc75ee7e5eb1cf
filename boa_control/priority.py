"""Real-time priority on Linux: asked for, never required."""

from __future__ import annotations

import os


def raise_priority(wanted: int) -> bool:
    """Ask for SCHED_FIFO for the calling thread; False where that is not allowed."""
    if wanted <= 0:
        return False
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(wanted))
    except OSError:
        return False
    return True
