# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A chain with rigid contacts in steps of Moreau, planar or in space.

One step of length h from q, v (Moreau 1988; Acary and Brogliato 2008, chapter 10):

    (M + h D) (v~ - v) = h (S tau + Q - b - D v)      what would be without contact
    (M + h D) (v+ - v~) = J' p                        impulses p by Coulomb's law (gauss_seidel)
    q+ = q + h v+                                     on the group of poses

with the gap at the end of the step, g + h n'v+, never negative. Mass matrix M, bias b, the motion
of every point, and gaps and normals come from the same compiled MuJoCo model as everything else;
the rest of MuJoCo's dynamics is not used. Joint stops and dry friction of the gears are rows beside
the contacts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import mujoco
import numpy as np

from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_sim.engines.masses import scale_masses
from boa_sim.engines.moreau import blocks, gauss_seidel
from boa_sim.engines.moreau.contacts import RigidContacts
from boa_sim.engines.moreau.gears import Flanks, gears_of
from boa_sim.engines.moreau.touching import (
    GeomRoles,
    carried_over,
    contact_rows,
    directions,
    each_link,
    find_touching,
    generalised_force,
)
from boa_sim.world import Physics

NEAR = 0.01  # m; points further away than this do not touch within one step
NEAR_STOP = 0.1  # rad; joints further away than this do not reach their stop within one step
RECOVERY = 0.05  # m/s at which an overlap of the start is pushed out; of a joint stop, rad/s


class RigidChain(ABC):
    """The links of a robot, moved by rigid contact.

    Attributes:
        model, data: MuJoCo's, for rendering and for tests; `data` holds the present position.
        residual: largest error of the contact laws in the last step, m/s.
        sweeps: how many the last step took.
    """

    convex = False  # see `gauss_seidel.solve`

    def __init__(
        self,
        robot: Robot,
        spec: mujoco.MjSpec,
        physics: Physics,
        base: int,
        tangents: int,
    ) -> None:
        """Compile `spec`.

        Args:
            base: number of velocities of the base, before the joints.
            tangents: directions of friction at a contact, where there is any.
        """
        for geom in spec.geoms:
            geom.margin = geom.gap = NEAR
        self.model: Any = spec.compile()
        self.data: Any = mujoco.MjData(self.model)
        self._robot, self._base = robot, base
        self._mu, self._restitution = physics.contact.friction, physics.contact.restitution
        self._tangents = 0 if self._mu == 0 else tangents
        self._links = np.array([self.model.body(name).id for name in robot.link_names])
        self._roles = self._find_roles()
        self._gears = gears_of(self.model, robot, physics)
        self._flanks = Flanks(self.model, robot, base, physics.backlash)
        self._motors = slice(self.model.nv - robot.joints, self.model.nv)
        scale_masses(self.model, self.data, self._links, physics.mass_scale)
        self._stops = np.array([robot.joint.lower, robot.joint.upper])
        self._inertia = np.zeros((self.model.nv, self.model.nv))
        self.residual, self.sweeps = 0.0, 0

    @abstractmethod
    def _find_roles(self) -> GeomRoles:
        """Links and obstacles among the geoms."""

    @abstractmethod
    def _outer_wrenches(self) -> Array:
        """Force and moment on every link at its centre beside those of contacts, world frame,
        (n, 6).
        """

    @property
    def step(self) -> float:
        """Physics step, s."""
        return float(self.model.opt.timestep)

    def _start(self) -> None:
        """Forces at rest at the position that `data` has: those of the step that would follow
        without torque.
        """
        self.data.qvel[:] = 0.0
        self._gears.place()
        self._dry_impulse = np.zeros(self._gears.rows)
        self._flank_impulse = np.zeros(len(self._flanks.rows))
        self._find_position()
        self._touching = find_touching(self.data, self._roles, NEAR)
        self._impulse = np.zeros((self._touching.number, 1 + self._tangents))
        result, self._wrench = self._solve(np.zeros(self._robot.joints))
        self._acceleration = (result.velocity - self.data.qvel) / self.step
        self.refresh()

    def advance(self, torque: Array) -> None:
        """Make one physics step with commanded joint torques (n_joints,), N m."""
        before = self.data.qvel[self._motors].copy()
        result, self._wrench = self._solve(torque)
        after = result.velocity[self._motors]
        self._gears.settle(self._gears.motor(torque), self._dry_impulse, before, after)
        self._acceleration = (result.velocity - self.data.qvel) / self.step
        self.data.qvel[:] = result.velocity
        mujoco.mj_integratePos(self.model, self.data.qpos, self.data.qvel, self.step)
        self._find_position()
        touched, self._touching = self._touching, find_touching(self.data, self._roles, NEAR)
        self._impulse = carried_over(self._touching, touched, self._impulse)

    def _find_position(self) -> None:
        """Everything of MuJoCo that follows from position and velocity without forces."""
        model, data = self.model, self.data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_collision(model, data)
        mujoco.mj_comVel(model, data)

    def _solve(self, torque: Array) -> tuple[blocks.Impulses, Array]:
        """The step from the present position; impulses are kept, nothing moves.

        Returns:
            the result, and the wrenches on all links beside those of contacts, (n, 6).
        """
        model, data, h, base = self.model, self.data, self.step, self._base
        velocity, touching = data.qvel, self._touching
        wrench = self._outer_wrenches()
        mujoco.mj_fullM(model, data, self._inertia)
        damping = model.dof_damping
        inertia = self._inertia + np.diag(h * damping)
        force = np.zeros(model.nv)
        mujoco.mj_rne(model, data, 0, force)
        force = -force - damping * velocity
        motor = self._gears.motor(torque)
        force[self._motors] += motor
        root = data.subtree_com[model.body_rootid[self._links[0]]]
        if wrench.any():
            centre = data.xipos[self._links]
            force += generalised_force(wrench, centre, data.cdof, root, base)
        free = velocity + h * np.linalg.solve(inertia, force)

        frame = directions(touching.normal, self._tangents)
        parts = [blocks.contacts(self._shift(velocity, frame, root), self._mu, self._tangents)]
        rows = [contact_rows(touching, frame, data.cdof, root, base)]
        first = data.qpos.size - (model.nv - base)
        joints = data.qpos[first : first + self._robot.joints]
        room = np.stack((joints - self._stops[0], self._stops[1] - joints))
        side, joint = (room < NEAR_STOP).nonzero()
        stop = np.zeros((joint.size, model.nv))
        stop[np.arange(joint.size), base + joint] = 1.0 - 2.0 * side
        parts.append(blocks.stops(np.maximum(room[side, joint] / h, -RECOVERY)))
        rows.append(stop)
        parts.append(blocks.stops(np.maximum(self._flanks.room(data.qpos) / h, -RECOVERY)))
        rows.append(self._flanks.rows)
        limit = self._gears.limit(motor, velocity[self._motors])
        parts.append(blocks.dry_friction(h * limit))
        rows.append(np.eye(model.nv)[self._motors][: limit.size])
        start = np.concatenate(
            (
                self._impulse.ravel(),
                np.zeros(joint.size),
                self._flank_impulse,
                self._dry_impulse,
            )
        )
        result = gauss_seidel.solve(
            inertia,
            free,
            np.concatenate(rows),
            blocks.together(parts),
            start,
            convex=self.convex,
        )
        self._impulse = result.impulse[: self._impulse.size].reshape(self._impulse.shape)
        gears = result.impulse[self._impulse.size + joint.size :]
        self._flank_impulse, self._dry_impulse = np.split(gears, [self._flank_impulse.size])
        self.residual, self.sweeps = result.residual, result.sweeps
        return result, wrench

    def _shift(self, velocity: Array, frame: Array, root: Array) -> Array:
        """By how much normal velocities may fall short of zero, shape (m,), m/s: the gap over the
        step; at a bounce, minus the speed with which the point leaves (Newton's law of impact).
        """
        touching = self._touching
        shift: Array = np.maximum(touching.gap / self.step, -RECOVERY)
        if self._restitution == 0.0 or not touching.number:
            return shift
        rows = contact_rows(touching, frame[:, :1], self.data.cdof, root, self._base)
        approach = rows @ velocity
        bounces = (approach < 0.0) & (touching.gap + self.step * approach <= 0.0)
        return np.where(bounces, self._restitution * approach, shift)

    def refresh(self) -> None:
        """Sensors at the present position: the accelerations and forces are means of the last
        step, in which impacts take place.
        """
        data = self.data
        data.qacc[:] = self._acceleration
        wrench = self._wrench.copy()
        touching = self._touching
        if touching.number:
            point, link, share = each_link(touching)
            force = share[:, None] * self._contact_force()[point]
            arm = touching.point[point] - data.xipos[self._links[link]]
            np.add.at(wrench, link, np.column_stack((force, np.cross(arm, force))))
        data.xfrc_applied[self._links] = wrench
        mujoco.mj_rnePostConstraint(self.model, data)
        mujoco.mj_sensorVel(self.model, data)
        mujoco.mj_sensorAcc(self.model, data)

    def _contact_force(self) -> Array:
        """On the links at every point, mean of the last step, (m, 3), N."""
        frame = directions(self._touching.normal, self._tangents)
        return np.einsum("mr,mrx->mx", self._impulse, frame) / self.step

    @property
    def motor_rate(self) -> Array:
        """See `boa_sim.world.GearedWorld`."""
        rate: Array = self.data.qvel[self._motors].copy()
        return rate

    @property
    def delivered(self) -> Array:
        """See `boa_sim.world.GearedWorld`; mean of the last step."""
        return self._gears.delivered

    @property
    def finite(self) -> bool:
        """Whether the state is still a number everywhere."""
        return bool(np.isfinite(self.data.qvel).all() and np.isfinite(self._acceleration).all())

    def contacts(self) -> RigidContacts:
        """Contacts that carried force in the last step, one per touching pair of link and
        obstacle.
        """
        return RigidContacts(self._touching, self._impulse[:, 0] / self.step, self._contact_force())
