# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Angles."""

import numpy as np

from boa_description.arrays import Array

# arrays, as numpy would make plain numbers some at every call
TURN, HALF_TURN = np.array(2 * np.pi), np.array(np.pi)


def wrapped(angle: Array) -> Array:
    """The same angles in [-pi, pi), rad."""
    return (angle + HALF_TURN) % TURN - HALF_TURN
