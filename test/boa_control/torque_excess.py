# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Loads of a chain on its path, worked out a second time: from forces at points in the plane, by
HiGHS.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState
from boa_control.planning.checks.along_path import PathScan
from boa_description.floor import ground_force
from boa_description.scene import GroundFriction


def torque_excess(
    scan: PathScan,
    state: PathState,
    contacts: ContactSet,
    v: float,
    u: float = 0.0,
    *,
    least: np.ndarray | float = 0.0,
    most: float | None = None,
    share: float = 1.0,
    ground: GroundFriction | None = None,
    contact_friction: float = 0.0,
) -> float:
    """Least torque beyond the limits with which contact forces carry speed `v` and acceleration
    `u`, N m; or infinite.

    Args:
        least, most: contact forces, N. share: of the torque.
    """
    robot, axes = scan.robot, np.column_stack([state.axes.real, state.axes.imag])
    heading = np.arctan2(*np.diff(axes, axis=0).T[::-1])
    along = np.column_stack([np.cos(heading), np.sin(heading)])
    across = np.column_stack([-along[:, 1], along[:, 0]])

    def rows(point: np.ndarray, link: int) -> np.ndarray:
        """Derivative of a point of `link` with respect to x, y, theta_1, phi; joints turn what lies
        beyond them.
        """
        arm = point - axes[: link + 1]
        turning = np.column_stack([-arm[:, 1], arm[:, 0]])
        derivative = np.zeros((2, robot.links + 2))
        derivative[:, :2], derivative[:, 2 : 3 + link] = np.eye(2), turning.T
        return derivative

    known = state.inertial * v**2 + state.mass @ state.dq * u
    known[3:] += robot.actuator.damping * state.dq[3:] * v
    centres = [rows((axes[k] + axes[k + 1]) / 2, k) for k in range(robot.links)]
    if ground is not None:
        velocity = np.array([row @ state.dq * v for row in centres])
        drag = ground_force(ground, np.full(robot.links, robot.link.mass), velocity, heading)
        known -= sum(row.T @ force for row, force in zip(centres, drag, strict=True))
    push = np.empty((contacts.link.size, robot.links + 2))
    for k, (link, offset, side) in enumerate(
        zip(contacts.link, contacts.offset, contacts.side, strict=True)
    ):
        point = axes[link] + offset * along[link] + side * robot.link.radius * across[link]
        push[k] = rows(point, link).T @ (-side * across[link] - contact_friction * along[link])
    line = state.dq[3:] * v / robot.actuator.speed_limit
    stall, limit = share * robot.actuator.torque_limit, share * robot.limits.torque
    upper, lower = np.minimum(limit, stall * (1 - line)), np.maximum(-limit, -stall * (1 + line))
    count, beyond = len(push), np.ones((robot.joints, 1))
    found = linprog(
        np.r_[np.zeros(count), 1.0],
        A_ub=np.block([[-push[:, 3:].T, -beyond], [push[:, 3:].T, -beyond]]),
        b_ub=np.r_[upper - known[3:], known[3:] - lower],
        A_eq=np.hstack([push[:, :3].T, np.zeros((3, 1))]),
        b_eq=known[:3],
        bounds=[(low, most) for low in np.broadcast_to(least, count)] + [(0, None)],
    )
    return float(found.fun) if found.status == 0 and found.fun is not None else np.inf
