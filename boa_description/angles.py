"""Angles."""

from __future__ import annotations

import numpy as np

from boa_description.arrays import Array


def wrapped(angle: Array) -> Array:
    """The same angles in [-pi, pi), rad."""
    return (angle + np.pi) % (2 * np.pi) - np.pi
