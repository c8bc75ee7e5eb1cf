# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The load of a floor on the links of a robot that lies on it, over frames of a film."""

from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array, Integers
from boa_tools.runs.runlog import FloorForces


class FloorLoad(NamedTuple):
    """Links with the floor under them, frame by frame.

    Attributes:
        frame, link: shape (K,), indices from 0, in rising order.
        point: centre of pressure, shape (K, 3), m. force: on the link, shape (K, 3), N.
    """

    frame: Integers
    link: Integers
    point: Array
    force: Array


def floor_load(floor: FloorForces, ticks: Integers, links: int) -> FloorLoad:
    """Mean forces since the frame before, so that the impulse of an impact is spread over a time
    that can be seen.

    Args:
        ticks: at which the frames are, rising, at least one. The first frame is of its tick alone.
    """
    frame = np.searchsorted(ticks, floor.tick)  # the first that is not earlier
    shown = (frame < ticks.size) & (floor.tick >= ticks[0])
    cell = frame[shown] * links + floor.link[shown]
    force = np.zeros((ticks.size * links, 3))
    moment = np.zeros_like(force)
    np.add.at(force, cell, floor.force[shown])
    np.add.at(moment, cell, floor.force[shown, 2:] * floor.point[shown])
    used = np.flatnonzero(force[:, 2] > 0)
    point = moment[used] / force[used, 2:]
    span = np.diff(ticks, prepend=ticks[:1] - 1)
    return FloorLoad(used // links, used % links, point, force[used] / span[used // links, None])
