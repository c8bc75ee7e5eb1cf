# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""An OpenGL context without a window: EGL, else software (OSMesa); on macOS and Windows what MuJoCo
uses there.
"""

import importlib
import os
import sys
from typing import Any

from boa_description.errors import BoaError

LINUX_BACKENDS = ("egl", "osmesa")
OTHER_BACKENDS = {"darwin": ("cgl",), "win32": ("glfw",)}


def open_context(width: int, height: int) -> Any:
    """Open a context of at least this size, in pixels, and make it current.
    MUJOCO_GL=egl|osmesa|glfw chooses.

    Raises:
        BoaError: no way to draw on this machine; says what was tried and what to install.
    """
    chosen = os.environ.get("MUJOCO_GL", "").lower()
    backends = (chosen,) if chosen else OTHER_BACKENDS.get(sys.platform, LINUX_BACKENDS)
    problems = []
    for backend in backends:
        platform = os.environ.get("PYOPENGL_PLATFORM")
        try:
            context = importlib.import_module(f"mujoco.{backend}").GLContext(width, height)
            context.make_current()
        except Exception as error:  # whatever a missing or broken driver raises
            problems.append(f"{backend}: {' '.join(str(error).split()) or type(error).__name__}")
            _restore("PYOPENGL_PLATFORM", platform)
            for module in [name for name in sys.modules if name.partition(".")[0] == "OpenGL"]:
                del sys.modules[module]  # PyOpenGL binds to one platform when first imported
        else:
            return context
    raise BoaError(
        f"cannot draw pictures here ({'; '.join(problems)}); on Debian/Ubuntu: apt install libegl1 "
        "libgl1-mesa-dri, or libosmesa6 with MUJOCO_GL=osmesa"
    )


def _restore(variable: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value
