# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Conditions under which a run ends as failed: what a study of gaits does not allow (Classens et
al., section 6: a force at a wall, a link that turns too far).
"""

import numpy as np
from pydantic import Field

from boa_control.plant import FLOOR, GroundTruth
from boa_control.safety.ended import Reason
from boa_description.chain import link_headings
from boa_description.robot import Block, Newton, Radian


class StopSettings(Block):
    """Limits of the true state at every tick; whichever is exceeded ends the run."""

    contact_force: Newton | None = Field(
        default=None, gt=0, description="largest true normal force at an obstacle"
    )
    heading: Radian | None = Field(
        default=None,
        gt=0,
        description="largest turn of any link from the mean heading of the links at the start",
    )


class Stop:
    """Compares every tick with the limits; the first one is the start."""

    def __init__(self, settings: StopSettings) -> None:
        self._settings = settings
        self._start: float | None = None  # mean heading, rad

    def exceeded(self, truth: GroundTruth) -> Reason | None:
        """The limit that this tick exceeds."""
        limits = self._settings
        if limits.contact_force is not None:
            forces = [c.normal_force for c in truth.contacts if c.obstacle != FLOOR]
            if max(forces, default=0.0) > limits.contact_force:
                return Reason.CONTACT_FORCE
        if limits.heading is not None:
            headings = link_headings(truth.base, truth.joint_position)
            if self._start is None:
                self._start = float(headings.mean())
            if np.abs(headings - self._start).max() > limits.heading:
                return Reason.HEADING
        return None
