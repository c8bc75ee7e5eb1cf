# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Interventions from outside in a simulated robot: pushes, and poses that it is put into."""

import numpy as np

from boa_control.model.contact_geometry import ObstacleMap, chain_pose, find_contacts
from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_sim.disturbance import OVERLAP, Obstacles


class Pushes:
    """Wrenches on links that last for a while."""

    def __init__(self) -> None:
        self._until: dict[int, int] = {}
        self._wrenches: dict[int, Array] = {}

    @property
    def present(self) -> dict[int, Array]:
        """Link -> wrench, shape (3,), N and N m."""
        return dict(self._wrenches)

    def add(self, link: int, wrench: Array, until_ns: int) -> None:
        """Push a link until this time, instead of an earlier push of it."""
        self._until[link] = until_ns
        self._wrenches[link] = np.array(wrench, float)

    def expired(self, now_ns: int) -> bool:
        """End the pushes that are over; whether there were any."""
        if not self._until:
            return False
        over = [link for link, until in self._until.items() if now_ns >= until]
        for link in over:
            del self._until[link], self._wrenches[link]
        return bool(over)

    def clear(self) -> None:
        """No push any more."""
        self._until.clear()
        self._wrenches.clear()


def require_free(robot: Robot, base: Array, joints: Array, obstacles: Obstacles) -> None:
    """Refuse a pose that the robot cannot have.

    Raises:
        PlantError: a joint beyond its limits, or an obstacle is in the way.
    """
    beyond = robot.beyond_stops(joints)
    if beyond is not None:
        name, angle = beyond
        raise PlantError(
            f"cannot set the state: {name} at {angle:g} rad; its limits are "
            f"{robot.joint.lower:g} to {robot.joint.upper:g} rad"
        )
    near = find_contacts(
        chain_pose(robot, base, joints), ObstacleMap.of(obstacles), within=robot.link.radius
    )
    if len(near) and near.gap.min() < -OVERLAP:
        nearest = int(near.gap.argmin())
        raise PlantError(
            f"cannot set the state: link {near.link[nearest] + 1} would overlap obstacle "
            f"{near.obstacle[nearest]} by {-near.gap[nearest] * 1e3:.1f} mm; move it away"
        )
