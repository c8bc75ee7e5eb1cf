# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A floor that is not level: settings of a scenario's disturbance."""

from __future__ import annotations

from pydantic import Field

from boa_description.robot import Block, Radian


class FloorTilt(Block):
    """How far the floor is tilted, posts and all, and in which direction it falls."""

    angle: Radian = Field(default=0.0, ge=0, le=0.5, description="of the floor to the level")
    direction: Radian | None = Field(
        default=None, description="downhill, in the map; None: drawn from the seed"
    )
