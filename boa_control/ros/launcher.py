# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The process that has started a node: a node that it cannot stop any more stops by itself.

`ros2 launch` that gets a SIGTERM leaves its nodes to themselves; a controller that stays publishes
into the next run.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_LIBC = ctypes.CDLL(None, use_errno=True)  # now: a child that was just forked may load nothing
LAUNCHED_BY = "BOA_LAUNCHED_BY"  # environment: process id of the launch
PR_SET_PDEATHSIG = 1


def end_with_parent(by: signal.Signals = signal.SIGTERM) -> None:
    """In the child: get this signal when the parent dies, however it dies, so that no torque or
    work outlives it.
    """
    if sys.platform == "linux":
        _LIBC.prctl(PR_SET_PDEATHSIG, by, 0, 0, 0)


def end_with_launcher() -> bool:
    """Get a SIGTERM when the launch that has started this node ends, however it ends. Does nothing
    for a node that was started by hand, and on other systems than Linux.

    Returns:
        False where the launch has gone already.
    """
    launcher = os.environ.get(LAUNCHED_BY)
    if launcher is None or sys.platform != "linux":
        return True
    end_with_parent()
    try:
        os.kill(int(launcher), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:  # it lives, under another name
        return True
    return True
