# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arrays as text for a page: few bytes, and quick for a browser to read."""

import base64
from typing import Any

import numpy as np

from boa_description.arrays import Array, Integers

LEVELS = 65_000  # of 16 bits; the rest is room for "no value"
NO_VALUE = -32_768

Packed = dict[str, Any]


def exact(values: Array) -> Packed:
    """The values as 32-bit floats."""
    return {"f32": _text(np.ascontiguousarray(values, "<f4"))}


def whole(values: Integers) -> Packed:
    """Whole numbers between -32767 and 32767."""
    return {"i16": _text(np.ascontiguousarray(values, "<i2")), "scale": 1, "zero": 0}


def quantised(values: Array) -> Packed:
    """The values as 16-bit integers between their smallest and largest; NaN stays NaN.

    The error is at most 1/130000 of the range.
    """
    known = np.isfinite(values)
    low, high = (float(values[known].min()), float(values[known].max())) if known.any() else (0, 0)
    scale = (high - low) / LEVELS or 1.0
    zero = low + scale * LEVELS / 2
    levels = np.full(values.shape, NO_VALUE, dtype="<i2")
    levels[known] = np.round((values[known] - zero) / scale)
    return {"i16": _text(levels), "scale": scale, "zero": zero}


def _text(values: np.ndarray[Any, Any]) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")


def unpacked(packed: Packed) -> Array:
    """The numbers of a packed array, as one row."""
    if "f32" in packed:
        return np.frombuffer(base64.b64decode(packed["f32"]), "<f4").astype(float)
    levels = np.frombuffer(base64.b64decode(packed["i16"]), "<i2")
    return np.where(levels == NO_VALUE, np.nan, levels * float(packed["scale"]) + packed["zero"])
