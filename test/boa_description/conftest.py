# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed-form kinematics of the planar chain, written without MuJoCo: the truth the models are held
against.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from boa_description.arrays import Array
from boa_description.robot import Robot


@dataclass(frozen=True)
class PlanarChain:
    """Kinematics of q = [x, y, theta_1, phi_1 .. phi_{n-1}]."""

    robot: Robot

    def headings(self, q: Array) -> Array:
        """Shape (n,)."""
        return q[2] + np.concatenate([[0.0], np.cumsum(q[3:])])

    def joints(self, q: Array) -> Array:
        """Tail end, joint axes, head end; shape (n + 1, 2)."""
        theta = self.headings(q)
        steps = self.robot.link.pitch * np.stack([np.cos(theta), np.sin(theta)], axis=-1)
        return q[:2] + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])

    def centres(self, q: Array) -> Array:
        """Link centres, shape (n, 2)."""
        joints = self.joints(q)
        return (joints[1:] + joints[:-1]) / 2

    def centre_velocities(self, q: Array, dq: Array) -> Array:
        """Shape (n, 2)."""
        theta, dtheta = self.headings(q), self.headings(np.concatenate([[0, 0], dq[2:]]))
        step = (
            self.robot.link.pitch
            * np.stack([-np.sin(theta), np.cos(theta)], axis=-1)
            * dtheta[:, None]
        )
        ends = dq[:2] + np.concatenate([np.zeros((1, 2)), np.cumsum(step, axis=0)])
        return (ends[1:] + ends[:-1]) / 2

    def centre_accelerations(self, q: Array, dq: Array, ddq: Array) -> Array:
        """Shape (n, 2)."""
        theta = self.headings(q)
        dtheta, ddtheta = (self.headings(np.concatenate([[0, 0], rate[2:]])) for rate in (dq, ddq))
        along = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
        left = np.stack([-np.sin(theta), np.cos(theta)], axis=-1)
        step = self.robot.link.pitch * (left * ddtheta[:, None] - along * dtheta[:, None] ** 2)
        ends = ddq[:2] + np.concatenate([np.zeros((1, 2)), np.cumsum(step, axis=0)])
        return (ends[1:] + ends[:-1]) / 2


@pytest.fixture
def planar_chain() -> Callable[[Robot], PlanarChain]:
    """Make the closed form for a robot."""
    return PlanarChain
