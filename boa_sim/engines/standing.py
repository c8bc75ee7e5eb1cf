# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Obstacles of a MuJoCo model that stand, and others through which links pass."""

from collections.abc import Sequence

import mujoco

from boa_description import frames
from boa_description.mjcf import SOLID_AFFINITY


def set_standing(model: mujoco.MjModel, standing: Sequence[bool]) -> None:
    """Which of the obstacles, in their order, links touch."""
    for index, stands in enumerate(standing):
        geom = model.geom(frames.obstacle_geom(index)).id
        model.geom_conaffinity[geom] = SOLID_AFFINITY if stands else 0
