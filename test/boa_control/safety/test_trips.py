# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gate trips as values, and as the events of a bag."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.event_text import brief_of, text_of
from boa_control.events import Event, EventKind
from boa_control.safety.faults import Fault, FaultName
from boa_control.safety.gate import GateDecision, Rule
from boa_control.safety.trips import Trip, trips_of

NOTHING = np.zeros(2)
FAULTS = st.builds(Fault, st.sampled_from(FaultName), st.text(), st.text())
TRIPS = st.one_of(st.builds(Trip.by, FAULTS), st.sampled_from([Trip(str(rule)) for rule in Rule]))


def test_new_faults_are_trips_of_their_own() -> None:
    old = Fault(FaultName.PLANT, "a", "old trouble")
    new = tuple(
        Fault(FaultName.PLANT, name, f"{name} is silent") for name in ("servo 3", "servo 4")
    )
    decision = GateDecision(
        NOTHING, NOTHING > 0, (), ("plant", "plant", "command_age"), (old, *new), (), armed=False
    )
    assert trips_of(decision) == (*map(Trip.by, new), Trip("command_age"))
    assert [str(trip) for trip in trips_of(decision)] == [
        "plant: servo 3 is silent",
        "plant: servo 4 is silent",
        "command_age",
    ]
    quiet = GateDecision(NOTHING, NOTHING > 0, (), (), (old,), (), armed=False)
    assert trips_of(quiet) == ()


@given(TRIPS)
def test_an_event_is_read_back_whole(trip: Trip) -> None:
    event = trip.event()
    assert Trip.of_event(event) == trip and "\n" not in text_of(event)
    assert brief_of(event) == f"gate: {trip}"


def test_what_is_no_fault_is_refused() -> None:
    unknown = Event(kind=EventKind.GATE_TRIP, reason="x", subject="joint_03", note="")
    with pytest.raises(ValueError, match="'x' is not a valid FaultName"):
        Trip.of_event(unknown)
