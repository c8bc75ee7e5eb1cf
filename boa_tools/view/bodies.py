# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot of the 3-D scene: the shape of its links, where they are, and arrows of forces on it.

Made from what a viewer is told of a robot, without its description.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import trimesh
from numpy.typing import NDArray

from boa_description.arrays import Array
from boa_description.chain import joint_axes, link_headings
from boa_description.link_frames import frames_in_space
from boa_description.quaternion import yaw_quaternion

QUARTER_TURN = np.array([[0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1.0]])  # z to x
METRES_PER_NEWTON = 0.02
METRES_PER_WEIGHT = 0.35  # of a robot that lies with its weight
TALL = 2.2  # height of a post, in radii of a link

Arrows = NDArray[np.float32]  # start and end of each, (m, 2, 3)
NO_ARROWS: Arrows = np.zeros((0, 2, 3), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Shape:
    """What some links have in common.

    Attributes:
        links: their indices, from the tail.
        mesh: x along the link, from its tail-side joint axis.
    """

    links: tuple[int, ...]
    mesh: trimesh.Trimesh


class Body(Protocol):
    """One robot.

    Attributes:
        camera: where the view begins, from the robot's middle, m.
    """

    camera: tuple[float, float, float]

    def shapes(self) -> tuple[Shape, ...]:
        """The shapes of all links."""

    def frames(self, pose: Array) -> Array:
        """Position and quaternion x, y, z, w of every link, (n, 7), of a snapshot's pose."""

    def forces(self, contacts: Sequence[Any]) -> Arrows:
        """Arrows of the true contacts of a snapshot."""

    def estimates(self, estimates: Sequence[Any], pose: Array) -> tuple[Arrows, Arrows]:
        """Arrows of the estimated contacts of a snapshot, and lines one standard deviation
        longer.
        """


class PlanarBody:
    """A robot in the plane; arrows are lifted above it and its posts. See `Body`."""

    def __init__(self, robot: Mapping[str, Any]) -> None:
        self._pitch, self._radius = float(robot["pitch"]), float(robot["radius"])
        self._spines = robot["spines"]
        reach = float(robot["links"]) * self._pitch
        self.camera = (-0.1 * reach, -0.75 * reach, 0.75 * reach)

    def shapes(self) -> tuple[Shape, ...]:
        """See `Body`."""
        return _shapes(self._spines, lambda begin, end: _capsule(begin, end, self._radius))

    def frames(self, pose: Array) -> Array:
        """See `Body`."""
        base, joints = pose[:3], pose[3:]
        points = joint_axes(self._pitch, base, joints)[:-1]
        height = np.full(len(points), self._radius)
        return np.column_stack((points, height, yaw_quaternion(link_headings(base, joints))))

    def forces(self, contacts: Sequence[Any]) -> Arrows:
        """See `Body`."""
        rows = np.array(contacts, float).reshape(-1, 6)
        return _lifted(rows[:, 2:4], rows[:, 4:6], TALL * self._radius + 0.032)

    def estimates(self, estimates: Sequence[Any], pose: Array) -> tuple[Arrows, Arrows]:
        """See `Body`."""
        height = TALL * self._radius + 0.02
        base, joints = pose[:3], pose[3:]
        points, headings = joint_axes(self._pitch, base, joints), link_headings(base, joints)
        rows = np.array(estimates, float).reshape(-1, 7)
        link = rows[:, 0].astype(int)
        along = np.column_stack((np.cos(headings[link]), np.sin(headings[link])))
        normal = rows[:, 2:3] * np.column_stack((along[:, 1], -along[:, 0]))
        at = points[link] + rows[:, 3:4] * along - self._radius * normal
        force = np.nan_to_num(rows[:, 4:5]) * normal
        known = np.isfinite(rows[:, 5])
        longer = force[known] + rows[known, 5:6] * normal[known]
        return _lifted(at, force, height), _lifted(at[known], longer, height)


class SpatialBody:
    """A robot on a floor, seen from its right at first. See `Body`."""

    def __init__(self, robot: Mapping[str, Any], heading: float) -> None:
        self._pitch, self._radius = float(robot["pitch"]), float(robot["radius"])
        self._spines = robot["spines"]
        self._track, self._axes = float(robot["track"]), np.array(robot["axes"], float)
        self._scale = METRES_PER_WEIGHT / float(robot["weight"])
        reach = float(robot["links"]) * self._pitch
        far = 0.95 * reach
        self.camera = (far * np.sin(heading), -far * np.cos(heading), 0.3 * reach)

    def shapes(self) -> tuple[Shape, ...]:
        """See `Body`."""
        return _shapes(self._spines, self._between_rails)

    def _between_rails(self, begin: float, end: float) -> trimesh.Trimesh:
        sides = [_capsule(begin, end, self._radius) for _ in range(2)]
        for side, sign in zip(sides, (1.0, -1.0), strict=True):
            side.apply_translation((0.0, sign * self._track, 0.0))
        return trimesh.convex.convex_hull(np.vstack([side.vertices for side in sides]))

    def frames(self, pose: Array) -> Array:
        """See `Body`."""
        return frames_in_space(self._pitch, self._axes, pose[:7], pose[7:])

    def forces(self, contacts: Sequence[Any]) -> Arrows:
        """See `Body`."""
        rows = np.array(contacts, float).reshape(-1, 8)
        point, force = rows[:, 2:5], rows[:, 5:8]
        return np.stack((point - self._scale * force, point), axis=1).astype(np.float32)

    def estimates(
        self,
        estimates: Sequence[Any],  # noqa: ARG002
        pose: Array,  # noqa: ARG002
    ) -> tuple[Arrows, Arrows]:
        """See `Body`; no controller estimates the forces of a floor."""
        return NO_ARROWS, NO_ARROWS


def body_of(robot: Mapping[str, Any], heading: float) -> Body:
    """The body of a robot as `robot_data` describes it; heading at its start, rad."""
    return PlanarBody(robot) if robot["planar"] else SpatialBody(robot, heading)


def _shapes(
    spines: Sequence[Sequence[float]], mesh: Callable[[float, float], trimesh.Trimesh]
) -> tuple[Shape, ...]:
    """One shape for all links whose spines begin and end alike; `mesh` makes it of both, m."""
    alike: dict[tuple[float, float], list[int]] = {}
    for link, (begin, end) in enumerate(spines):
        alike.setdefault((begin, end), []).append(link)
    return tuple(Shape(tuple(links), mesh(*spine)) for spine, links in alike.items())


def _capsule(begin: float, end: float, radius: float) -> trimesh.Trimesh:
    mesh = trimesh.creation.capsule(height=end - begin, radius=0.94 * radius, count=[16, 16])
    mesh.apply_transform(QUARTER_TURN)  # along x, from one joint to the next
    mesh.apply_translation((0.5 * (begin + end) - mesh.bounds.mean(axis=0)[0], 0.0, 0.0))
    return mesh


def _lifted(tips: Array, forces: Array, height: float) -> Arrows:
    """Arrows in the plane at `height` that end at the contact points."""
    ends = np.zeros((len(tips), 2, 3), dtype=np.float32)
    ends[:, 0, :2] = tips - METRES_PER_NEWTON * forces
    ends[:, 1, :2] = tips
    ends[:, :, 2] = height
    return ends
