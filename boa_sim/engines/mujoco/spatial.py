# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's world for robots that leave the plane: a floor, gravity, friction cones."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from boa_control.plant import FLOOR, DeferredContacts, GroundTruth, TruthColumns
from boa_description.arrays import Array, Flags, Indices
from boa_description.robot import Robot
from boa_description.scene import Obstacle
from boa_sim.engines.contact_columns import StepContacts, merged
from boa_sim.engines.geared_model import GearedModel, scale_masses
from boa_sim.engines.mujoco.contact_limit import check_contacts
from boa_sim.engines.mujoco.gears import Gears, gears_of
from boa_sim.engines.mujoco.world import require_springs
from boa_sim.engines.spatial_pose import (
    SpatialState,
    floor_geoms,
    link_of_geoms,
    put_on_floor,
    spatial_spec,
)
from boa_sim.world import PLAIN, Physics, require_no_obstacles


class SpatialMujocoWorld(GearedModel, SpatialState):
    """A `SpatialWorld`: the chain on a floor, with weight.

    Attributes: as of `GearedModel`.
    """

    _gears: Gears

    def __init__(
        self, robot: Robot, obstacles: Sequence[Obstacle] = (), physics: Physics = PLAIN
    ) -> None:
        """See `boa_sim.world.Engine`."""
        require_no_obstacles(robot, obstacles)
        require_springs(physics.contact)
        check_contacts(physics.contact, physics.step)
        self._robot = robot
        GearedModel.__init__(self, spatial_spec(robot, physics))
        SpatialState.__init__(self, self.model, self.data, robot)
        self._link_of = link_of_geoms(self.model, robot)
        self._floor = floor_geoms(self.model)
        self._steps = StepContacts()
        self._gears = gears_of(self.model, self.data, robot, physics)
        scale_masses(self.model, self.data, self._links, physics.mass_scale)
        self.place(np.zeros(3), np.zeros(robot.joints))

    def place(self, base: Array, joints: Array, roll: float = 0.0) -> None:
        """See `boa_sim.world.SpatialWorld`."""
        mujoco.mj_resetData(self.model, self.data)
        put_on_floor(self.model, self.data, self._robot, base, joints, roll)
        self.restart()
        self._gears.place()
        mujoco.mj_step1(self.model, self.data)
        mujoco.mj_forwardSkip(self.model, self.data, mujoco.mjtStage.mjSTAGE_VEL, 0)
        self._steps.add(self._present_contacts())
        self._steps.of_tick()

    def advance(self, torque: Array) -> None:
        """Make one physics step with joint torques (n_joints,), N m."""
        self._gears.drive(torque)
        mujoco.mj_step2(self.model, self.data)
        self._steps.add(self._present_contacts())  # with the forces that acted in this step
        self._gears.settle()
        mujoco.mj_step1(self.model, self.data)
        self.moved()

    def refresh(self) -> None:
        """Forces and sensors at the present position under the last torque."""
        mujoco.mj_forwardSkip(self.model, self.data, mujoco.mjtStage.mjSTAGE_VEL, 0)
        self._steps.of_tick()

    def _present_contacts(self) -> FloorContacts:
        return FloorContacts(self.data, self._link_of, self._floor)

    def truth(self, stamp_ns: int) -> GroundTruth:
        """The state at the present instant, which is `stamp_ns`, and the contacts of the steps
        between the last two refreshes, with their mean force.
        """
        return self.truth_with(stamp_ns, self._steps.of_tick(), self.delivered)


class FloorContacts(DeferredContacts):
    """Contacts with the floor that carry force in one step, one per link. Links touch nothing
    else.
    """

    def __init__(self, data: mujoco.MjData, link_of: Indices, floor: Flags) -> None:
        """Copy what `data` has. `floor` says which geoms are parts of it, shape (n_geoms,)."""
        contact = data.contact
        self._link_of, self._is_floor = link_of, floor
        self._geom = contact.geom.copy()
        self._point = contact.pos.copy()
        self._frame = contact.frame.copy()
        self._rows = contact.dim.copy()  # of its force: 1 without friction, 3 with it
        self._row = contact.efc_address.copy()  # the first of them; -1 where it has none
        self._force = data.efc_force.copy()

    @staticmethod
    def columns(reports: Sequence[FloorContacts]) -> TruthColumns:
        """See `Deferred`."""
        report = np.arange(len(reports)).repeat([one._row.size for one in reports])
        geom = np.concatenate([one._geom for one in reports])
        row = np.concatenate([one._row for one in reports])
        forces = np.concatenate([*(one._force for one in reports), np.zeros(3)])
        before = np.cumsum([0, *(one._force.size for one in reports[:-1])])
        row = np.where(row < 0, forces.size - 3, row + before[report])
        # MuJoCo's normal points from the first geom to the second, to the link or away from it
        towards = np.where(reports[0]._is_floor[geom[:, 0]], 1.0, -1.0)
        frame = np.concatenate([one._frame for one in reports]).reshape(-1, 3, 3)
        frame = towards[:, None, None] * frame
        rubs = (np.concatenate([one._rows for one in reports]) == 3)[:, None]
        across = np.where(rubs, forces[row[:, None] + [1, 2]], 0.0)
        return merged(
            TruthColumns(
                report,
                reports[0]._link_of[geom].max(axis=1),
                np.full(row.size, FLOOR),
                np.concatenate([one._point for one in reports]),
                frame[:, 0],
                forces[row],
                (across[:, :, None] * frame[:, 1:]).sum(axis=1),
            )
        )
