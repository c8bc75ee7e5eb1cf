# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`kept_motion` of `compiled.rows` as a function of its own; in a tick it is part of a kernel."""

from __future__ import annotations

import numpy as np

from boa_control.compiled import rows
from boa_description.arrays import Array


def kept_motion(gap: Array, travel: Array, target: Array) -> tuple[Array, Array]:
    motion, turned = np.empty(travel.size), np.empty(target.size)
    rows.kept_motion(motion, turned, gap, travel, target)
    return motion, turned
