# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A corrected map as one that the planner loads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost
from boa_control.planning.corrected import corrected_post_map, map_text, parted
from boa_control.planning.post_map import load_map

RADIUS = 0.05


def post(number: int, x: float, y: float, std: float = 0.001) -> CorrectedPost:
    return CorrectedPost(number, x, y, RADIUS, std, "touched")


def test_posts_side_by_side_stay_so_when_their_places_are_rounded(tmp_path: Path) -> None:
    """Rounded one by one they overlap by some micrometres, and `load_map` refuses them."""
    angles = np.linspace(0.0, 2 * np.pi, 12)[:-1]
    for index, (x, y) in enumerate(2 * RADIUS * np.stack([np.cos(angles), np.sin(angles)], axis=1)):
        file = tmp_path / f"{index}.yaml"
        corrected = CorrectedMap((post(0, 0.3, 0.7), post(1, 0.3 + x, 0.7 + y)))
        file.write_text(map_text(corrected_post_map(corrected)))
        assert len(load_map(file).posts) == 2


def test_the_one_that_is_known_less_gives_way() -> None:
    places = parted((post(0, 0.0, 0.0, std=0.001), post(1, 0.09, 0.0, std=0.003)))
    assert places[0, 0] == pytest.approx(-0.001, abs=1e-4)
    assert places[1, 0] == pytest.approx(0.099, abs=1e-4)
    assert not places[:, 1].any()


def test_posts_apart_keep_every_bit() -> None:
    field = tuple(post(k, 0.3 * k / 7, 0.11 * k) for k in range(8))
    assert np.array_equal(parted(field), [(entry.x, entry.y) for entry in field])
    assert parted(()).shape == (0, 2)


@given(
    st.lists(
        st.tuples(st.floats(-0.12, 0.12), st.floats(-0.12, 0.12), st.floats(0.0, 0.02)),
        min_size=2,
        max_size=3,
    )
)
@example([(0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.015625)])  # one between two that stay
def test_no_two_posts_overlap_when_rounded(rows: list[tuple[float, float, float]]) -> None:
    corrected = CorrectedMap(tuple(post(k, *row) for k, row in enumerate(rows)))
    found = corrected_post_map(corrected).posts
    for k, one in enumerate(found):
        for other in found[:k]:
            assert np.hypot(one.x - other.x, one.y - other.y) >= 2 * RADIUS
