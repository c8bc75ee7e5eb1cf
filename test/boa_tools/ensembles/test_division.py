# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Seeds to tune on and seeds to judge by are never the same, and never mixed."""

from __future__ import annotations

from itertools import combinations

import pytest

from boa_description.errors import BoaError
from boa_tools.ensembles.division import FIELDS, RUNS, UNDIVIDED, division


@pytest.mark.parametrize("of", [RUNS, FIELDS])
def test_no_seed_is_of_two_kinds(of):
    kinds = division(of).kinds
    assert {"tuning", "judging"} <= kinds.keys()
    for one, other in combinations(kinds.values(), 2):
        assert not set(one) & set(other)


@pytest.mark.parametrize(
    ("of", "text", "seeds", "kind"),
    [
        (RUNS, "tuning", range(400, 500), "tuning"),
        (RUNS, "judging:20", range(500, 520), "judging"),
        (RUNS, "reserve:1", range(600, 601), "reserve"),
        (RUNS, "500-549", range(500, 550), "judging"),
        (RUNS, "400", range(400, 401), "tuning"),
        (RUNS, "0-9", range(10), UNDIVIDED),
        (FIELDS, "tuning:3", range(800, 803), "tuning"),
        (FIELDS, "judging", range(900, 950), "judging"),
        (FIELDS, "500-509", range(500, 510), UNDIVIDED),
    ],
)
def test_seeds_are_named_by_their_numbers_or_by_their_kind(of, text, seeds, kind):
    chosen = division(of).seeds(text)
    assert chosen == tuple(seeds)
    assert division(of).kind(chosen) == kind


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("490-510", "seed 490 is tuning, seed 500 is judging"),
        ("390-400", "seed 390 is undivided, seed 400 is tuning"),
        ("699-700", "seed 699 is reserve, seed 700 is undivided"),
        ("tuning:101", "there are 100 tuning seeds of runs, 400 to 499"),
        ("tuning:0", "write FIRST-LAST, or KIND or KIND:COUNT"),
        ("20-10", "write FIRST-LAST, or KIND or KIND:COUNT"),
        ("tunig", "where KIND is tuning or judging or reserve"),
        ("", "write FIRST-LAST"),
    ],
)
def test_other_seeds_are_refused(text, complaint):
    with pytest.raises(BoaError, match=complaint):
        division(RUNS).seeds(text)
