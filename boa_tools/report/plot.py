# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One plot of the report."""

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure

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
