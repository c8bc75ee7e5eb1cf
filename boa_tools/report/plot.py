# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One plot of the report. Means over the columns of which something is known, for curves of all
joints or contacts.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from boa_description.arrays import Array
from boa_tools.evaluation.analysis import Analysis


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot.

    Attributes:
        name: of its file.
        title: heading in the report.
        caption: one sentence that says what to look for.
        draw: makes the figure; None where the run has nothing to show.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[Analysis], Figure | None]


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
