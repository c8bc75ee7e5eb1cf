# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where searches begin: lines with which a path can begin."""

import numpy as np

from boa_control.planning.search.goals import LEAD
from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.region import Region
from boa_control.planning.search.tree import Reached


def roots_in(graph: LineGraph, region: Region) -> list[Reached]:
    """Lines with which a path can begin whose first point, where the tail is laid down, lies in a
    region.
    """
    lines = graph.lines
    begin = lines.start - LEAD * graph.tangent
    chosen = np.flatnonzero(region.distance(begin, lines.heading) <= 0.0)
    return [
        Reached(line, None, LEAD + lines.half + float(lines.length[line]), 0.0)
        for line in chosen[graph.free_behind(chosen, LEAD)].tolist()
    ]
