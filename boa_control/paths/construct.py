# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From path settings to a planned path."""

from boa_control.paths.circle import circle_path
from boa_control.paths.named import segment_path
from boa_control.paths.path import PlannedPath
from boa_control.paths.settings import CirclePath, PathSettings, SegmentPath, StraightPath
from boa_control.paths.straight import straight_path
from boa_description.robot import Robot, require_planar


def build_path(settings: PathSettings, robot: Robot) -> PlannedPath:
    """Construct the path that a scenario describes, for the body width of `robot`.

    Raises:
        BoaError: the geometry is impossible (which piece, the value, the limit and the remedy).
            Whether the chain can follow the path and is held by the posts is the business of
            `boa_control.planning.checks.plan.check`. Also: the robot leaves the plane.
    """
    require_planar(robot, "a path")
    if isinstance(settings, CirclePath):
        return circle_path(settings, robot.link.radius)
    if isinstance(settings, StraightPath):
        return straight_path(settings, robot.link.radius)
    if isinstance(settings, SegmentPath):
        return segment_path(settings, robot.link.radius)
    # its splines take most of a node's start-up time to import
    from boa_control.paths.waypoints import waypoint_path

    return waypoint_path(settings, robot.link.radius)
