# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the links are in space, for one pose or whole series (leading dimensions broadcast)."""

import numpy as np

from boa_description.arrays import Array
from boa_description.chain import centre_of_mass, joint_axes, link_headings
from boa_description.quaternion import inverse, product, rotated, yaw_quaternion
from boa_description.robot import Robot


def link_frames(robot: Robot, base: Array, joints: Array) -> Array:
    """Position and quaternion x, y, z, w of every link frame, shape (..., n, 7), m.

    Args:
        base: shape (..., 3), x, y, heading of link 1; of a robot that leaves the plane (..., 7),
            position and quaternion of link 1.
        joints: shape (..., n - 1), rad.
    """
    poses = np.zeros((*joints.shape[:-1], robot.links, 7))
    if robot.planar:
        poses[..., :2] = joint_axes(robot.link.pitch, base, joints)[..., :-1, :]
        poses[..., 2] = robot.link.radius
        poses[..., 3:] = yaw_quaternion(link_headings(base, joints))
        return poses
    return frames_in_space(robot.link.pitch, np.array(robot.joint_axes), base, joints)


def frames_in_space(pitch: float, axes: Array, base: Array, joints: Array) -> Array:
    """The same for any joint axes. Turns are chained by doubling: each round of products reaches
    twice as far back along the chain, so that arrays do the work of most of the links at once.

    Args:
        pitch: from joint to joint, m.
        axes: of the joints, each in the frame of the link behind it, shape (n - 1, 3).
        base: shape (..., 7). joints: shape (..., n - 1), rad.
    """
    links = joints.shape[-1] + 1
    poses = np.empty((*joints.shape[:-1], links, 7))
    poses[..., 0, :] = base
    turns = poses[..., 3:]
    turns[..., 1:, :] = joint_turns(axes, joints)
    reach = 1
    while reach < links:
        turns[..., reach:, :] = product(turns[..., :-reach, :], turns[..., reach:, :])
        reach *= 2
    spines = rotated(turns[..., :-1, :], np.array([pitch, 0.0, 0.0]))
    poses[..., 1:, :3] = poses[..., :1, :3] + np.cumsum(spines, axis=-2)
    return poses


def start_pose(robot: Robot, base: Array) -> Array:
    """`base` as `link_frames` takes it, from x, y and heading of link 1 (3,): a robot that leaves
    the plane lies flat there.
    """
    if robot.planar:
        return base
    place = np.array([base[0], base[1], robot.link.radius])
    return np.concatenate((place, yaw_quaternion(float(base[2]))))


def points_on_links(frames: Array, points: Array) -> Array:
    """Where points fixed to links with these frames, shape (..., 7), are: shape (..., 3), m.

    Args:
        points: in the frames of the links, shape (3,) or (..., 3), m.
    """
    return frames[..., :3] + rotated(frames[..., 3:], points)


def link_centres(robot: Robot, frames: Array) -> Array:
    """Middles of links with these frames, shape (..., n, 7): shape (..., n, 3), m."""
    return points_on_links(frames, np.array([0.5 * robot.link.pitch, 0.0, 0.0]))


def centre_in_space(robot: Robot, base: Array, joints: Array) -> Array:
    """Centre of mass, shape (..., 3), m; arguments as of `link_frames`."""
    return link_centres(robot, link_frames(robot, base, joints)).mean(axis=-2)


def centre_on_floor(robot: Robot, base: Array, joints: Array) -> Array:
    """Centre of mass seen from above, shape (..., 2), m; arguments as of `link_frames`."""
    if robot.planar:
        return centre_of_mass(robot.link.pitch, base, joints)
    return centre_in_space(robot, base, joints)[..., :2]


def joint_turns(axes: Array, joints: Array) -> Array:
    """Every joint's rotation as a quaternion, shape (..., n - 1, 4); axes (n - 1, 3)."""
    half = 0.5 * joints
    turns = np.empty((*joints.shape, 4))
    turns[..., :3] = np.sin(half)[..., None] * axes
    turns[..., 3] = np.cos(half)
    return turns


def joints_between(robot: Robot, poses: Array) -> Array:
    """The joint angles, (n - 1,) in [-pi, pi], that lie between link poses (n, 7) in space."""
    turns = product(inverse(poses[:-1, 3:]), poses[1:, 3:])
    turns *= np.where(turns[:, 3:] < 0, -1.0, 1.0)  # q and -q are the same rotation
    return 2.0 * np.arctan2((turns[:, :3] * robot.joint_axes).sum(axis=1), turns[:, 3])
