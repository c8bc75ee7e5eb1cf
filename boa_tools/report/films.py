# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A page that plays one run, or two side by side. A recorded run, worked out."""

from collections.abc import Sequence

from markupsafe import Markup

from boa_description.errors import BoaError
from boa_tools.bags.recorded import RecordedRun
from boa_tools.bags.ticks import read_run
from boa_tools.evaluation.analysis import Analysis
from boa_tools.report.interactive.film import film
from boa_tools.report.template import can_move, filled


def recorded_analysis(run: RecordedRun) -> Analysis:
    """Read the bag of a run.

    Raises:
        BoaError: the bag is of another robot, or has no joint states.
    """
    return Analysis(read_run(run.bag, run.experiment), run.experiment)


def films_page(runs: Sequence[tuple[str, Analysis]]) -> str:
    """The page. `runs`: where each run is from, and the run.

    Raises:
        BoaError: nothing to play, or no charts here.
    """
    if not can_move():
        raise BoaError(
            "playing a run needs uPlot; install it with: pip install 'boa_control[view]'"
        )
    for source, analysis in runs:
        if analysis.log.ticks < 2:
            raise BoaError(f"'{source}' has {analysis.log.ticks} ticks; there is nothing to play")
    return filled(
        "film.html",
        titles=[analysis.experiment.scenario.name for _, analysis in runs],
        sources=[source for source, _ in runs],
        films=[Markup(film(analysis)) for _, analysis in runs],
    )
