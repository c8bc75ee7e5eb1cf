"""What changes where the posts may stand off their places in the map.

The reference bends to the posts (`deformation`), the robot goes no faster than it may meet them
(`speed_limit`), a contact carries only as far as it is felt, and gaps that open or close meanwhile
are braked.
"""

from __future__ import annotations

import numpy as np

from boa_control.controllers.hoal.deformation import PREVIEW, SEARCH_SPEED, DeformedReference
from boa_control.controllers.hoal.engagement import APPROACH
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.speed_limit import SpeedLimit
from boa_control.model.contact_set import ContactSchedule, ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Robot


class DisplacedMap:
    """The posts of one run as they show themselves.

    Attributes:
        bending: rate with which the reference bends to them, shape (n - 1,), rad/s.
    """

    def __init__(
        self, robot: Robot, chain: PlanarChain, posts: int, period: float, parameters: Parameters
    ) -> None:
        """`posts`: of the map. `period`: of the control ticks, s."""
        self._damping = parameters.contact_damping
        self._reference = DeformedReference(chain, posts, period, parameters.map_error)
        self._limit = SpeedLimit(parameters, robot, period)
        self.reset()

    @property
    def speed_limit(self) -> float:
        """Of the speed along the path, m/s."""
        return self._limit.speed

    def reset(self) -> None:
        """Back to the map as given."""
        self._reference.reset()
        self._limit.reset()
        self.bending = self._reference.rate[3:]

    def look(self, state: PathState, schedule: ContactSchedule) -> tuple[PathState, ContactSet]:
        """The chain bent to the posts, and the contacts there, also those shortly before the
        body.
        """
        bent, self.bending = self._reference.apply(state), self._reference.rate[3:]
        return bent, schedule.at(bent, PREVIEW, self._reference.assumed)

    def take_in(
        self,
        frame: SensorFrame,
        state: PathState,
        planned: ContactSet,
        level: Array,
        force: Array,
        closing: bool,
    ) -> Array:
        """Learn from one tick; return the share of its force that each contact may carry, shape
        (nc,).

        Args:
            frame: of the sensors.
            state, planned: as returned by `look`.
            level: shape (nc,), how far each contact has been taken on.
            force: shape (nc,), felt, N.
            closing: the robot still takes hold of its first posts.
        """
        self._reference.update(frame.position, state, planned, level, force, search=not closing)
        self._limit.update(planned, level, frame)
        # 0: a post that is sought, but not felt
        return level if closing else np.where(level > APPROACH, level, 0.0)

    def slip(self, gap: Array, activation: Array, joint_rate: Array) -> Array:
        """Braking of gaps that open or close, and approach to posts that are sought, shape (nc,),
        m/s2.

        Args:
            gap: J, shape (nc, n + 2).
            activation: shape (nc,), 0 where a post is sought.
            joint_rate: measured, shape (n - 1,), rad/s.
        """
        return -self._damping * (
            gap_rates(gap, activation, joint_rate) + SEARCH_SPEED * (activation == 0.0)
        )


def gap_rates(gap: Array, activation: Array, joint_rate: Array) -> Array:
    """Rates at which gaps open, as far as joint rates show them, shape (nc,), m/s.

    The base moves with the unknown rate xi that keeps the contacts closed as well as possible
    (least squares, weighted by activation); what remains of J_b xi + J_phi phi_dot are gaps that
    open or close.

    Args:
        gap: J, shape (nc, n + 2). activation: shape (nc,). joint_rate: shape (n - 1,), rad/s.
    """
    base, rates = gap[:, :3], gap[:, 3:] @ joint_rate
    weighted = base * (activation**2 + 1e-3)[:, None]
    if len(rates) < 4:
        return np.zeros(len(rates))
    remaining: Array = rates - base @ np.linalg.solve(weighted.T @ base, weighted.T @ rates)
    return remaining
