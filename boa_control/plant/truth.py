# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""True state of a simulated robot, in the plane or in space, with the same names: what only a
simulation knows, for evaluation and views, never for control.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from boa_control.plant.true_contacts import ContactTruth
from boa_description.arrays import Array
from boa_description.quaternion import yaw_quaternion
from boa_description.robot import Robot


class PlanarTruth(NamedTuple):
    """Of a chain whose axes lie in the plane at `height`, m; the rest is as of `SpatialTruth`."""

    stamp_ns: int
    base: Array
    base_velocity: Array
    joint_position: Array
    joint_velocity: Array
    contacts: Sequence[ContactTruth] = ()
    height: float = 0.0
    passed: Array | None = None

    @property
    def position(self) -> Array:
        x, y, _ = self.base.tolist()
        return np.array([x, y, self.height])

    @property
    def orientation(self) -> Array:
        return yaw_quaternion(self.base[2])

    @property
    def linear_velocity(self) -> Array:
        u, v, _ = self.base_velocity.tolist()
        return np.array([u, v, 0.0])

    @property
    def angular_velocity(self) -> Array:
        return np.array([0.0, 0.0, self.base_velocity[2]])

    @property
    def delivered(self) -> Array:
        return _known(self.passed, self.joint_position)

    def with_contacts(self, contacts: Sequence[ContactTruth]) -> Self:
        return self._replace(contacts=contacts)


class SpatialTruth(NamedTuple):
    """Of a chain anywhere in space.

    Attributes:
        stamp_ns: ns.
        position: shape (3,), tail end of link 1 (on the joint axis line), world frame, m.
        orientation: shape (4,), unit quaternion x, y, z, w of link 1 in the world.
        linear_velocity: of that point, shape (3,), world frame, m/s.
        angular_velocity: of link 1, shape (3,), world frame, rad/s.
        heading: of link 1, rad; not wrapped, beside the quaternion, which cannot count turns.
        joint_position, joint_velocity: shape (n_joints,), noiseless, rad and rad/s.
        contacts: one entry per touching pair of link and obstacle.
        passed: `delivered`; None where the simulation does not tell.
    """

    stamp_ns: int
    position: Array
    orientation: Array
    linear_velocity: Array
    angular_velocity: Array
    heading: float
    joint_position: Array
    joint_velocity: Array
    contacts: Sequence[ContactTruth] = ()
    passed: Array | None = None

    @property
    def base(self) -> Array:
        """x, y and heading of link 1, shape (3,), m and rad."""
        return np.array([self.position[0], self.position[1], self.heading])

    @property
    def base_velocity(self) -> Array:
        """Rates of `base`, shape (3,), m/s and rad/s."""
        return np.array([*self.linear_velocity[:2], self.angular_velocity[2]])

    @property
    def delivered(self) -> Array:
        """Torque that every gearbox passes on to the links, shape (n_joints,), N m: the motor's
        less friction and what accelerates its rotor. NaN where the simulation does not tell.
        """
        return _known(self.passed, self.joint_position)

    def with_contacts(self, contacts: Sequence[ContactTruth]) -> Self:
        """The same state with other contacts."""
        return self._replace(contacts=contacts)


GroundTruth = PlanarTruth | SpatialTruth


def _known(values: Array | None, like: Array) -> Array:
    return np.full(like.shape, np.nan) if values is None else values


def pose_of(truth: GroundTruth) -> Array:
    """Position and quaternion of link 1, shape (7,)."""
    return np.concatenate((truth.position, truth.orientation))


def base_of(truth: GroundTruth, robot: Robot) -> Array:
    """`base`, or the pose of a robot that leaves the plane: what views draw it from."""
    return truth.base if robot.planar else pose_of(truth)


class LinkMotions(NamedTuple):
    """Motion of link 1 at many instants: position, quaternion, linear and angular velocity, shapes
    (T, 3), (T, 4), (T, 3) and (T, 3), as of `GroundTruth`.
    """

    position: Array
    orientation: Array
    linear_velocity: Array
    angular_velocity: Array


class PlanarMotions(NamedTuple):
    """`base` and `base_velocity` of `GroundTruth` at many instants, shape (T, 3) each."""

    base: Array
    base_velocity: Array


def planar_motions(truths: Sequence[GroundTruth]) -> PlanarMotions:
    """Motion of link 1 in the plane at many instants, at once where all of them are in space."""
    spatial = [truth for truth in truths if isinstance(truth, SpatialTruth)]
    if len(spatial) < len(truths):
        return PlanarMotions(
            np.array([truth.base for truth in truths]),
            np.array([truth.base_velocity for truth in truths]),
        )
    base = np.array([truth.position for truth in spatial])
    base[:, 2] = [truth.heading for truth in spatial]
    rates = np.array([truth.linear_velocity for truth in spatial])
    rates[:, 2] = [truth.angular_velocity[2] for truth in spatial]
    return PlanarMotions(base, rates)


def link_motions(truths: Sequence[GroundTruth]) -> LinkMotions:
    """Motion of link 1 at many instants, at once where all of them are in the plane."""
    planar = [truth for truth in truths if isinstance(truth, PlanarTruth)]
    if len(planar) < len(truths):
        return LinkMotions(
            np.array([truth.position for truth in truths]),
            np.array([truth.orientation for truth in truths]),
            np.array([truth.linear_velocity for truth in truths]),
            np.array([truth.angular_velocity for truth in truths]),
        )
    base = np.array([truth.base for truth in planar])
    rates = np.array([truth.base_velocity for truth in planar])
    position, linear, angular = np.zeros((3, len(planar), 3))
    position[:, :2], position[:, 2] = base[:, :2], [truth.height for truth in planar]
    linear[:, :2], angular[:, 2] = rates[:, :2], rates[:, 2]
    return LinkMotions(position, yaw_quaternion(base[:, 2]), linear, angular)
