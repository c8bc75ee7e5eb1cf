# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs told in the numbers of the repeat where the robot really was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from logs import empty_log, estimates

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_tools.evaluation.repeats import counterparts, in_true_repeat

PATH = prepare(load_scenario("boa_circle")).path
assert PATH is not None
REPEAT = PATH.curve.repeat
assert REPEAT is not None
SPAN, COUNT = REPEAT.length, len(PATH.contacts)


@pytest.mark.parametrize("repeats", [-3, -1, 0, 1, 2, 12, 13])
def test_a_repeat_has_two_posts_on_a_circle_of_twenty_four(repeats: int) -> None:
    found = counterparts(PATH, repeats * SPAN)
    np.testing.assert_array_equal(found, (np.arange(COUNT) + 2 * repeats) % COUNT)


def test_opposite_posts_keep_their_sides() -> None:
    both = load_scenario("boa_circle").model_dump()
    both["path"]["sides"] = "B"
    path = prepare(type(load_scenario("boa_circle")).model_validate(both)).path
    assert path is not None
    found = counterparts(path, SPAN)
    side = np.array([post.side for post in path.contacts])
    np.testing.assert_array_equal(side[found], side)
    assert sorted(found.tolist()) == list(range(2 * COUNT))


def test_an_open_path_ends() -> None:
    path = prepare(load_scenario("boa_straight")).path
    assert path is not None and path.curve.repeat is not None
    found = counterparts(path, 2 * path.curve.repeat.length)
    last = len(path.contacts)
    np.testing.assert_array_equal(found[: last - 4], np.arange(4, last))
    np.testing.assert_array_equal(found[last - 4 :], np.arange(last - 4, last))


def test_believed_posts_and_progress_move_by_whole_repeats() -> None:
    true = np.array([5.0, 5.001, 5.002, 5.003])
    believed = np.array([np.nan, 5.0 - 3 * SPAN, 5.0021 - 4 * SPAN, 5.0031 - 4 * SPAN])
    rows = [
        (1, 2, 0, 1, True, 0.0, 1.0, 1.0),
        (2, 2, 0, 1, True, 0.0, 1.0, 1.0),
        (3, 23, 0, 1, True, 0.0, 1.0, 1.0),
    ]
    log = replace(empty_log(4), debug={"progress_m": believed}, contacts=estimates(rows))
    told = in_true_repeat(log, PATH, true)
    np.testing.assert_allclose(told.debug["progress_m"][1:], true[1:], atol=1.1e-3)
    assert told.contacts.obstacle.tolist() == [2 + 6, 2 + 8, (23 + 8) % 24]
    assert in_true_repeat(empty_log(4), PATH, true).contacts.obstacle.size == 0
