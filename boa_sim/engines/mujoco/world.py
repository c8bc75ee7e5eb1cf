# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rigid-body world: MuJoCo's chain and obstacles, stepped so that readings belong to one instant.

After `mj_step` MuJoCo holds the new position but the forces and sensor values of the old one. Here
every step is split (`mj_step2`, then `mj_step1`), and `refresh` computes forces and sensors at the
present position with the torque that led there: what a sensor on the robot sees at the end of a
control period.
"""

import math
from collections.abc import Mapping, Sequence

import mujoco
import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from boa_control.compiled.floor import brake
from boa_control.plant import GroundTruth, PlanarTruth
from boa_description import frames
from boa_description.arrays import Array
from boa_description.chain import link_headings
from boa_description.errors import BoaError
from boa_description.floor import check_step, coefficients, turning_drag
from boa_description.mjcf import build_spec
from boa_description.quaternion import product, yaw_quaternion
from boa_description.robot import Robot
from boa_description.scene import GRAVITY, ContactModel, Obstacle
from boa_sim.engines.contact_columns import tangents
from boa_sim.engines.geared_model import GearedModel, scale_masses, set_standing, tilt_quaternion
from boa_sim.engines.mujoco.contact_friction import SmoothedForces, tangential_force
from boa_sim.engines.mujoco.contact_limit import check_contacts, largest_share
from boa_sim.engines.mujoco.contacts import (
    GeomIndex,
    MujocoContacts,
    find_points,
    normal_forces,
)
from boa_sim.engines.mujoco.gears import Gears, gears_of
from boa_sim.posing import base_coordinates, set_pose
from boa_sim.world import PLAIN, Physics

VELOCITY_STAGE = int(mujoco.mjtStage.mjSTAGE_VEL)  # a plain number: MuJoCo converts others


def require_springs(contact: ContactModel) -> None:
    """Refuse contacts that bounce or that rub viscously. Raises BoaError."""
    if contact.restitution > 0:
        raise BoaError(
            f"contact.restitution {contact.restitution:g}: this engine's contacts are dampers "
            "and know no coefficient of restitution; leave it out, or set plant.engine: moreau"
        )
    if contact.viscous > 0:
        raise BoaError(
            f"contact.viscous {contact.viscous:g}: this engine knows Coulomb's friction alone; "
            "leave it out, or set plant.engine: moreau"
        )


class MujocoWorld(GearedModel):
    """A `World`: a planar chain among obstacles. Joint torques in, motion and forces out.

    Attributes: as of `GearedModel`.
    """

    _gears: Gears

    def __init__(
        self, robot: Robot, obstacles: Sequence[Obstacle] = (), physics: Physics = PLAIN
    ) -> None:
        """Build the world, straight at the origin.

        Raises:
            BoaError: the ground friction is too steep, or the contacts are too hard, for the
                physics step; contacts that bounce.
        """
        contact, ground, step = physics.contact, physics.ground, physics.step
        require_springs(contact)
        check_step(ground, robot.link, step)
        self._floor = coefficients(ground)
        self._turning_drag = turning_drag(ground, robot.link.pitch)
        self._mu = contact.friction
        self._rubs = ground.model != "none" or contact.friction > 0
        self._link_mass = robot.link.mass
        self._backlash = physics.backlash
        self._height = robot.link.radius
        super().__init__(
            build_spec(robot, obstacles, contact, physics_step=step, backlash=physics.backlash)
        )
        if obstacles:
            check_contacts(contact, step, largest_share(self.model, robot, contact))
        self._geoms = GeomIndex.of(self.model, robot, len(obstacles))
        self._base = base_coordinates(self.model)
        self._links = np.array([self.model.body(name).id for name in robot.link_names])
        self._heading: Array | None = None  # of the links, once it is known for this position
        data = self.data
        # of link 1; where its mount is fixed they are no coordinates
        self._pose: Array = data.qpos[:3] if self._base else np.zeros(3)
        self._rates: Array = data.qvel[:3] if self._base else np.zeros(3)
        joints = slice(self._base, self._base + robot.joints)
        self._angles, self._angle_rates = data.qpos[joints], data.qvel[joints]
        self._xfrc = data.xfrc_applied
        self._forces = self._readings([frames.force_frame(joint) for joint in robot.joint_names])
        self._gyros = self._readings([frames.gyro(link) for link in robot.link_names])
        self._accelerometers = self._readings(
            [frames.accelerometer(link) for link in robot.link_names]
        )
        # of the present position; kept up to date where there is friction
        self._points = find_points(self.data, self._geoms)
        self._keys = self._points.keys()
        self._rubbing: list[float] = []  # friction at these points, N
        self._pressing = SmoothedForces(step)
        self._pushes: Mapping[int, Array] = {}
        self.model.opt.gravity[:2] = self._downhill = physics.downhill
        self._with_sensors = int(self._options.disableflags)
        self._without_sensors = self._with_sensors | int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
        self._gears = gears_of(self.model, data, robot, physics)
        scale_masses(self.model, data, self._links, physics.mass_scale)
        # what a tilted floor bears
        pressure = math.sqrt(GRAVITY**2 - math.hypot(*physics.downhill) ** 2)
        self._weight = self.model.body_mass[self._links] * pressure
        self._motion, self._centres = data.cvel, data.xipos
        self._about = data.subtree_com[self._links[0]]  # where `cvel` is the velocity
        self.place(np.zeros(3), np.zeros(robot.joints))

    def _readings(self, names: list[str]) -> Array:
        """View of sensors of three numbers, shape (len(names), 3). All links are built alike, so
        equal sensors are equally far apart.
        """
        starts = np.array([self.model.sensor(name).adr[0] for name in names])
        distance = np.diff(starts, append=starts[-1] + 3)[0]
        assert (np.diff(starts) == distance).all()
        readings = self.data.sensordata[starts[0] :]
        strides = (distance * readings.itemsize, readings.itemsize)
        return as_strided(readings, (len(names), 3), strides, writeable=False)

    def place(self, base: Array, joints: Array) -> None:
        """Put the chain at rest at a pose: base (3,) x, y, heading of link 1; joints (n_joints,); m
        and rad.
        """
        mujoco.mj_resetData(self.model, self.data)
        set_pose(self.model, self.data, base, joints)
        self._pose[:] = base
        self._heading = None
        self._pressing.reset()
        self._gears.place()
        self._pushes = {}
        mujoco.mj_step1(self.model, self.data)
        self.refresh()

    def advance(self, torque: Array) -> None:
        """Make one physics step with commanded joint torques (n_joints,), N m.

        Call `refresh` before reading forces.
        """
        self._gears.drive(torque)
        self._apply_forces()
        # nobody reads the forces that the sensors would have now: `refresh` brings those of the end
        self._options.disableflags = self._without_sensors
        mujoco.mj_step2(self.model, self.data)
        self._options.disableflags = self._with_sensors
        self._gears.settle()
        self._heading = None
        if self._mu > 0:
            forces = normal_forces(self.data, self._points).tolist()
            self._pressing.follow(self._keys, forces)
        mujoco.mj_step1(self.model, self.data)

    def refresh(self) -> None:
        """Compute forces and sensors at the present position, with the present velocity and the
        last torque.
        """
        self._apply_forces()
        mujoco.mj_forwardSkip(self.model, self.data, VELOCITY_STAGE, 0)

    def launch(self, base_velocity: Array, joint_velocity: Array, torque: Array) -> None:
        """See `boa_sim.world.ReplayableWorld`."""
        joints = joint_velocity.size
        self._rates[:] = base_velocity
        # with backlash the motors' sides come last
        self._qvel[self._base :].reshape(-1, joints)[:] = joint_velocity
        if self._qvel.size > self._base + joints:
            self.data.qpos[-joints:] += np.sign(torque) * self._backlash / 2
        mujoco.mj_step1(self.model, self.data)
        self.refresh()

    def push(self, pushes: Mapping[int, Array]) -> None:
        """See `boa_sim.world.PushableWorld`."""
        self._xfrc[self._links] = 0.0
        self._pushes = dict(pushes)

    def stand(self, standing: Sequence[bool]) -> None:
        """See `boa_sim.world.RearrangeableWorld`."""
        set_standing(self.model, standing)

    def _apply_forces(self) -> None:
        """Everything that acts on the links from outside, but for the pressure of contacts."""
        if self._pushes:
            self._xfrc[self._links] = 0.0
        if self._rubs:
            self._apply_friction()
        for link, (along, across, torque) in self._pushes.items():
            cos, sin = np.cos(self.heading[link]), np.sin(self.heading[link])
            force = (cos * along - sin * across, sin * along + cos * across)
            self._xfrc[self._links[link], [0, 1, 5]] += (*force, torque)

    def _apply_friction(self) -> None:
        """Friction of floor and obstacles as forces on the bodies, which force sensors measure."""
        bodies = (self._links, self._weight, self.heading, self._motion, self._centres, self._about)
        brake(self._xfrc, self._floor, self._turning_drag, bodies)
        if self._mu > 0:
            self._rub(self._xfrc)

    def _rub(self, wrench: Array) -> None:
        """Add the friction at all contact points to the wrenches on the bodies. Plain numbers: of
        half a dozen points, numpy's calls would cost more than the sums.
        """
        points = self._points = find_points(self.data, self._geoms)
        self._keys, self._rubbing = points.keys(), []
        bodies, here = self._links[points.link], points.point[:, :2]
        columns = (bodies, tangents(points.normal)[:, :2], self._velocity(bodies, here))
        arms = (here - self.data.xipos[bodies, :2]).tolist()
        for key, body, (along, across), (x, y), arm in zip(
            self._keys, *(column.tolist() for column in columns), arms, strict=True
        ):
            size = tangential_force(
                self._mu,
                self._pressing.at(key),
                x * along + y * across,
                self._link_mass,
                self.step,
            )
            self._rubbing.append(size)
            force = size * along, size * across
            wrench[body, 0] += force[0]
            wrench[body, 1] += force[1]
            wrench[body, 5] += arm[0] * force[1] - arm[1] * force[0]

    def _velocity(self, bodies: NDArray[np.int_], points: Array) -> Array:
        """Velocity of the material of `bodies` at `points` (m, 2), world frame, (m, 2), m/s."""
        spin_and_shift = self._motion[bodies]  # about the centre of mass of the whole chain
        arm = points - self._about[:2]
        spin = spin_and_shift[:, 2]
        return np.column_stack(
            (spin_and_shift[:, 3] - spin * arm[:, 1], spin_and_shift[:, 4] + spin * arm[:, 0])
        )

    @property
    def base(self) -> Array:
        """x, y, heading of link 1, shape (3,), m and rad."""
        return self._pose.copy()

    @property
    def base_velocity(self) -> Array:
        """Shape (3,), m/s and rad/s."""
        return self._rates.copy()

    @property
    def joint_position(self) -> Array:
        """Shape (n_joints,), rad."""
        return self._angles.copy()

    @property
    def joint_velocity(self) -> Array:
        """Shape (n_joints,), rad/s."""
        return self._angle_rates.copy()

    @property
    def heading(self) -> Array:
        """Of every link, shape (n,), rad, not wrapped."""
        if self._heading is None:
            self._heading = link_headings(self._pose, self._angles)
        return self._heading

    @property
    def joint_force(self) -> Array:
        """Force that link i + 1 exerts on link i, (n_joints, 3), in the frame of link i + 1, N."""
        # MuJoCo reads what link i exerts on link i + 1; numpy turns numbers side by side faster
        return -self._forces.copy()

    @property
    def orientation(self) -> Array:
        """Quaternions x, y, z, w of all links in the world, shape (n, 4)."""
        turn = yaw_quaternion(self.heading)
        return product(tilt_quaternion(self._downhill), turn) if any(self._downhill) else turn

    @property
    def angular_velocity(self) -> Array:
        """Of every link, shape (n, 3), link frames, rad/s."""
        return self._gyros.copy()

    @property
    def acceleration(self) -> Array:
        """Of the link centres without gravity, shape (n, 3), link frames, m/s2."""
        measured = self._accelerometers.copy()
        if any(self._downhill):  # MuJoCo's accelerometers measure that they do not fall
            x, y = self._downhill
            cos, sin = np.cos(self.heading), np.sin(self.heading)
            measured[:, 0] += cos * x + sin * y
            measured[:, 1] += cos * y - sin * x
        return measured

    def truth(self, stamp_ns: int) -> GroundTruth:
        """The state and the contacts at the present instant, which is `stamp_ns`."""
        return PlanarTruth(
            stamp_ns,
            self.base,
            self.base_velocity,
            self.joint_position,
            self.joint_velocity,
            self.contacts(),
            height=self._height,
            passed=self._gears.delivered,
        )

    def contacts(self) -> MujocoContacts:
        """Contacts that carry force now, one per touching pair of link and obstacle."""
        rubbing = None
        if self._mu > 0:
            rubbing = np.zeros(self.data.ncon)
            rubbing[self._points.number] = self._rubbing
        return MujocoContacts(self.data, self._geoms, rubbing)
