# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's own viewer in a window: the robot in a pose that is given, its obstacles, its path and
the contact forces.
"""

import os
import sys
import threading
import warnings
from collections.abc import Iterable, Sequence

import mujoco

from boa_control.plant import ContactTruth
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import GRAVITY, Obstacle
from boa_description.terrain import Terrain
from boa_sim.posing import drawn_spec, set_pose
from boa_sim.rendering.overlay import Overlay

METRES_PER_NEWTON = 0.02
METRES_PER_WEIGHT = 0.2  # of a robot that lies with its weight
CLOSING_SECONDS = 5.0
VIEW_LENGTHS = 1.7  # distance of the camera, in lengths of the robot
VIEW_DIRECTION = 90.0, -50.0  # azimuth and elevation, deg
SIDE_DIRECTION = 90.0, -12.0  # the same for robots in space
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")  # of X11 and Wayland
INSTEAD = "viewer:=web shows the run in a browser, also on another machine"


def check_display() -> None:
    """Raise BoaError where no window can be opened. MuJoCo's viewer would wait for it for ever."""
    if sys.platform == "darwin":
        raise BoaError(
            f"MuJoCo's viewer runs under mjpython only on macOS, which starts no nodes; {INSTEAD}"
        )
    if sys.platform == "linux" and not any(os.environ.get(name) for name in DISPLAYS):
        raise BoaError(
            f"MuJoCo's viewer needs a display, and neither {' nor '.join(DISPLAYS)} is set; "
            f"{INSTEAD}"
        )
    import glfw

    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        opened = glfw.init()
    if not opened:
        reason = "; ".join(str(complaint.message) for complaint in complaints)
        raise BoaError(f"MuJoCo's viewer cannot open a window ({reason}); {INSTEAD}")


class Window:
    """The viewer of one robot among its obstacles. `show` moves the robot; the camera is the
    user's.
    """

    def __init__(
        self,
        robot: Robot,
        obstacles: Sequence[Obstacle] = (),
        path: Array | None = None,
        terrain: Terrain = (),
    ) -> None:
        """Open it.

        Args:
            path: points of a curve to draw on the floor, shape (m, 2), m.
            terrain: steps and gaps of the floor.

        Raises:
            BoaError: there is no display.
        """
        check_display()
        from mujoco import viewer

        self._model = drawn_spec(robot, obstacles, terrain).compile()
        self._data = mujoco.MjData(self._model)
        others = set(threading.enumerate())
        self._viewer = viewer.launch_passive(
            self._model, self._data, show_left_ui=False, show_right_ui=False
        )
        self._drawing = set(threading.enumerate()) - others
        camera = self._viewer.cam
        camera.type = mujoco.mjtCamera.mjCAMERA_TRACKING
        camera.trackbodyid = self._model.body(robot.link_names[robot.links // 2]).id
        camera.distance = VIEW_LENGTHS * robot.length
        camera.azimuth, camera.elevation = VIEW_DIRECTION if robot.planar else SIDE_DIRECTION
        self._path = path
        scale = METRES_PER_NEWTON if robot.planar else METRES_PER_WEIGHT / (GRAVITY * robot.mass)
        self._overlay = Overlay(self._viewer.user_scn, robot.link, scale)

    @property
    def position(self) -> tuple[float, float]:
        """Where link 1 is drawn, x and y, m."""
        x, y, _ = self._data.body(1).xpos.tolist()
        return x, y

    @property
    def open(self) -> bool:
        """False once the user has closed it."""
        return bool(self._viewer.is_running())

    def show(self, base: Array, joints: Array, contacts: Iterable[ContactTruth] = ()) -> None:
        """Draw one pose, base and joints as of `boa_sim.posing.set_pose`."""
        with self._viewer.lock():
            set_pose(self._model, self._data, base, joints)
            mujoco.mj_fwdPosition(self._model, self._data)
            self._viewer.user_scn.ngeom = 0
            if self._path is not None:
                self._overlay.draw_path(self._path)
            self._overlay.draw_forces(contacts)
        self._viewer.sync()

    def close(self) -> None:
        """Close it, and wait until its thread has left OpenGL: a process that ended before would
        crash.
        """
        self._viewer.close()
        for thread in self._drawing:
            thread.join(CLOSING_SECONDS)
