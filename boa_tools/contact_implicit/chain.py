# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A chain of rigid bodies in a vertical plane, above a flat floor, every body with coordinates of
its own.

Body i has q_i = (x, z, theta): its centre, and its angle about the axis to the left, so that
d = (cos theta, -sin theta) points along it to the head, and a positive angle lowers the head. Joint
angle phi_j = theta_{j+1} - theta_j. Coordinates of one's own make every coefficient of the dynamics
a constant but the lever arms, whose derivatives are sines and cosines.
"""

from dataclasses import dataclass

import numpy as np

from boa_description.arrays import Array, Indices
from boa_description.errors import BoaError
from boa_description.robot import Robot


@dataclass(frozen=True, slots=True)
class VerticalChain:
    """Bodies, joints between neighbours, and the spheres with which they touch the floor.

    Attributes:
        mass, inertia, length: of the bodies from tail to head, each (B,), kg, kg m2, m; the inertia
            about the centre, which is half way between the ends.
        armature, damping: of every joint, kg m2, N m s.
        body, offset: of every sphere, (C,): index of its body, and its place on the body's line
            from the centre towards the head, m.
        radius: of the spheres, m.
        friction: Coulomb's coefficient.
        actuation: generalised forces on (x.., z.., theta..) per unit of each effort, (3 B, A).
    """

    mass: Array
    inertia: Array
    length: Array
    armature: float
    damping: float
    body: Indices
    offset: Array
    radius: float
    friction: float
    actuation: Array

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        return self.mass.size

    @property
    def joints(self) -> int:
        """Number of joints."""
        return self.bodies - 1

    @property
    def difference(self) -> Array:
        """Joint angles as rows on the bodies' angles, (B - 1, B)."""
        return np.diff(np.eye(self.bodies), axis=0)

    def placed(self, joint_angles: Array, first: Array) -> tuple[Array, Array, Array]:
        """x, z, theta of all bodies, each (N, B), for joint angles (N, B - 1) and (x, z, theta) of
        the tail end, (N, 3).
        """
        theta = first[:, 2:] + np.cumsum(np.insert(joint_angles, 0, 0.0, axis=1), axis=1)
        step = self.length * np.array([np.cos(theta), -np.sin(theta)])
        centre = np.cumsum(step, axis=2) - 0.5 * step
        return first[:, :1] + centre[0], first[:, 1:2] + centre[1], theta


def chain_of(robot: Robot, friction: float) -> VerticalChain:
    """The robot with its yaw joints at zero: links between pitch joints are one body, which touches
    a flat floor with its two ends.

    Raises:
        BoaError: a robot without pitch joints.
    """
    if not robot.pitch_joints:
        raise BoaError(
            f"robot {robot.name} has no pitch joints, and a wave in the vertical plane needs some; "
            "choose one with joint.axes: alternating"
        )
    link = robot.link
    ends = np.array([0, *(joint + 1 for joint in robot.pitch_joints), robot.links])
    count = np.diff(ends)
    bodies = count.size
    inertia = link.principal_inertia[1] * count
    inertia += link.mass * link.pitch**2 * count * (count**2 - 1) / 12  # Steiner, equal links
    half = 0.5 * count * link.pitch
    tail, head = link.inset - half, half - link.inset
    tail[0], head[-1] = -half[0], half[-1]  # the robot's own two ends have no inset
    turning = np.diff(np.eye(bodies), axis=0).T
    return VerticalChain(
        link.mass * count,
        inertia,
        link.pitch * count,
        robot.actuator.armature,
        robot.actuator.damping,
        np.repeat(np.arange(bodies), 2),
        np.column_stack((tail, head)).ravel(),
        link.radius,
        friction,
        np.vstack((np.zeros((2 * bodies, bodies - 1)), turning)),
    )
