# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What makes the start of a run shorter, in a process that does nothing else."""

import importlib.util
import os
import sys
from pathlib import Path

from boa_control.priority import search_seldom

LOADING = 200_000  # objects that a start makes and keeps: to search them for garbage is in vain


def quick_start() -> None:
    """Call it before anything heavy is imported; `search_seldom` ends it."""
    search_seldom(LOADING)
    _name_window_library()


def _name_window_library() -> None:
    """Tell the package glfw, which MuJoCo imports, the library that it would find itself: to ask
    that for its version it starts another Python, which takes a tenth of a second.
    """
    known = {"PYGLFW_LIBRARY", "PYGLFW_LIBRARY_VARIANT"} & set(os.environ)
    if known or sys.platform != "linux" or os.environ.get("XDG_SESSION_TYPE") == "wayland":
        return
    package = importlib.util.find_spec("glfw")
    for folder in [] if package is None else package.submodule_search_locations or []:
        library = Path(folder, "x11", "libglfw.so")
        if library.exists():
            os.environ["PYGLFW_LIBRARY"] = str(library)
