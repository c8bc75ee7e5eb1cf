# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A chain with rigid contacts in steps of Moreau, planar or in space.

A step of length h from q, v (Moreau 1988; Acary and Brogliato 2008, chapter 10) has its mass matrix
M, forces and contacts at its middle q_m, so that free motion is of second order:

    q_m = q + h v / 2                                 on the group of poses
    (M + h D / 2) (v~ - v) = h (S tau + Q - b - D v)  what would be without contact
    (M + h D / 2) (v+ - v~) = J' p                    impulses p by Coulomb's law (gauss_seidel)
    q+ = q_m + h v+ / 2

with the gap in the middle of the next step, g + h n'v+, never negative. Bias b and outer forces Q
take the velocity of the middle, v plus half of its last change, from which impacts are left out:
the smaller one of that with contacts and that without, zero where their signs differ. M, b, the
motion of every point, and gaps and normals come from the same compiled MuJoCo model as everything
else; the rest of MuJoCo's dynamics is not used. Joint stops and dry friction of the gears are rows
beside the contacts.
"""

from abc import ABC, abstractmethod

import mujoco
import numpy as np

from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_sim.engines.contact_columns import MeanContacts, StepContacts
from boa_sim.engines.geared_model import GearedModel, scale_masses
from boa_sim.engines.moreau import blocks, gauss_seidel
from boa_sim.engines.moreau.contacts import RigidContacts
from boa_sim.engines.moreau.coordinates import moved
from boa_sim.engines.moreau.gears import DryGears, Flanks, gears_of
from boa_sim.engines.moreau.touching import (
    NEAR,
    GeomRoles,
    carried_over,
    contact_rows,
    directions,
    each_link,
    find_touching,
    generalised_force,
)
from boa_sim.world import Physics

NEAR_STOP = 0.1  # rad; joints further away than this do not reach their stop within one step
RECOVERY = 0.05  # m/s at which an overlap of the start is pushed out; of a joint stop, rad/s


class RigidChain(GearedModel, ABC):
    """The links of a robot, moved by rigid contact.

    Attributes: as of `GearedModel`, and
        residual: largest error of the contact laws in the last step, m/s.
        sweeps: how many the last step took.
    """

    _gears: DryGears
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
            tangents: directions along an obstacle in which a contact may rub.
        """
        for geom in spec.geoms:
            geom.margin = geom.gap = NEAR
        super().__init__(spec)
        model, nv = self.model, self.model.nv
        self._robot, self._base = robot, base
        self._mu, self._restitution = physics.contact.friction, physics.contact.restitution
        self._tangents = 0 if self._mu == 0 else tangents
        self._viscous, self._across = physics.contact.viscous, tangents
        self._links = np.array([model.body(name).id for name in robot.link_names])
        self._root = int(model.body_rootid[self._links[0]])
        self._roles = self._find_roles()
        self._gears = gears_of(model, self.data, robot, physics)
        self._flanks = Flanks(model, robot, base, physics.backlash)
        self._motors = slice(nv - robot.joints, nv)
        scale_masses(model, self.data, self._links, physics.mass_scale)
        self._angles = self.data.qpos[base - nv :][: robot.joints]
        self._stops = np.array([robot.joint.lower, robot.joint.upper])
        self._damping = model.dof_damping
        self._inertia, self._unit = np.zeros((nv, nv)), np.eye(nv)
        self._diagonal = self._inertia.reshape(-1)[:: nv + 1]
        self._steps = StepContacts()
        self.residual, self.sweeps = 0.0, 0

    @abstractmethod
    def _find_roles(self) -> GeomRoles:
        """Links and obstacles among the geoms."""

    @abstractmethod
    def _outer_wrenches(self) -> Array:
        """Force and moment on every link at its centre beside those of contacts, world frame,
        (n, 6).
        """

    def _start(self) -> None:
        """Forces at rest at the position that `data` has: those of the step that would follow
        without torque.
        """
        self._qvel[:] = self._qacc[:] = 0.0
        self._gears.place()
        self._change = np.zeros(self.model.nv)  # of the velocity, in the last step: its smooth part
        self._dry_impulse = np.zeros(self._gears.rows)
        self._flank_impulse = np.zeros(len(self._flanks.rows))
        self._find_position()
        self._touching = find_touching(self.data, self._roles)
        self._impulse = np.zeros((self._touching.number, 1 + self._tangents))
        self._qacc[:] = self._solve(np.zeros(self._robot.joints)) / self.step
        self.refresh()

    def advance(self, torque: Array) -> None:
        """Make one physics step with commanded joint torques (n_joints,), N m."""
        self._drift()
        self._find_position()
        touched, self._touching = self._touching, find_touching(self.data, self._roles)
        self._impulse = carried_over(self._touching, touched, self._impulse)
        motor = self._gears.motor(torque)
        before, after = self._qvel.copy(), self._solve(motor)
        self._gears.settle(motor, self._dry_impulse, before[self._motors], after[self._motors])
        self._qvel[:], self._qacc[:] = after, (after - before) / self.step
        self._change = minmod(after - before, self._untouched - before)
        self._drift()

    def _drift(self) -> None:
        """Half a step with the present velocity."""
        mujoco.mj_integratePos(self.model, self.data.qpos, self._qvel, 0.5 * self.step)

    def _find_position(self) -> None:
        """Everything of MuJoCo that follows from the position without forces."""
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_makeM(self.model, self.data)
        mujoco.mj_collision(self.model, self.data)

    def _solve(self, motor: Array) -> Array:
        """The velocity, shape (nv,), at the end of the step whose middle is the present position,
        at motor torques (n_joints,), N m. Impulses are kept, nothing moves.
        """
        root = self.data.subtree_com[self._root]
        free = self._free(motor, root)
        touching, flanks = self._touching, self._flanks
        frame = directions(touching.normal, self._tangents)
        contact = contact_rows(touching, frame, self.data.cdof, root, self._base)
        shift = self._shift(contact[:: 1 + self._tangents])
        rows, laws = [contact], [blocks.contacts(shift, self._mu, self._tangents)]
        room = np.concatenate((self._angles - self._stops[0], self._stops[1] - self._angles))
        near = (room < NEAR_STOP).nonzero()[0]
        if near.size:
            side, joint = np.divmod(near, self._robot.joints)
            rows.append((1.0 - 2.0 * side)[:, None] * self._unit[self._base + joint])
            laws.append(self._stop(room[near]))
        if self._flank_impulse.size:
            rows.append(flanks.rows)
            laws.append(self._stop(flanks.room(self.data.qpos)))
        if self._dry_impulse.size:
            rows.append(self._unit[self._motors])
            rate = (
                self._qvel - 0.5 * self.step * self._qacc
            )  # when the load was that of `delivered`
            limit = self._gears.limit(motor, rate[self._motors])
            laws.append(blocks.dry_friction(self.step * limit))
        begin = self._impulse.ravel(), np.zeros(near.size), self._flank_impulse, self._dry_impulse
        result = gauss_seidel.solve(
            self._inertia,
            free,
            np.concatenate(rows),
            blocks.together(laws),
            np.concatenate(begin),
            convex=self.convex,
        )
        ends = np.cumsum([part.size for part in begin])[:-1]
        impulse, _, self._flank_impulse, self._dry_impulse = np.split(result.impulse, ends)
        self._untouched = moved(self._inertia, result.velocity, -impulse @ contact)
        self._impulse = impulse.reshape(frame.shape[:2])
        self._force = self._rubbing + np.einsum("mr,mrx->mx", self._impulse, frame) / self.step
        self._steps.add(RigidContacts(touching, self._impulse[:, 0] / self.step, self._force))
        self.residual, self.sweeps = result.residual, result.sweeps
        self._fresh = False
        return result.velocity

    def _free(self, motor: Array, root: Array) -> Array:
        """The velocity, shape (nv,), at the end of the step if nothing touched; leaves its inertia
        M + h D / 2, the velocity in its middle and the wrenches on all links.
        """
        model, data, h, before = self.model, self.data, self.step, self._qvel.copy()
        mujoco.mj_fullM(model, data, self._inertia)
        self._diagonal += 0.5 * h * self._damping
        self._qvel[:] = self._middle = before + 0.5 * self._change
        mujoco.mj_comVel(model, data)
        bias = np.zeros(model.nv)
        mujoco.mj_rne(model, data, 0, bias)
        self._wrench = self._outer_wrenches()
        self._qvel[:] = before
        force = -bias - self._damping * before
        force[self._motors] += motor
        if self._wrench.any():
            centre = data.xipos[self._links]
            force += generalised_force(self._wrench, centre, data.cdof, root, self._base)
        self._rubbing = np.zeros((self._touching.number, 3))
        if self._viscous > 0:
            force += self._rub(root)
        return np.asarray(moved(self._inertia, before, h * force))

    def _rub(self, root: Array) -> Array:
        """Generalised force, shape (nv,), of viscous friction at the points that the step before
        has pressed; leaves the forces on the links.
        """
        touching = self._touching
        along = directions(touching.normal, self._across)[:, 1:]
        rows = contact_rows(touching, along, self.data.cdof, root, self._base)
        pressed = np.repeat(self._impulse[:, 0] > 0, self._across)
        size = -self._viscous * pressed * (rows @ self._middle)
        self._rubbing = np.einsum("mr,mrx->mx", size.reshape(along.shape[:2]), along)
        return size @ rows

    def _stop(self, room: Array) -> blocks.Blocks:
        """Laws of stops that are so far away, shape (n,), m or rad."""
        return blocks.stops(np.maximum(room / self.step, -RECOVERY))

    def _shift(self, normals: Array) -> Array:
        """By how much normal velocities may fall short of zero, shape (m,), m/s: the gap over the
        step; at a bounce, minus the speed with which the point leaves (Newton's law of impact).

        Args:
            normals: rows of the normals, shape (m, nv).
        """
        gap, h = self._touching.gap, self.step
        shift: Array = np.maximum(gap / h, -RECOVERY)
        if self._restitution == 0.0:
            return shift
        approach = normals @ self._qvel
        bounces = (approach < 0.0) & (gap + h * approach <= 0.0)
        return np.where(bounces, self._restitution * approach, shift)

    def refresh(self) -> None:
        """Sensors: of the velocity at the present position, of accelerations and forces the means
        of the last step, in which impacts take place, as they are in its middle.
        """
        if self._fresh:
            return
        self._fresh, data, present = True, self.data, self._qvel.copy()
        wrench, touching = self._wrench.copy(), self._touching
        if touching.number:
            point, link, share = each_link(touching)
            force = share[:, None] * self._force[point]
            arm = touching.point[point] - data.xipos[self._links[link]]
            np.add.at(wrench, link, np.column_stack((force, np.cross(arm, force))))
        data.xfrc_applied[self._links] = wrench
        self._qvel[:] = self._middle
        mujoco.mj_rnePostConstraint(self.model, data)
        mujoco.mj_sensorAcc(self.model, data)
        self._qvel[:] = present
        mujoco.mj_kinematics(self.model, data)
        mujoco.mj_comPos(self.model, data)
        mujoco.mj_comVel(self.model, data)
        mujoco.mj_sensorVel(self.model, data)
        self._steps.of_tick()

    def contacts(self) -> MeanContacts:
        """Contacts of the steps between the last two refreshes, with their mean force."""
        return self._steps.of_tick()


def minmod(one: Array, other: Array) -> Array:
    """Of each two numbers the one nearer to zero, zero where their signs differ."""
    same = np.sign(one) == np.sign(other)
    return np.where(same, np.where(np.abs(one) < np.abs(other), one, other), 0.0)
