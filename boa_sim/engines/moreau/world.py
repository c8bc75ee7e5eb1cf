"""Rigid contact in steps of Moreau: a `World` without springs between links and obstacles.

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

from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from boa_control.plant import GroundTruth
from boa_description import frames
from boa_description.arrays import Array
from boa_description.chain import link_headings
from boa_description.floor import check_step, ground_force, ground_torque
from boa_description.mjcf import build_spec
from boa_description.quaternion import yaw_quaternion
from boa_description.robot import Robot
from boa_description.scene import Box, Circle, ContactModel, GroundFriction, Wall
from boa_sim.engines.moreau import blocks, gauss_seidel
from boa_sim.engines.moreau.contacts import RigidContacts
from boa_sim.engines.moreau.touching import (
    NOBODY,
    GeomRoles,
    carried_over,
    contact_rows,
    directions,
    each_link,
    find_touching,
    generalised_force,
)
from boa_sim.posing import base_coordinates, set_pose

NEAR = 0.01  # m; points further away than this do not touch within one step
NEAR_STOP = 0.1  # rad; joints further away than this do not reach their stop within one step
RECOVERY = 0.05  # m/s at which an overlap of the start is pushed out; of a joint stop, rad/s


class MoreauWorld:
    """A `World` with rigid contacts.

    Attributes:
        model, data: MuJoCo's, for rendering and for tests; `data` holds the present position.
        residual: largest error of the contact laws in the last step, m/s.
        sweeps: how many the last step took.
    """

    convex = False  # see `gauss_seidel.solve`

    def __init__(
        self,
        robot: Robot,
        obstacles: Sequence[Circle | Box | Wall] = (),
        *,
        contact: ContactModel | None = None,
        ground: GroundFriction | None = None,
        step: float = 0.001,
        coulomb: float = 0.0,
        extra_damping: float = 0.0,
        mass_scale: Array | None = None,
    ) -> None:
        """Build the world, straight at the origin. `contact.solref` and `solimp` have no meaning
        here; the other arguments are those of `boa_sim.world.Engine`.

        Raises:
            BoaError: the ground friction is too steep for the physics step.
        """
        contact, ground = contact or ContactModel(), ground or GroundFriction()
        check_step(ground, robot.link, step)
        self._robot, self._ground = robot, ground
        self._mu, self._restitution = contact.friction, contact.restitution
        spec = build_spec(robot, obstacles, physics_step=step)
        for geom in spec.geoms:
            geom.margin = geom.gap = NEAR
        self.model: Any = spec.compile()
        self.data: Any = mujoco.MjData(self.model)
        self._roles = _roles(self.model, robot, len(obstacles))
        self._base = base_coordinates(self.model)
        self._tangents = 0 if self._mu == 0 else 1
        self._links = np.array([self.model.body(name).id for name in robot.link_names])
        self._change_model(extra_damping, mass_scale)
        self._dry = np.full(robot.joints if coulomb > 0 else 0, step * coulomb)
        self._stops = np.array([robot.joint.lower, robot.joint.upper])
        self._forces, self._gyros, self._accelerometers = (
            self._sensor_columns(names)
            for names in (
                [frames.force_frame(joint) for joint in robot.joint_names],
                [frames.gyro(link) for link in robot.link_names],
                [frames.accelerometer(link) for link in robot.link_names],
            )
        )
        self._inertia = np.zeros((self.model.nv, self.model.nv))
        self._mounted = np.zeros(3)
        self._pushes: Mapping[int, Array] = {}
        self.residual, self.sweeps = 0.0, 0
        self.place(np.zeros(3), np.zeros(robot.joints))

    def _sensor_columns(self, names: list[str]) -> Any:
        """Indices into sensordata, shape (len(names), 3)."""
        starts = np.array([self.model.sensor(name).adr[0] for name in names])
        return starts[:, None] + np.arange(3)

    def _change_model(self, extra_damping: float, mass_scale: Array | None) -> None:
        self.model.dof_damping[self._base :] += extra_damping
        if mass_scale is not None:
            self.model.body_mass[self._links] *= mass_scale
            self.model.body_inertia[self._links] *= mass_scale[:, None]
        mujoco.mj_setConst(self.model, self.data)

    @property
    def step(self) -> float:
        """Physics step, s."""
        return float(self.model.opt.timestep)

    def place(self, base: Array, joints: Array) -> None:
        """Put the chain at rest at a pose: base (3,) x, y, heading of link 1; joints (n_joints,); m
        and rad.
        """
        mujoco.mj_resetData(self.model, self.data)
        set_pose(self.model, self.data, base, joints)
        self._mounted = np.array(base, float)
        self._pushes = {}
        self._dry_impulse = np.zeros_like(self._dry)
        self._find_position()
        self._touching = find_touching(self.data, self._roles, NEAR)
        self._impulse = np.zeros((self._touching.number, 1 + self._tangents))
        # the forces of the first instant are those of the step that would follow without torque
        result, self._wrench = self._solve(np.zeros(self._robot.joints))
        self._acceleration = (result.velocity - self.data.qvel) / self.step
        self.refresh()

    def advance(self, torque: Array) -> None:
        """Make one physics step with joint torques (n_joints,), N m."""
        result, self._wrench = self._solve(torque)
        self._acceleration = (result.velocity - self.data.qvel) / self.step
        self.data.qvel[:] = result.velocity
        mujoco.mj_integratePos(self.model, self.data.qpos, self.data.qvel, self.step)
        self._find_position()
        before, self._touching = self._touching, find_touching(self.data, self._roles, NEAR)
        self._impulse = carried_over(self._touching, before, self._impulse)

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
        limit = self._robot.actuator.torque_limit
        force[base:] += np.clip(torque, -limit, limit)
        root = data.subtree_com[model.body_rootid[self._links[0]]]
        if wrench.any():
            centre = data.xipos[self._links]
            force += generalised_force(wrench, centre, data.cdof, root, base)
        free = velocity + h * np.linalg.solve(inertia, force)

        frame = directions(touching.normal, self._tangents)
        parts = [blocks.contacts(self._shift(velocity, frame, root), self._mu, self._tangents)]
        rows = [contact_rows(touching, frame, data.cdof, root, base)]
        joints = self.joint_position
        room = np.stack((joints - self._stops[0], self._stops[1] - joints))
        side, joint = (room < NEAR_STOP).nonzero()
        stop = np.zeros((joint.size, model.nv))
        stop[np.arange(joint.size), base + joint] = 1.0 - 2.0 * side
        parts.append(blocks.stops(np.maximum(room[side, joint] / h, -RECOVERY)))
        rows.append(stop)
        parts.append(blocks.dry_friction(self._dry))
        rows.append(np.eye(model.nv)[base:][: self._dry.size])
        start = np.concatenate((self._impulse.ravel(), np.zeros(joint.size), self._dry_impulse))
        result = gauss_seidel.solve(
            inertia,
            free,
            np.concatenate(rows),
            blocks.together(parts),
            start,
            convex=self.convex,
        )
        self._impulse = result.impulse[: self._impulse.size].reshape(self._impulse.shape)
        self._dry_impulse = result.impulse[result.impulse.size - self._dry.size :]
        self.residual, self.sweeps = result.residual, result.sweeps
        return result, wrench

    def _shift(self, velocity: Array, frame: Array, root: Array) -> Array:
        """What the normal velocities may fall short of zero, shape (m,), m/s: the gap over the
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

    def _outer_wrenches(self) -> Array:
        """Force and moment of floor and pushes on every link at its centre, world frame, (n, 6)."""
        wrench = np.zeros((self._robot.links, 6))
        if self._ground.model != "none":
            mass, centre = self.model.body_mass[self._links], self.data.xipos[self._links, :2]
            wrench[:, :2] = ground_force(self._ground, mass, self._velocity(centre), self.heading)
            turning = self.data.cvel[self._links, 2]
            wrench[:, 5] = ground_torque(self._ground, self._robot.link.pitch, turning)
        for link, (along, across, torque) in self._pushes.items():
            cos, sin = np.cos(self.heading[link]), np.sin(self.heading[link])
            wrench[link, 0] += cos * along - sin * across
            wrench[link, 1] += sin * along + cos * across
            wrench[link, 5] += torque
        return wrench

    def _velocity(self, points: Array) -> Array:
        """Velocity of the links at `points` (n, 2), world frame, shape (n, 2), m/s."""
        motion = self.data.cvel[self._links]  # about the centre of mass of the whole chain
        arm = points - self.data.subtree_com[self._links[0], :2]
        return np.column_stack(
            (motion[:, 3] - motion[:, 2] * arm[:, 1], motion[:, 4] + motion[:, 2] * arm[:, 0])
        )

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

    def push(self, pushes: Mapping[int, Array]) -> None:
        """See `boa_sim.world.PushableWorld`."""
        self._pushes = dict(pushes)

    @property
    def finite(self) -> bool:
        """Whether the state is still a number everywhere."""
        return bool(np.isfinite(self.data.qvel).all() and np.isfinite(self._acceleration).all())

    @property
    def base(self) -> Array:
        """x, y, heading of link 1, shape (3,), m and rad."""
        return self.data.qpos[:3].copy() if self._base else self._mounted.copy()

    @property
    def base_velocity(self) -> Array:
        """Shape (3,), m/s and rad/s."""
        return self.data.qvel[:3].copy() if self._base else np.zeros(3)

    @property
    def joint_position(self) -> Array:
        """Shape (n_joints,), rad."""
        return self.data.qpos[self._base :].copy()

    @property
    def joint_velocity(self) -> Array:
        """Shape (n_joints,), rad/s."""
        return self.data.qvel[self._base :].copy()

    @property
    def heading(self) -> Array:
        """Of every link, shape (n,), rad, not wrapped."""
        return link_headings(self.base, self.joint_position)

    @property
    def joint_force(self) -> Array:
        """Force that link i + 1 exerts on link i, (n_joints, 3), in the frame of link i + 1, N."""
        return -self.data.sensordata[self._forces]

    @property
    def orientation(self) -> Array:
        """Quaternions x, y, z, w of all links in the world, shape (n, 4)."""
        return yaw_quaternion(self.heading)

    @property
    def angular_velocity(self) -> Array:
        """Of every link, shape (n, 3), link frames, rad/s."""
        return self.data.sensordata[self._gyros]

    @property
    def acceleration(self) -> Array:
        """Of the link centres without gravity, shape (n, 3), link frames, m/s2."""
        return self.data.sensordata[self._accelerometers]

    def truth(self, stamp_ns: int) -> GroundTruth:
        """The state and the contacts at the present instant, which is `stamp_ns`."""
        return GroundTruth.planar(
            stamp_ns,
            self.base,
            self.base_velocity,
            self.joint_position,
            self.joint_velocity,
            self.contacts(),
            height=self._robot.link.radius,
        )

    def contacts(self) -> RigidContacts:
        """Contacts that carried force in the last step, one per touching pair of link and
        obstacle.
        """
        return RigidContacts(self._touching, self._impulse[:, 0] / self.step, self._contact_force())


class ConvexMoreauWorld(MoreauWorld):
    """The same with the convex relaxation of friction: sliding contacts are pushed off. It is here
    to show what that costs; judge nothing by it.
    """

    convex = True


def _roles(model: Any, robot: Robot, obstacles: int) -> GeomRoles:
    """Links and obstacles among the geoms, by name."""
    link, obstacle = np.full(model.ngeom, NOBODY), np.full(model.ngeom, NOBODY)
    for index, name in enumerate(robot.link_names):
        link[model.geom(frames.link_geom(name)).id] = index
    for index in range(obstacles):
        obstacle[model.geom(frames.obstacle_geom(index)).id] = index
    return GeomRoles(link, obstacle)
