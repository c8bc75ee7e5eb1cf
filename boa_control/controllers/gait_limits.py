# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Limits of what a gait may do among posts, with the same keys for every controller that has one.

Near that of joint forces the gait slows down (`pace`); near those of speed its joints are driven
less (`link_speed`), and a wave slows down, too (the head of `shape_path` does not). Torques are cut
by `relief`, which is a key of the scenario and serves all controllers.
"""

from pydantic import Field

from boa_control.controllers.base_estimate import BaseMotion
from boa_control.controllers.link_speed import head_speed, speed_across
from boa_control.model.dynamics import PlanarChain
from boa_description.robot import Block, Newton


class GaitLimits(Block):
    """Of joints and links; none where not given."""

    joint_force: Newton | None = Field(
        default=None, gt=0, description="limit of joint forces, near which the gait slows down"
    )
    link_speed: float | None = Field(
        default=None,
        gt=0,
        description="limit of links across themselves, m/s, near which joints are driven less",
    )
    head_speed: float | None = Field(
        default=None, gt=0, description="the same of the tip of the head along itself, m/s"
    )

    def speed_load(self, chain: PlanarChain, motion: BaseMotion) -> float:
        """Largest share of the limits of speed that has been reached; 0 without any."""
        load = 0.0
        if self.link_speed is not None:
            load = speed_across(chain, motion) / self.link_speed
        if self.head_speed is not None:
            load = max(load, head_speed(chain, motion) / self.head_speed)
        return load
