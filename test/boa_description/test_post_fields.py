# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Peg boards and random fields."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from boa_description.errors import BoaError
from boa_description.post_fields import PegBoard, RandomField, centres

SPINE = np.column_stack((np.linspace(0, 1.4, 11), np.zeros(11)))


def test_a_staggered_board_is_a_hexagonal_grid() -> None:
    """Every inner peg has six neighbours at the spacing."""
    board = PegBoard(kind="pegboard", spacing=0.5, region=(1.0, 3.4, -1.2, 1.2))
    pegs = centres(board, SPINE)
    apart = np.hypot(*(pegs[:, None] - pegs[None]).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    assert apart.min() == pytest.approx(0.5)
    inner = np.abs(pegs - [2.2, 0]).max(axis=1) < 0.6
    assert ((apart[inner] < 0.51).sum(axis=1) == 6).all()
    assert pegs[:, 0].min() == 1.0 and np.abs(pegs[:, 1]).max() <= 1.2
    assert {0.0, 0.5, 1.0} <= set(pegs[pegs[:, 0] == 1.0, 1].tolist())


def test_a_shifted_square_board() -> None:
    board = PegBoard(kind="pegboard", spacing=0.5, staggered=False, shift=0.1, region=(0, 1, 0, 1))
    expected = {(x, y) for x in (0.0, 0.5, 1.0) for y in (0.1, 0.6)}
    assert {tuple(np.round(peg, 9)) for peg in centres(board, SPINE)} == expected


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), density=st.floats(1, 12), least=st.floats(0.1, 0.4))
def test_random_posts_keep_their_distances(seed: int, density: float, least: float) -> None:
    field = RandomField(
        kind="random",
        seed=seed,
        density=density,
        least_distance=least,
        clearance=0.09,
        region=(-1, 2, -1, 1),
    )
    posts = centres(field, SPINE)
    apart = np.hypot(*(posts[:, None] - posts[None]).transpose(2, 0, 1))
    assert apart[np.triu_indices(len(posts), 1)].min(initial=np.inf) >= least
    assert len(posts) <= round(6 * density)
    beside = np.clip(posts[:, 0], 0, 1.4) - posts[:, 0]
    assert np.hypot(beside, posts[:, 1]).min() >= 0.09
    assert np.array_equal(posts, centres(field, SPINE)), "the same seed, the same field"


def test_a_sparse_field_gets_its_density() -> None:
    field = RandomField(
        kind="random", density=6, least_distance=0.24, region=(-1, 9, -1, 2), seed=1
    )
    assert len(centres(field, SPINE)) == 180


def test_fields_of_too_many_posts_and_twisted_regions_are_refused() -> None:
    board = PegBoard(kind="pegboard", spacing=0.001, region=(0, 1, 0, 1))
    with pytest.raises(BoaError, match=r"pegboard of about .* posts, at most 5000; give lengths"):
        centres(board, SPINE)
    with pytest.raises(ValidationError, match="x from, x to, y from, y to in order"):
        PegBoard(kind="pegboard", spacing=0.5, region=(1, 0, 0, 1))
