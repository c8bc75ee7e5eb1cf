# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The virtual robot: a chain on a shape curve that grows at its head and is bent by forces."""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from boa_control.controllers.shape_path.compliance import ComplianceSettings, moved, shares
from boa_control.controllers.shape_path.curve import Curve, derivative, joints_on_curve, pchip
from boa_description.angles import wrapped
from boa_description.arrays import Array
from boa_description.robot import Block, Metre

BEHIND = 4  # points that are kept behind the tail
SLOWEST = 0.02  # m per index; where the curve stands still the head would leap


class GaitSegment(Block):
    """One period of the wave as points of a sine (paper, section IV-C; its own are only drawn)."""

    amplitude: Metre = Field(default=0.18, gt=0, le=5)
    wavelength: Metre = Field(default=1.0, gt=0, le=20)
    points: int = Field(default=9, ge=4, le=100, description="of one period, both ends counted")

    @property
    def steps(self) -> Array:
        """From each point to the next, shape (points - 1, 2), m."""
        x = np.linspace(0.0, self.wavelength, self.points)
        y = self.amplitude * np.sin(2 * np.pi * x / self.wavelength)
        return np.diff(np.column_stack((x, y)), axis=0)


class Shape(NamedTuple):
    """The virtual robot at one instant.

    Attributes:
        angles: of its joints, shape (n - 1,), rad.
        headings: of its links, shape (n,), rad, unwrapped along the body.
        joints: s of its joints from the tail end to the head end, shape (n + 1,).
    """

    angles: Array
    headings: Array
    joints: Array


class VirtualRobot:
    """Shape control points with their displacements, and the chain that lies on them."""

    def __init__(
        self,
        links: int,
        pitch: float,
        gait: GaitSegment,
        compliance: ComplianceSettings | None,
        ahead: int,
    ) -> None:
        """`ahead` points are kept before the head; None for `compliance` holds the curve rigid."""
        self._links, self._pitch = links, pitch
        self._steps = gait.steps
        self._spacing = float(np.hypot(*self._steps.T).mean())
        self._compliance = compliance
        self._ahead = ahead
        self.reset(np.zeros(2), 0.0)

    def reset(self, tail: Array, heading: float) -> None:
        """Lie straight from `tail` (2,), m, on; the wave enters at the head."""
        along = np.array([np.cos(heading), np.sin(heading)])
        count = int(np.ceil(self._links * self._pitch / self._spacing)) + BEHIND + 1
        start = self._links * self._pitch - (count - 1) * self._spacing
        self._home = tail + (start + self._spacing * np.arange(count))[:, None] * along
        self._displacement = np.zeros_like(self._home)
        self._velocity = np.zeros_like(self._home)
        self._next = 0
        self._head = float(count - 1)
        self._psi = heading
        self._grow(1.0)
        self.shape = self._lie(pchip(self.points))

    @property
    def points(self) -> Array:
        """The shape control points, shape (k, 2), m."""
        return self._home + self._displacement

    def step(
        self, speed: float, turn: float, force: Array, period: float, width: float = 1.0
    ) -> Shape:
        """Go on by one control period.

        Args:
            speed: of the head along the curve, m/s.
            turn: by which new points lead away from the mean heading of the virtual robot, rad.
            force: across every link, shape (n,), N, positive to its left; as of the last shape.
            period: s.
            width: of new pieces of the wave, times the amplitude of the gait.
        """
        self._psi = float(self.shape.headings.mean()) + turn
        if self._compliance is not None:
            self._bend(self._compliance, force, period)
        curve = pchip(self.points)
        rate = max(float(np.hypot(*derivative(curve, self._head))), SLOWEST)
        self._head += speed * period / rate
        if self._grow(width):
            curve = pchip(self.points)
        self.shape = self._lie(curve)
        return self.shape

    def _bend(self, settings: ComplianceSettings, force: Array, period: float) -> None:
        cut = np.inf if settings.force_cut is None else settings.force_cut
        size = settings.force_scale * np.clip(force, -cut, cut)
        theta, joints = self.shape.headings, self.shape.joints
        across = size[:, None] * np.column_stack((-np.sin(theta), np.cos(theta)))
        share = shares(len(self._home), (joints[1:] + joints[:-1]) / 2, settings)
        self._displacement, self._velocity = moved(
            self._displacement, self._velocity, share @ across, self._psi, settings, period
        )

    def _grow(self, width: float) -> bool:
        """Append points until enough lie ahead of the head, eq. 2; whether any was needed."""
        before = len(self._home)
        cos, sin = np.cos(self._psi), np.sin(self._psi)
        while self._head > len(self._home) - 1 - self._ahead:
            x, y = self._steps[self._next] * (1.0, width)
            self._next = (self._next + 1) % len(self._steps)
            new = self.points[-1] + np.array([cos * x - sin * y, sin * x + cos * y])
            self._home = np.vstack((self._home, new))
            self._displacement = np.vstack((self._displacement, np.zeros(2)))
            self._velocity = np.vstack((self._velocity, np.zeros(2)))
        return len(self._home) > before

    def _lie(self, curve: Curve) -> Shape:
        """The chain on the curve; points far behind its tail are dropped."""
        joints, axes = joints_on_curve(curve, self._head, self._links, self._pitch)
        step = axes[1:] - axes[:-1]
        headings = np.arctan2(step[:, 1], step[:, 0])
        angles = wrapped(headings[1:] - headings[:-1])
        headings[1:] = headings[0] + np.cumsum(angles)
        headings += 2 * np.pi * round((self._psi - headings.mean()) / (2 * np.pi))
        drop = int(joints[0]) - BEHIND
        if drop > 0:
            self._home = self._home[drop:]
            self._displacement = self._displacement[drop:]
            self._velocity = self._velocity[drop:]
            self._head -= drop
            joints = joints - drop
        return Shape(angles, headings, joints)
