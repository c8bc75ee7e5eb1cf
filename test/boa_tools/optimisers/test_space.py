# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Variables and their unit cube."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_tools.optimisers.space import Space, Variable

VARIABLES = (
    Variable("plain", -2.0, 3.0),
    Variable("ratio", 0.01, 100.0, log=True),
    Variable("whole", 2, 5, whole=True),
    Variable("whole_ratio", 1, 1000, whole=True, log=True),
)
SPACE = Space(VARIABLES)


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_values_lie_within_and_come_back(unit):
    point = np.array(unit)
    values = SPACE.values(point)
    for variable in VARIABLES:
        assert variable.low <= values[variable.name] <= variable.high
        assert isinstance(values[variable.name], int) == variable.whole
    again = SPACE.values(SPACE.point(values))
    assert again == pytest.approx(values, rel=1e-5)
    snapped = SPACE.snapped(point[None])
    assert SPACE.snapped(snapped) == pytest.approx(snapped, abs=1e-4)


def test_ends_middle_and_shares():
    plain, ratio, whole, _ = VARIABLES
    ends_and_middle = np.array([0.0, 0.5, 1.0])
    assert plain.values(ends_and_middle).tolist() == [-2.0, 0.5, 3.0]
    assert ratio.values(ends_and_middle) == pytest.approx([0.01, 1.0, 100.0])
    drawn = whole.values((np.arange(400) + 0.5) / 400).tolist()
    assert [drawn.count(k) for k in (2, 3, 4, 5)] == [100] * 4


@pytest.mark.parametrize(
    ("low", "high", "more", "complaint"),
    [
        (1.0, 1.0, {}, "is empty"),
        (2.0, 1.0, {}, "is empty"),
        (0.0, np.inf, {}, "is empty"),
        (0.0, 1.0, {"log": True}, "above 0"),
        (0.5, 3.0, {"whole": True}, "must be whole"),
    ],
)
def test_ranges_without_a_choice_are_refused(low, high, more, complaint):
    with pytest.raises(ValueError, match=complaint):
        Variable("x", low, high, **more)
