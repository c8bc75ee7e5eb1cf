# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's own viewer: shown on a virtual display, refused in one line where there is none."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from boa_description.errors import BoaError
from boa_sim.rendering.window import check_display

pytestmark = pytest.mark.realtime

# In a process of its own: GLFW keeps what it has once found of a display.
SHOWN = """
import numpy as np
from boa_control.plant import ContactTruth
from boa_description.load import load_robot
from boa_description.scene import Circle
from boa_sim.rendering.window import Window

robot = load_robot("boa3")
path = np.column_stack((np.linspace(0, 1, 20), np.zeros(20)))
window = Window(robot, (Circle(x=0.1, y=0.2, radius=0.05),), path)
assert window.open
force = ContactTruth.planar(1, 0, np.array([0.1, 0.1]), np.array([0.0, -1.0]), 5.0)
for k in range(5):
    window.show(np.array([0.01 * k, 0.0, 0.1]), np.array([0.1, -0.2]), (force,))
drawn = window._viewer.user_scn.ngeom
assert drawn == 19 + 1, drawn
assert window.position == (0.04, 0.0), window.position
window.close()
assert not window.open
print("shown")
"""


def test_without_a_display_it_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("displays are named by these variables on Linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(BoaError, match=r"needs a display.*viewer:=web shows the run"):
        check_display()


def test_a_display_that_does_not_answer_is_one_clear_error() -> None:
    code = "from boa_sim.rendering.window import check_display; check_display()"
    environment = {"PATH": "/usr/bin:/bin", "DISPLAY": ":7654", "PYTHONPATH": ":".join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert "MuJoCo's viewer cannot open a window" in ended.stderr.splitlines()[-1]


def test_it_shows_pose_path_and_forces() -> None:
    xvfb = shutil.which("xvfb-run")
    if xvfb is None:
        pytest.skip("no virtual display on this machine; on Debian: apt install xvfb xauth")
    ended = subprocess.run(
        [xvfb, "-a", "-s", "-screen 0 800x600x24", sys.executable, "-c", SHOWN],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert ended.stdout.strip() == "shown", ended.stderr
