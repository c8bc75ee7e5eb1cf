# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rigid world of robots that leave the plane: a floor, weight, Coulomb's law."""

from collections.abc import Sequence

import numpy as np

from boa_control.plant import FLOOR, GroundTruth
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import Obstacle
from boa_sim.engines.moreau.chain import RigidChain
from boa_sim.engines.moreau.touching import NOBODY, GeomRoles
from boa_sim.engines.spatial_pose import (
    BASE,
    SpatialState,
    floor_geoms,
    link_of_geoms,
    put_on_floor,
    spatial_spec,
)
from boa_sim.world import PLAIN, Physics, require_no_obstacles


class SpatialMoreauWorld(RigidChain, SpatialState):
    """A `SpatialWorld` with rigid contacts; attributes as of `RigidChain`."""

    def __init__(
        self, robot: Robot, obstacles: Sequence[Obstacle] = (), physics: Physics = PLAIN
    ) -> None:
        """See `boa_sim.world.Engine`; `contact.solref` and `solimp` have no meaning here."""
        require_no_obstacles(robot, obstacles)
        RigidChain.__init__(
            self, robot, spatial_spec(robot, physics), physics, base=BASE, tangents=2
        )
        SpatialState.__init__(self, self.model, self.data, robot)
        self.place(np.zeros(3), np.zeros(robot.joints))

    def _find_roles(self) -> GeomRoles:
        link = link_of_geoms(self.model, self._robot)
        floor = np.where(floor_geoms(self.model), FLOOR, NOBODY)
        return GeomRoles(np.where(link < 0, NOBODY, link), floor)

    def _outer_wrenches(self) -> Array:
        return np.zeros((self._robot.links, 6))

    def place(self, base: Array, joints: Array, roll: float = 0.0) -> None:
        """See `boa_sim.world.SpatialWorld`."""
        put_on_floor(self.model, self.data, self._robot, base, joints, roll)
        self.restart()
        self._start()

    def advance(self, torque: Array) -> None:
        """Make one physics step with joint torques (n_joints,), N m."""
        super().advance(torque)
        self.moved()

    def truth(self, stamp_ns: int) -> GroundTruth:
        """The state at the present instant, which is `stamp_ns`, and the contacts of the steps
        between the last two refreshes, with their mean force.
        """
        return self.truth_with(stamp_ns, self.contacts(), self.delivered)


class SpatialConvexMoreauWorld(SpatialMoreauWorld):
    """The same with the convex relaxation of friction; see `ConvexMoreauWorld`."""

    convex = True
