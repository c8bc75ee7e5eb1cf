# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Means over the columns of which something is known, for curves of all joints or contacts."""

import numpy as np

from boa_description.arrays import Array


def mean_of_known(values: Array) -> Array:
    """Mean over the columns that are not NaN, (T,); NaN where all are."""
    known = np.isfinite(values)
    count = known.sum(axis=1)
    return np.where(known, values, 0.0).sum(axis=1) / np.where(count > 0, count, np.nan)


def root_mean_square(values: Array) -> Array:
    """Root mean square over the columns that are not NaN, (T,); NaN where all are, as at the last
    tick of a run that was cut short.
    """
    return np.sqrt(mean_of_known(values**2))
