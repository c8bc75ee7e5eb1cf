"""The true state of a simulated robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from boa_control.plant.true_contacts import ContactTruth
from boa_description.arrays import Array
from boa_description.robot import Robot


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """State that only a simulation knows; for evaluation and views, never for control.

    Attributes:
        stamp_ns: ns.
        position: shape (3,), tail end of link 1 (on the joint axis line), world frame, m.
        orientation: shape (4,), unit quaternion x, y, z, w of link 1 in the world.
        linear_velocity, angular_velocity: shape (3,), of that point and of link 1, world frame,
            m/s and rad/s.
        heading: of link 1, rad, not wrapped: beside the quaternion, which cannot count turns.
        joint_position, joint_velocity: shape (n_joints,), noiseless.
        contacts: one entry per touching pair of link and obstacle.
    """

    stamp_ns: int
    position: Array
    orientation: Array
    linear_velocity: Array
    angular_velocity: Array
    heading: float
    joint_position: Array
    joint_velocity: Array
    contacts: Sequence[ContactTruth] = field(default=())

    @classmethod
    def planar(
        cls,
        stamp_ns: int,
        base: Array,
        base_velocity: Array,
        joint_position: Array,
        joint_velocity: Array,
        contacts: Sequence[ContactTruth] = (),
        *,
        height: float = 0.0,
    ) -> GroundTruth:
        """The state of a chain whose axes lie in the plane at `height`, m: `base` (3,) x, y and
        heading of link 1, and their rates (3,).
        """
        x, y, heading = base.tolist()
        u, v, rate = base_velocity.tolist()
        half = 0.5 * heading
        return cls(
            stamp_ns,
            np.array([x, y, height]),
            np.array([0.0, 0.0, np.sin(half), np.cos(half)]),
            np.array([u, v, 0.0]),
            np.array([0.0, 0.0, rate]),
            heading,
            joint_position,
            joint_velocity,
            contacts,
        )

    @property
    def pose(self) -> Array:
        """Position and quaternion of link 1, shape (7,)."""
        return np.concatenate((self.position, self.orientation))

    def base_of(self, robot: Robot) -> Array:
        """`base`, or `pose` of a robot that leaves the plane: what views draw it from."""
        return self.base if robot.planar else self.pose

    @property
    def base(self) -> Array:
        """x, y and heading of link 1, shape (3,), m and rad."""
        return np.array([self.position[0], self.position[1], self.heading])

    @property
    def base_velocity(self) -> Array:
        """Rates of `base`, shape (3,), m/s and rad/s."""
        return np.array([*self.linear_velocity[:2], self.angular_velocity[2]])
