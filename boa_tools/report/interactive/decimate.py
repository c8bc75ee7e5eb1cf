# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Long records with few points, such that every extreme stays."""

from __future__ import annotations

import numpy as np

from boa_description.arrays import Array

BINS = 4000  # each keeps its smallest and its largest value


def decimated(time: Array, values: Array) -> tuple[Array, Array]:
    """Smallest and largest value of each bin, in the order in which they came.

    Args:
        time: shape (T,), s; values: shape (T, n), NaN where there is none.

    Returns:
        Times (P,) and values (P, n). Short records come back as they are.
    """
    step = -(-len(time) // BINS)
    if step <= 2:
        return time, values
    starts = np.arange(0, len(time), step)
    short = starts.size * step - len(time)
    padded = np.concatenate((values, np.full((short, values.shape[1]), np.nan)))
    bins = padded.reshape(starts.size, step, values.shape[1])
    known = np.isfinite(bins)
    low, high = np.where(known, bins, np.inf), np.where(known, bins, -np.inf)
    falling = low.argmin(axis=1) > high.argmax(axis=1)
    pair = np.stack((low.min(axis=1), high.max(axis=1)), axis=1)
    pair[~np.isfinite(pair)] = np.nan
    pair = np.where(falling[:, None, :], pair[:, ::-1], pair)
    first = time[starts]
    second = time[np.minimum(starts + step // 2, len(time) - 1)]
    return np.stack((first, second), axis=1).ravel(), pair.reshape(-1, values.shape[1])
