# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rigid world of planar robots among obstacles."""

from collections.abc import Mapping, Sequence

import numpy as np

from boa_control.plant import GroundTruth, PlanarTruth
from boa_description import frames
from boa_description.arrays import Array
from boa_description.chain import link_headings
from boa_description.floor import check_step, ground_force, ground_torque
from boa_description.mjcf import build_spec
from boa_description.quaternion import yaw_quaternion
from boa_description.robot import Robot
from boa_description.scene import Obstacle
from boa_sim.engines.geared_model import require_level, sensor_columns, set_standing
from boa_sim.engines.moreau.chain import RigidChain
from boa_sim.engines.moreau.touching import NOBODY, GeomRoles
from boa_sim.posing import set_pose
from boa_sim.world import PLAIN, Physics


class MoreauWorld(RigidChain):
    """A `PushableWorld` with rigid contacts; attributes as of `RigidChain`."""

    def __init__(
        self, robot: Robot, obstacles: Sequence[Obstacle] = (), physics: Physics = PLAIN
    ) -> None:
        """Build the world, straight at the origin. `contact.solref` and `solimp` have no meaning
        here.

        Raises:
            BoaError: the ground friction is too steep for the physics step; a tilted floor.
        """
        require_level(physics, "set plant.engine: mujoco")
        self._ground = physics.ground
        check_step(self._ground, robot.link, physics.step)
        self._obstacles = len(obstacles)
        super().__init__(
            robot,
            build_spec(robot, obstacles, physics_step=physics.step, backlash=physics.backlash),
            physics,
            base=3 if robot.mount == "floating" else 0,
            tangents=1,
        )
        self._forces, self._gyros, self._accelerometers = sensor_columns(self.model, robot)
        self._mounted = np.zeros(3)
        self._pushes: Mapping[int, Array] = {}
        self.place(np.zeros(3), np.zeros(robot.joints))

    def _find_roles(self) -> GeomRoles:
        geom = self.model.geom
        link, obstacle = np.full((2, self.model.ngeom), NOBODY)
        for index, name in enumerate(self._robot.link_names):
            link[geom(frames.link_geom(name)).id] = index
        for index in range(self._obstacles):
            obstacle[geom(frames.obstacle_geom(index)).id] = index
        return GeomRoles(link, obstacle)

    def place(self, base: Array, joints: Array) -> None:
        """Put the chain at rest at a pose: base (3,) x, y, heading of link 1; joints (n_joints,); m
        and rad.
        """
        set_pose(self.model, self.data, base, joints)
        self._mounted = np.array(base, float)
        self._pushes = {}
        self._start()

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

    def push(self, pushes: Mapping[int, Array]) -> None:
        """See `boa_sim.world.PushableWorld`."""
        self._pushes = dict(pushes)

    def stand(self, standing: Sequence[bool]) -> None:
        """See `boa_sim.world.RearrangeableWorld`."""
        set_standing(self.model, standing)

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
        return self.data.qpos[self._base :][: self._robot.joints].copy()

    @property
    def joint_velocity(self) -> Array:
        """Shape (n_joints,), rad/s."""
        return self.data.qvel[self._base :][: self._robot.joints].copy()

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
        """The state at the present instant, which is `stamp_ns`, and the contacts of the steps
        between the last two refreshes, with their mean force.
        """
        return PlanarTruth(
            stamp_ns,
            self.base,
            self.base_velocity,
            self.joint_position,
            self.joint_velocity,
            self.contacts(),
            height=self._robot.link.radius,
            passed=self._gears.delivered,
        )


class ConvexMoreauWorld(MoreauWorld):
    """The same with the convex relaxation of friction: sliding contacts are pushed off. It is here
    to show what that costs; judge nothing by it.
    """

    convex = True
