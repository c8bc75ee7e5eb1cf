"""The most plausible bend of a chain that fits posts which stand off their places.

Solved in closed form, linearised at the present bend; `deformation` has the problem in words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array

CONTACT_STD = 1e-3  # m, by which the bent chain may miss a post, away from the ends of the body
# rad; with 0.1 the head bent by 30 degrees for a nose that a few mm of doubt do not call for
BEND_STD = 0.03
BASE_STD = 1.0  # m and rad: the base is free


class BendFit(NamedTuple):
    """The most plausible bend, and the pose that fits any joint angles best.

    Attributes:
        joints: of that bend, shape (n - 1,), rad.
        pose, swing: shapes (3,) and (3, n - 1): to joints dphi belongs the pose dq_b = pose + swing
            dphi, in m and rad.
        opening: rate of the gaps of contacts, and of the motion across itself of the end of the
            chain that leads, when the pose follows the joints; shape (nc + 1, n - 1), m.
    """

    joints: Array
    pose: Array
    swing: Array
    opening: Array

    def bend(self, joints: Array) -> Array:
        """dq, shape (n + 2,), m and rad, of joints bent by dphi, shape (n - 1,), rad."""
        return np.concatenate([self.pose + self.swing.dot(joints), joints])


def fitted_bend(hold: Array, gap: Array, ends: Array, closed: Array, ends_std: Array) -> BendFit:
    """The fit for contacts with rows `gap`, (nc, n + 2); `hold` says how firmly each one bends the
    chain, `closed` where its gap is closed, (nc,).

    Args:
        ends: rows of the sideways motion of ends of the chain that shall stay on the path, the one
            that leads first, shape (ne, n + 2).
        ends_std: by which they may leave it, shape (ne,), m.
    """
    rows = np.vstack([gap, ends])
    closed = np.append(closed, np.zeros(ends_std.size))
    variance = np.append(CONTACT_STD / np.maximum(hold, 1e-2), ends_std) ** 2
    prior = np.full(rows.shape[1], BEND_STD**2)
    prior[:3] = BASE_STD**2
    weighted = rows * prior
    solution = weighted.T @ np.linalg.solve(weighted @ rows.T + np.diag(variance), closed)
    base, joints = rows[:, :3], rows[:, 3:]
    information = (base / variance[:, None]).T
    pose = np.linalg.solve(information @ base + np.eye(3) / BASE_STD**2, information)
    swing = -pose @ joints
    opening = (joints + base @ swing)[: hold.size + 1]
    return BendFit(solution[3:], pose @ closed, swing, opening)
