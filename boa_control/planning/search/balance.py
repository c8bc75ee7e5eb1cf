"""Whether contacts can carry a body at rest or in slow motion: forces that balance within the
limits of servos and sensors, with friction of floor and posts.
"""

from __future__ import annotations

from dataclasses import dataclass

import daqp
import numpy as np

from boa_control.optimisation.contact_qp import EQUAL
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import GRAVITY

RESERVE = 1.25  # how many times the floor's friction contacts must overcome
TORQUE_SHARE = 0.9  # of the servos' torque; joints lie only nearly where the search has them
LEAST = 1.0  # N on every contact; the check demands less, but sees normals turn as joints pass


@dataclass(frozen=True, slots=True)
class Balance:
    """Limits of forces.

    Attributes:
        joints: number of them.
        torque: of every joint, N m.
        most: of a contact, N.
        drag: of the floor on one link, N.
    """

    joints: int
    torque: float
    most: float
    drag: float

    @classmethod
    def of(cls, robot: Robot, floor: float) -> Balance:
        """For a robot on a floor with this coefficient of friction."""
        return cls(
            robot.joints,
            TORQUE_SHARE * robot.limits.torque,
            robot.limits.joint_force_fault,
            RESERVE * floor * robot.link.mass * GRAVITY,
        )

    def possible(self, pushes: Array, at: Array, axes: Array, arcs: Array) -> bool:
        """Whether forces exist that move the body slowly.

        Args:
            pushes: wrenches of unit forces with the friction of the posts, shape (n, 3).
            at: arc lengths of the contacts, shape (n,), m.
            axes: joint axes and both ends from tail to head, shape (k, 2), m; more places than
                joints stand for all positions that these may have on the path.
            arcs: their arc lengths, shape (k,), m.
        """
        count = at.size
        joint, place = axes[1:-1], arcs[1:-1]
        ahead = at > place[:, None]
        moment = ahead * (pushes[:, 2] - joint[:, :1] * pushes[:, 1] + joint[:, 1:] * pushes[:, 0])
        links = np.diff(axes, axis=0)
        share = (self.joints + 1) / len(links)
        links = share * self.drag * links / np.hypot(*links.T)[:, None]
        middle = 0.5 * (axes[1:] + axes[:-1])
        turn = middle[:, 0] * links[:, 1] - middle[:, 1] * links[:, 0]
        floor = np.array([*links.sum(axis=0), turn.sum()])
        # suffix sums: drag on the links headward of each joint
        pull = np.cumsum(links[::-1], axis=0)[::-1][1:]
        twist = np.cumsum(turn[::-1])[::-1][1:]
        twist = twist - joint[:, 0] * pull[:, 1] + joint[:, 1] * pull[:, 0]
        _, _, flag, _ = daqp.solve(
            np.eye(count),
            np.zeros(count),
            np.ascontiguousarray(np.vstack([pushes.T, moment])),
            np.concatenate([np.full(count, self.most), floor, twist + self.torque]),
            np.concatenate([np.full(count, LEAST), floor, twist - self.torque]),
            np.repeat(np.array([0, EQUAL, 0], dtype=np.int32), [count, 3, len(joint)]),
        )
        return bool(flag > 0)
