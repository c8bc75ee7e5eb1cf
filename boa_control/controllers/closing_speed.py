# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How fast a body may close the gaps to the posts of its map.

The blow of a link that meets a post grows with the speed at which the gap closes, and is over
before a force sensor shows it (docs/first_touch.md). So the torques of a controller are changed, as
little as Gauss's principle allows, until no gap d closes faster than can be braked before it is
closed,

    minimise the change of S'tau in the metric of M^-1, such that
    J q'' >= -(d' + v(d)) / T,    v(d)^2 = v_0^2 + 2 a d,

a control barrier function of the gaps (Ames et al. 2017), where a row that cannot be kept gives way
a little. Forces of posts are not in the model: a link in touch is pressed no harder than would
speed a free body up by v_0 / T, which keeps a body that jams from snapping free
(docs/notebook/planned_paths.md).
"""

from typing import Protocol

import daqp
import numpy as np
from pydantic import Field

from boa_control.controller import Briefing
from boa_control.controllers.base_estimate import BaseMotion, Source, base_of
from boa_control.controllers.gait_limits import GaitLimits
from boa_control.model.contact_geometry import ObstacleMap, chain_pose, find_contacts, gap_jacobian
from boa_control.model.dynamics import PlanarChain
from boa_control.model.linearisation import BASE
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.scene import Circle, Obstacle

BRAKING = 0.1  # m/s2, a
HORIZON = 0.03  # s, T, within which a gap that closes too fast is slowed down
REACH = 0.1  # m, of gaps that are looked at
DOUBT = 2.0  # standard deviations by which a post may stand nearer than the map says
# beside what joints do to a gap, share of what a force there would do: a straight body cannot brake
# itself head on, and rows may exclude each other
SOFTNESS = 1e-3


class LimitsAmongPosts(GaitLimits):
    """Those of a gait whose place among the posts of a map is known."""

    closing_speed: float | None = Field(
        default=None, gt=0, description="at which gaps to posts of the map close at most, m/s"
    )


class ClosingLimit(Protocol):
    """Keeps posts from being struck."""

    def kept(self, torque: Array, floor: Array, motion: BaseMotion) -> Array:
        """Torques of the joints, shape (n - 1,), N m, with which the limit is kept.

        Args:
            torque: of the controller. floor: what the floor does, as of `floor_load`.
            motion: of the chain now.
        """


class Unlimited:
    """Gaps close as they will."""

    def kept(self, torque: Array, *_: Array | BaseMotion) -> Array:
        """The same torques."""
        return torque


class ClosingSpeed:
    """Keeps gaps to the posts of a map from closing too fast."""

    def __init__(self, limit: float, briefing: Briefing, chain: PlanarChain) -> None:
        """`limit`: v_0, m/s."""
        self._limit = limit
        self._robot, self._chain = briefing.robot, chain
        self._posts = ObstacleMap.of(briefing.obstacles)
        self._nearer = DOUBT * np.array([_std(one) for one in briefing.obstacles])

    def kept(self, torque: Array, floor: Array, motion: BaseMotion) -> Array:
        """As `ClosingLimit`."""
        chain, posture = self._chain, motion.posture
        pose = chain_pose(self._robot, base_of(chain, motion), np.diff(posture.theta))
        near = find_contacts(pose, self._posts, REACH)
        if not len(near):
            return torque
        gap = gap_jacobian(pose, near)
        compliance = np.linalg.inv(chain.mass_matrix(posture))
        force = floor - chain.bias(posture, motion.qd)
        force[BASE:] += torque - chain.damping * motion.qd[BASE:]
        answer = gap @ compliance
        left = np.maximum(near.gap - self._nearer[near.obstacle], 0.0)
        allowed = np.sqrt(self._limit**2 + 2.0 * BRAKING * left)
        lacking = -(gap @ motion.qd + allowed) / HORIZON - answer @ force
        if lacking.max() <= 0.0:
            return torque
        by_torque = np.linalg.solve(compliance[BASE:, BASE:], answer[:, BASE:].T)
        softened = answer[:, BASE:] @ by_torque
        softened += SOFTNESS * np.diag(np.sum(answer * gap, axis=1))
        kept: Array = torque + by_torque @ _shares(softened, lacking)
        return kept


def closing_limit(
    limits: LimitsAmongPosts, briefing: Briefing, chain: PlanarChain, source: Source
) -> ClosingLimit:
    """The limit of a controller that has its place from a source.

    Raises:
        BoaError: a limit, but dead reckoning, which does not know where it is among posts.
    """
    if limits.closing_speed is None:
        return Unlimited()
    if source == "dead_reckoning":
        raise BoaError(
            f"closing_speed: {limits.closing_speed:g} needs the place among posts, but position is "
            "dead_reckoning; take position: tracker, or a limit that needs no map (link_speed)"
        )
    return ClosingSpeed(limits.closing_speed, briefing, chain)


def _std(obstacle: Obstacle) -> float:
    """Of its place, m; boxes and walls stand where the map says."""
    return obstacle.std or 0.0 if isinstance(obstacle, Circle) else 0.0


def _shares(square: Array, lacking: Array) -> Array:
    """Of the rows in the change, none negative, shape (nc,), which make up what is `lacking`, m/s2,
    with the `square` of the rows.
    """
    count = lacking.size
    bounds = np.full(count, np.inf), np.zeros(count)
    shares: Array = daqp.solve(square, -lacking, np.empty((0, count)), *bounds)[0]
    return shares
