# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tour: targets that the robot visits in turn, on paths that it plans on the way."""

from pydantic import Field

from boa_description.robot import Block, Metre, Second


class Tour(Block):
    """Targets of the head, in turn."""

    targets: tuple[tuple[Metre, Metre], ...] = Field(
        default=(),
        description="x and y; none: the end of the scenario's path, on it while the map is right",
    )
    explore: Metre | None = Field(
        default=None,
        gt=0,
        description="that the head shall come ahead of where it lies at first, among posts that "
        "nobody knows; instead of targets",
    )
    radius: Metre = Field(default=0.3, gt=0, description="the head comes at least as near")
    back: Metre = Field(
        default=0.8, ge=0, description="that the robot may go back before a new path begins"
    )
    seconds: Second = Field(
        default=60.0, gt=0, description="of the computer, that a search may take"
    )
