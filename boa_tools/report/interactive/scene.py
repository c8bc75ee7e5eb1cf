# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The surroundings of a run as data for a page: path, posts, robot."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.experiments.experiment import Experiment
from boa_control.model.contact_geometry import box_frame
from boa_control.paths.corrected_map import CorrectedMap
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import GRAVITY, Box, Circle, Obstacle, Wall
from boa_description.terrain import slabs
from boa_tools.report.interactive.packed import exact

PATH_SPACING = 0.01  # m
USUAL_FORCE = 10.0  # N, of a post on a robot that does not lie with its weight


def scene_data(experiment: Experiment) -> dict[str, Any]:
    """Path and posts, as the map has them, the floor in space from left to right (start, end and
    height, m; None: nowhere), and the heading of the robot at its start.
    """
    return {
        "heading": float(experiment.start_base[2]),
        "path": exact(path_points(experiment)),
        "posts": [shape(obstacle) for obstacle in experiment.obstacles],
        "floor": [
            [value if math.isfinite(value) else None for value in slab]
            for slab in slabs(experiment.scenario.scene.terrain)
        ],
    }


def robot_data(robot: Robot) -> dict[str, Any]:
    """Data with which a page draws the robot and its limits."""
    return {
        "name": robot.name,
        "links": robot.links,
        "pitch": robot.link.pitch,
        "radius": robot.link.radius,
        "track": robot.link.track,
        "spines": [robot.spine(link) for link in range(robot.links)],
        "planar": robot.planar,
        "axes": robot.joint_axes,
        "weight": GRAVITY * robot.mass,
        "usualForce": USUAL_FORCE if robot.planar else GRAVITY * robot.mass,
        "torqueLimit": robot.limits.torque,
        "forceLimit": robot.limits.joint_force_fault,
    }


def path_points(experiment: Experiment) -> Array:
    """Points of the path, shape (m, 2), m; none without a path."""
    if experiment.curve is None:
        return np.zeros((0, 2))
    curve = experiment.curve
    count = max(2, int(curve.length / PATH_SPACING) + 1)
    return curve.position(np.linspace(0.0, curve.length, count))


def shape(obstacle: Obstacle) -> dict[str, Any]:
    """A disc, or a polygon with its corners counter-clockwise."""
    if isinstance(obstacle, Circle):
        disc = {"x": obstacle.x, "y": obstacle.y, "r": obstacle.radius}
        return disc if obstacle.name is None else disc | {"name": obstacle.name}
    return {"corners": np.round(corners(obstacle), 4).tolist()}


def map_data(corrected: CorrectedMap) -> dict[str, Any]:
    """The posts as the robot has found them, and those that it has searched in vain."""
    return {
        "posts": [
            {
                "number": post.number,
                "x": round(post.x, 4),
                "y": round(post.y, 4),
                "r": post.radius,
                "std": round(post.std, 5) if math.isfinite(post.std) else 0.0,
                "kind": post.kind,
            }
            for post in corrected.posts
        ],
        "missing": list(corrected.missing),
    }


def corners(obstacle: Box | Wall) -> Array:
    """The corners of a box or wall, shape (4, 2), m."""
    at, half, heading = box_frame(obstacle)
    cos, sin = np.cos(float(heading)), np.sin(float(heading))
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.asarray(half, float)
    return signs @ np.array([[cos, sin], [-sin, cos]]) + np.asarray(at, float)


def round_posts(obstacles: Sequence[Obstacle]) -> Array:
    """Centre and radius of every obstacle, shape (K, 3), m; NaN where it is not round."""
    return np.array(
        [
            (post.x, post.y, post.radius) if isinstance(post, Circle) else (np.nan,) * 3
            for post in obstacles
        ]
    ).reshape(-1, 3)
