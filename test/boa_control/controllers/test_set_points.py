# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Set-points: their changes, their limits, and the events that record them bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from boa_control.controller import SetPoint
from boa_control.controllers.set_points import (
    HIGHEST_SPEED,
    SetPointChange,
    recorded_set_point,
    require_possible,
    set_point_event,
)
from boa_control.events import Event, EventKind
from boa_description.errors import BoaError

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(numbers, numbers, numbers)
def test_an_event_keeps_every_bit_of_a_set_point(speed, force, floor) -> None:
    set_point = SetPoint(speed, force, floor)
    assert recorded_set_point(set_point_event(set_point)) == set_point
    of_arrays = SetPoint(*np.array([speed, force, floor]))
    assert set_point_event(of_arrays) == set_point_event(set_point)


def test_other_events_record_no_set_point() -> None:
    assert recorded_set_point(Event(kind=EventKind.NOTE, note="set-point: speed 1.0 m/s")) is None


def test_an_event_without_numbers_is_refused() -> None:
    with pytest.raises(BoaError, match="lacks a number"):
        recorded_set_point(Event(kind=EventKind.SET_POINT, speed=0.1, force=5.0))


def test_a_change_leaves_the_rest_as_it_is() -> None:
    old = SetPoint(speed=0.1, force=5.0, force_floor=1.0)
    assert SetPointChange(time=1.0, speed=-0.05).applied_to(old) == SetPoint(-0.05, 5.0, 1.0)
    assert SetPointChange(time=1.0, force=0.0, force_floor=0.0).applied_to(old) == SetPoint(
        0.1, 0.0, 0.0
    )


@pytest.mark.parametrize(
    "wrong",
    [{}, {"speed": 2.1}, {"speed": math.nan}, {"force": -1.0}, {"force_floor": -1.0}],
)
def test_a_change_that_means_nothing_is_refused(wrong) -> None:
    with pytest.raises(ValidationError):
        SetPointChange(time=1.0, **wrong)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, -HIGHEST_SPEED * 1.001])
@pytest.mark.parametrize("name", ["speed", "force", "force_floor"])
def test_values_that_no_controller_can_follow_are_refused(name, bad) -> None:
    good = {"speed": 0.1, "force": 5.0, "force_floor": 1.0}
    require_possible(SetPoint(**good))
    with pytest.raises(BoaError, match=f"set-point {name} "):
        require_possible(SetPoint(**{**good, name: bad}))
