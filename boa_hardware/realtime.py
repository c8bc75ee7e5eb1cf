# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Punctual loops on Linux: means that are requested, checked and explained, never required."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from boa_control.priority import freeze_memory, raise_all_threads, raise_priority
from boa_hardware.servo.sdk import latency_timer

# s after which a busy Python thread lets the bus thread go first; Python's default is 5 ms
SWITCH_INTERVAL = 0.0002
RESTART_MS = 100
OWN_PRIORITY_BELOW = 10  # a program's own loop waits for the bus threads, never the other way round


@dataclass(frozen=True, slots=True)
class Hint:
    """One property of this machine. `text` says how it is and, if it could be better, how."""

    good: bool
    text: str


@contextlib.contextmanager
def priority(requested: int) -> Iterator[None]:
    """Threads that are started inside have this priority, where that is allowed; the caller gets
    its own back.
    """
    policy, param = os.sched_getscheduler(0), os.sched_getparam(0)
    raise_priority(requested)
    try:
        yield
    finally:
        if (os.sched_getscheduler(0), os.sched_getparam(0)) != (policy, param):
            os.sched_setscheduler(0, policy, param)


def make_punctual(own_priority: int) -> None:
    """Prepare this process for loops that must be on time; call it when all is imported and built.

    Python runs one thread at a time. A waiting thread gets its turn sooner; objects that exist by
    now are no longer searched for garbage (which stops all threads for 50 ms now and then); and all
    threads of now get real-time priority as well, the middleware's among them, since a thread that
    is held up by other programs holds up all others with it.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    freeze_memory()
    raise_all_threads(own_priority)


def hints(serial_port: str | None, can: str, bus_priority: int) -> tuple[Hint, ...]:
    """Look at scheduling, the serial adapter's latency timer and the CAN interface's restart-ms."""
    every = [scheduling(bus_priority)]
    if serial_port is not None and (timer := latency_timer(serial_port)) is not None:
        remedy = (
            ""
            if timer <= 1
            else "; set it to 1 (docs/bringup.md), it caps the servo bus at 55 Hz otherwise"
        )
        every.append(Hint(timer <= 1, f"latency timer of {serial_port} is {timer} ms{remedy}"))
    if can.startswith("socketcan:"):
        every += can_restart(can.removeprefix("socketcan:").partition("@")[0])
    return tuple(every)


def scheduling(requested: int) -> Hint:
    """Whether bus threads may have real-time priority."""
    if requested <= 0:
        return Hint(True, "real-time priority is not requested")
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    if raise_priority(requested):
        os.sched_setscheduler(0, *before)  # that was only the test
        return Hint(True, f"bus threads run with SCHED_FIFO {requested}")
    return Hint(
        False,
        f"SCHED_FIFO {requested} is not allowed, ticks may be late under load; "
        "add '@realtime - rtprio 90' to /etc/security/limits.conf and yourself to the group "
        "realtime",
    )


def can_restart(interface: str) -> list[Hint]:
    """Whether the kernel restarts a CAN interface after bus-off; nothing where it does not say."""
    try:
        answer = subprocess.run(
            ["ip", "-details", "-json", "link", "show", interface],
            capture_output=True,
            timeout=2,
            check=True,
        )
        data = json.loads(answer.stdout)[0]["linkinfo"]["info_data"]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, IndexError):
        return []
    restart = int(data.get("restart_ms", 0))
    remedy = (
        ""
        if restart
        else f"; bus-off does not heal by itself: ip link set {interface} type can restart-ms "
        f"{RESTART_MS}"
    )
    return [Hint(restart > 0, f"restart-ms of {interface} is {restart}{remedy}")]
