# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Figures are read as they are written, and their digits tell what may differ."""

from __future__ import annotations

import pytest

from boa_description.errors import BoaError
from evidence.figure import Count, Spread, differs, parse, part, renewed, spread


@pytest.mark.parametrize(
    ("text", "now", "differs"),
    [
        ("5.7", Spread(5.74, 5.74, 5.74), False),
        ("5.7", Spread(5.76, 5.76, 5.76), True),
        ("5.70", Spread(5.71, 5.71, 5.71), True),
        ("5.7 ± 0.2", Spread(5.9, 5.9, 5.9), False),
        ("0.10 to 0.25, median 0.14", Spread(0.11, 0.2, 0.25), False),
        ("0.10 to 0.25", Spread(0.09, 0.2, 0.2), True),
        ("0.10 to 0.25", Spread(0.11, 0.2, 0.26), True),
        ("at most 17.2", Spread(1.0, 2.0, 17.2), False),
        ("at most 17.2", Spread(1.0, 2.0, 17.3), True),
        ("at most 17.2, median 12.7", Spread(1.0, 13.0, 17.0), True),
        ("at least 99.88", Spread(99.9, 100.0, 100.0), False),
        ("at least 99.88", Spread(97.9, 100.0, 100.0), True),
        ("119,899", Spread(119899.0, 119899.0, 119899.0), False),
    ],
)
def test_what_lies_outside_of_a_figure_differs(text, now, differs):
    assert parse(text).differs(now) is differs


def test_a_count_differs_where_another_share_reaches_the_goal():
    assert parse("19 of 20") == Count(19, 20)
    assert not Count(19, 20).differs(Count(38, 40))
    assert Count(19, 20).differs(Count(20, 20))


@pytest.mark.parametrize(
    ("text", "now", "new"),
    [
        ("5.7", Spread(5.84, 5.84, 5.84), "5.8"),
        ("5.7 ± 0.2", Spread(6.04, 6.04, 6.04), "6.0 ± 0.2"),
        ("5.7", Spread(5.8, 5.9, 6.1), "5.8 to 6.1"),
        ("at most 28.1", Spread(9.0, 12.0, 31.26), "at most 31.3"),
        ("at least 100, median 100", Spread(97.84, 99.987, 100.0), "at least 97.8, median 99.99"),
        ("0.10 to 0.25, median 0.14", Spread(0.2, 0.2, 0.2), "0.20 to 0.20, median 0.20"),
        ("0", Spread(0.0189, 0.0189, 0.0189), "0.019"),
        ("0.0006", Spread(0.0, 0.0, 0.0), "0"),
        ("0.007", Spread(0.0182, 0.0182, 0.0182), "0.018"),
        ("1.7", Spread(0.0341, 0.0341, 0.0341), "0.034"),
        ("99.98", Spread(100.0, 100.0, 100.0), "100"),
        ("119,899", Spread(121004.0, 121004.0, 121004.0), "121,004"),
        ("19 of 20", Count(38, 40), "38 of 40"),
    ],
)
def test_a_new_figure_is_written_as_the_old_one_was(text, now, new):
    assert renewed(text, now) == new
    assert not differs(new, now)


@pytest.mark.parametrize("text", ["", "some", "5.7 N", "20 of", "0.1-0.2"])
def test_what_is_no_figure_is_refused_with_the_forms(text):
    with pytest.raises(BoaError, match="is no figure; write"):
        parse(text)


def test_a_part_of_a_figure_keeps_its_digits():
    assert part("0.10 to 0.25, median 0.140", "median") == "0.140"
    assert part("at most 28.0", "most") == "28.0"
    with pytest.raises(BoaError, match="does not tell the median"):
        part("at most 28.0", "median")


def test_the_median_of_an_even_number_is_the_middle_of_two():
    assert spread([4.0, 1.0, 2.0, 3.0], 10.0) == Spread(10.0, 25.0, 40.0)
