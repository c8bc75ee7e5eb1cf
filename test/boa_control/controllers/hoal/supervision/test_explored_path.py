# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far along the path the body has been, and how fast it goes where it has not."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.supervision.explored_path import ExploredPath
from test.boa_control.controllers.hoal.supervision.watched import LINKS, PATH

BODY = 0.13 * (LINKS - 1)  # m, between the middles of the links at its ends


def limit(explored: ExploredPath, tail: float, direction: int) -> float:
    """Of a robot whose first link has its middle there, m."""
    return explored.limit(tail + 0.13 * (np.arange(LINKS + 1) - 0.5), direction)


def test_where_the_body_has_not_been_it_goes_at_the_blind_speed() -> None:
    assert PATH is not None
    explored = ExploredPath(PATH.curve, 0.04, 0.05)
    assert limit(explored, 0.0, 1) == 0.04
    assert limit(explored, 0.5, 1) == 0.04
    assert limit(explored, 0.4, -1) > 0.2  # back the way it came
    assert limit(explored, 0.45, 1) == pytest.approx(np.hypot(0.04, np.sqrt(0.1 * 0.05)))
    assert limit(explored, 0.499, 1) < 0.042, "a millimetre back it goes no faster"
    assert limit(explored, -0.1, -1) == 0.04
    assert limit(explored, 0.6, 1) == 0.04


def test_on_another_path_the_way_behind_the_body_is_still_known() -> None:
    """And none of what lies ahead, nor of what lies further back."""
    assert PATH is not None
    before, explored = (ExploredPath(PATH.curve, 0.04, 0.05) for _ in range(2))
    for tail in (0.0, 0.5, 0.3):
        limit(before, tail, 1)
    assert before.behind == pytest.approx(0.3)
    explored.go_on_from(before.behind)
    assert limit(explored, 2.0, 1) == 0.04
    assert limit(explored, 1.8, -1) > 0.1
    assert limit(explored, 1.7, -1) == pytest.approx(0.04)
    assert limit(explored, 1.75, -1) == pytest.approx(np.hypot(0.04, np.sqrt(0.1 * 0.05)))


def test_after_a_lap_all_of_a_closed_path_is_known() -> None:
    assert PATH is not None
    explored = ExploredPath(PATH.curve, 0.04, 0.05)
    limits = [limit(explored, s, 1) for s in np.arange(0.0, 9.0, 0.1)]
    first = limits.index(np.inf)
    assert BODY + 0.1 * first == pytest.approx(PATH.curve.length, abs=0.1)
    assert limits[first:] == [np.inf] * (len(limits) - first)


def test_on_a_map_that_has_all_posts_it_goes_as_fast_as_it_may() -> None:
    assert PATH is not None
    assert limit(ExploredPath(PATH.curve, np.inf, 0.05), 0.0, 1) == np.inf
