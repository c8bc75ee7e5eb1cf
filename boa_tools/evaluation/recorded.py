# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recorded run, worked out."""

from boa_tools.bags.recorded import RecordedRun
from boa_tools.bags.ticks import read_run
from boa_tools.evaluation.analysis import Analysis


def recorded_analysis(run: RecordedRun) -> Analysis:
    """Read the bag of a run.

    Raises:
        BoaError: the bag is of another robot, or has no joint states.
    """
    return Analysis(read_run(run.bag, run.experiment), run.experiment)
