# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Path and contact forces, drawn into a scene of MuJoCo beside what the model has."""

from collections.abc import Iterable
from itertools import pairwise

import mujoco
import numpy as np

from boa_control.plant import FLOOR, ContactTruth
from boa_description.arrays import Array
from boa_description.colours import LIT_FORCE, PATH, rgb
from boa_description.robot import Link

FORCE_COLOUR = (*rgb(LIT_FORCE), 1.0)
PATH_COLOUR = (*rgb(PATH), 1.0)
PATH_WIDTH = 3.0  # pixels


class Overlay:
    """Adds lines and arrows to `scene` until it is full.

    Args:
        link: the robot's.
        metres_per_newton: length of the force arrows.
    """

    def __init__(self, scene: mujoco.MjvScene, link: Link, metres_per_newton: float) -> None:
        self._scene = scene
        self._radius = link.radius
        self._beside = 1.4 * (link.radius + link.track)
        self._scale = metres_per_newton

    def draw_path(self, points: Array) -> None:
        """A curve on the floor, points of shape (m, 2), m."""
        height = 0.05 * self._radius
        line = mujoco.mjtGeom.mjGEOM_LINE
        for start, end in pairwise(points):
            self._connect(line, PATH_WIDTH, (*start, height), (*end, height), PATH_COLOUR)

    def draw_forces(self, contacts: Iterable[ContactTruth]) -> None:
        """The forces on the links as arrows that start at the contact points: those of obstacles on
        top of the links, those of the floor beside them, on the side of the camera that sees robots
        in space.
        """
        above, beside = np.array([0.0, 0.0, 2.4 * self._radius]), np.array([0, -self._beside, 0.0])
        for contact in contacts:
            start, force = contact.point.copy(), contact.force
            if contact.obstacle == FLOOR:
                start += beside
            else:
                start[2], force = 0.0, force * (1.0, 1.0, 0.0)
                start += above
            end = start + self._scale * force
            arrow = mujoco.mjtGeom.mjGEOM_ARROW
            self._connect(arrow, 0.2 * self._radius, tuple(start), tuple(end), FORCE_COLOUR)

    def _connect(
        self,
        kind: mujoco.mjtGeom,
        width: float,
        start: tuple[float, ...],
        end: tuple[float, ...],
        colour: tuple[float, ...],
    ) -> None:
        if self._scene.ngeom >= self._scene.maxgeom:
            return
        geom = self._scene.geoms[self._scene.ngeom]
        mujoco.mjv_initGeom(
            geom, kind, np.zeros(3), np.zeros(3), np.zeros(9), np.array(colour, np.float32)
        )
        mujoco.mjv_connector(geom, kind, width, np.array(start), np.array(end))
        self._scene.ngeom += 1
