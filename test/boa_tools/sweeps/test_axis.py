# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Varied keys as they are written on the command line."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_description.errors import BoaError
from boa_tools.sweeps.plan import Axis, parse_axis


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a.b=0:0.02:11", tuple(k / 500 for k in range(11))),
        ("a.b=0.05,0.1", (0.05, 0.1)),
        ("a.b=1e-3,2", (0.001, 2)),
        ("a.b=5:20:4", (5, 10, 15, 20)),
        ("a.b=5:20:3", (5.0, 12.5, 20.0)),
        ("a.b=5.0:20:4", (5.0, 10.0, 15.0, 20.0)),
        ("a.b=0.02:0:3", (0.02, 0.01, 0.0)),
        ("a.b=0.01:100:5:log", (0.01, 0.1, 1.0, 10.0, 100.0)),
        ("a.b=-1:-100:3:log", (-1, -10, -100)),
        ("a.b=mujoco,moreau", ("mujoco", "moreau")),
        ("a.b=true,false", (True, False)),
        ("a.b=null,1.5", (None, 1.5)),
        ("a.b=[0,0,0],[1,0,0]", ([0, 0, 0], [1, 0, 0])),
        ("a.b=./limp.py:Limp", ("./limp.py:Limp",)),
        (" a.b =1", (1,)),
    ],
)
def test_values(text, values):
    axis = parse_axis(text)
    assert axis == Axis("a.b", values)
    assert [type(value) for value in axis.values] == [type(value) for value in values]


@given(
    first=st.floats(-1e3, 1e3, width=32),
    span=st.floats(0.125, 1e3, width=32),
    count=st.integers(2, 50),
)
def test_ranges_have_both_ends_and_equal_steps(first, span, count):
    values = parse_axis(f"a={first!r}:{first + span!r}:{count}").values
    assert len(values) == count
    assert values[0] == pytest.approx(first, rel=1e-11, abs=1e-9)
    assert values[-1] == pytest.approx(first + span, rel=1e-11, abs=1e-9)
    steps = [later - earlier for earlier, later in itertools.pairwise(values)]
    assert steps == pytest.approx([span / (count - 1)] * (count - 1), rel=1e-6)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a.b", "write KEY=first:last:count"),
        ("=1", "write KEY=first:last:count"),
        ("a.b=", "write KEY=first:last:count"),
        ("a.b=0:1:1", "is empty; give two different ends and a count of 2 or more"),
        ("a.b=0:1:0", "is empty"),
        ("a.b=1:1:5", "is empty"),
        ("a.b=0:1", "a range is first:last:count"),
        ("a.b=0:1:5:lin", "a range is first:last:count"),
        ("a.b=0:1:5:log", "ends of one sign"),
        ("a.b=1,2,1", "the value 1 comes twice"),
        ("a.b=0:1:1000000000", "1000000000 values, at most 10000"),
        ("a.b=[1", "not valid YAML"),
    ],
)
def test_what_is_no_axis_is_refused(text, complaint):
    with pytest.raises(BoaError, match="--vary") as error:
        parse_axis(text)
    assert complaint in str(error.value) and "\n" not in str(error.value)
