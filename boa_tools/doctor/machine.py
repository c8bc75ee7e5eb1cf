# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Questions about the machine: Python, packages, drawing, real-time rights."""

import os
import platform
import re
import resource
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from boa_description.errors import BoaError
from boa_description.version import software_version
from boa_tools.doctor.check import Check, no, note, yes

OLDEST_PYTHON = (3, 11)
PRIORITY = 50  # of the bus threads on the robot


def checks() -> Iterator[Check]:
    """All questions about the machine."""
    yield software()
    yield python()
    yield packages()
    yield drawing()
    yield realtime_rights()
    yield kernel()


def software() -> Check:
    """Which version of this software answers."""
    return yes("boa", software_version())


def python() -> Check:
    """Python is new enough."""
    version = platform.python_version()
    if sys.version_info >= OLDEST_PYTHON:
        return yes("Python", version)
    return no(
        "Python",
        f"{version} is older than 3.11",
        "make the environment with a newer one: make setup PYTHON=...",
    )


def packages() -> Check:
    """Everything that the package needs is installed."""
    try:
        required = [re.split(r"[^A-Za-z0-9_.-]", text)[0] for text in requires("boa_control") or []]
    except PackageNotFoundError:
        return no("packages", "boa_control is not installed in this Python", "run `make setup`")
    missing = [name for name in required if _version(name) is None]
    if missing:
        return no("packages", f"missing: {', '.join(missing)}", "run `make setup`")
    return yes(
        "packages", f"all {len(required)}; mujoco {_version('mujoco')}, numpy {_version('numpy')}"
    )


def drawing() -> Check:
    """Pictures and videos can be rendered without a window."""
    from boa_sim.rendering.gl import open_context

    try:
        open_context(64, 64).free()
    except BoaError as error:
        problem, _, remedy = str(error).rpartition("; ")
        return note("OpenGL", f"{problem} (reports then have a drawn picture and no video)", remedy)
    return yes("OpenGL", f"renders without a window ({os.environ.get('MUJOCO_GL', 'egl')})")


def realtime_rights() -> Check:
    """The bus threads may request real-time priority."""
    allowed = resource.getrlimit(resource.RLIMIT_RTPRIO)[1]
    if os.geteuid() == 0 or allowed >= PRIORITY:
        return yes("real-time priority", "allowed for this user")
    return note(
        "real-time priority",
        f"limit {allowed}, the robot's bus threads want {PRIORITY}",
        f"in /etc/security/limits.d/boa.conf: @realtime - rtprio {PRIORITY}; then log in again",
    )


def kernel() -> Check:
    """Whether the kernel is a real-time one; not needed at 200 Hz, but it helps."""
    real_time = Path("/sys/kernel/realtime")
    if real_time.is_file() and real_time.read_text(encoding="ascii").strip() == "1":
        return yes("kernel", f"{platform.release()} with PREEMPT_RT")
    return note(
        "kernel", f"{platform.release()} without PREEMPT_RT; enough at 200 Hz on an idle machine"
    )


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
