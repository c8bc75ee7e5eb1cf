# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The life cycle as a table: what rcl has, what can be requested, and ways between states."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from boa_control.safety.lifecycle import (
    ERROR,
    GRAPH,
    OUTCOMES,
    REQUESTS,
    State,
    available,
    outcome,
    requested,
    route,
    state_of,
)
from boa_description.errors import BoaError

PLANT_STATES = (State.UNCONFIGURED, State.INACTIVE, State.ACTIVE)


def test_numbers_are_those_of_ros() -> None:
    msg = pytest.importorskip("lifecycle_msgs.msg", reason="ROS is not installed")
    for state in State:
        kind = "TRANSITION" if state >= 10 else "PRIMARY"
        assert getattr(msg.State, f"{kind}_STATE_{state.name}") == state
    for edge in REQUESTS:
        name = edge.label.upper()
        if name == "SHUTDOWN":
            name = f"{edge.start.name}_SHUTDOWN"
        assert getattr(msg.Transition, f"TRANSITION_{name}") == edge.number
    words = {"transition_success": "SUCCESS", "transition_failure": "FAILURE", ERROR: "ERROR"}
    verbs = {
        State.CONFIGURING: "CONFIGURE",
        State.CLEANINGUP: "CLEANUP",
        State.ACTIVATING: "ACTIVATE",
        State.DEACTIVATING: "DEACTIVATE",
        State.SHUTTINGDOWN: "SHUTDOWN",
        State.ERRORPROCESSING: "ERROR",
    }
    for edge in OUTCOMES:
        name = f"TRANSITION_ON_{verbs[edge.start]}_{words[edge.label]}"
        assert getattr(msg.Transition, name) == edge.number


def test_every_transition_has_three_ends_and_every_state_a_way_out() -> None:
    passed = {edge.goal for edge in REQUESTS} | {State.ERRORPROCESSING}
    for state in passed:
        assert [edge.label for edge in OUTCOMES if edge.start == state] == [
            "transition_success",
            "transition_failure",
            "transition_error",
        ]
    assert len({edge.number for edge in GRAPH}) == len(GRAPH)
    assert not available(State.FINALIZED)


@pytest.mark.parametrize(
    ("armed", "fault", "configured", "state"),
    [
        (False, False, True, State.INACTIVE),
        (True, False, True, State.ACTIVE),
        (False, True, True, State.UNCONFIGURED),
        (False, False, False, State.UNCONFIGURED),
        (True, True, True, State.UNCONFIGURED),
    ],
)
def test_the_state_is_that_of_the_plant(armed, fault, configured, state) -> None:
    assert state_of(armed, fault, configured) == state


def test_only_what_begins_in_a_state_can_be_requested() -> None:
    assert requested(State.INACTIVE, 3).label == "activate"
    assert requested(State.INACTIVE, 0, "activate").number == 3, "a label wins, as in rcl"
    assert requested(State.ACTIVE, 0, "shutdown").number == 7
    for state, edge in product(State, REQUESTS):
        if edge.start != state:
            with pytest.raises(BoaError, match=f"not possible while {state.label}"):
                requested(state, edge.number)
    with pytest.raises(BoaError, match="possible: cleanup, activate, shutdown"):
        requested(State.INACTIVE, 0, "fly")


@pytest.mark.parametrize("fault", [False, True])
@pytest.mark.parametrize("start", PLANT_STATES)
@pytest.mark.parametrize("goal", [*PLANT_STATES, State.FINALIZED])
def test_a_route_is_a_chain_of_arrows_of_the_graph(start, goal, fault) -> None:
    way = route(start, goal, fault)
    assert set(way) <= set(GRAPH)
    assert (not way) == (start == goal)
    if way:
        assert way[0].start == start and way[-1].goal == goal
    assert all(first.goal == then.start for first, then in pairwise(way))
    through_error = State.ERRORPROCESSING in {edge.goal for edge in way}
    assert through_error == (fault and start != goal and goal == State.UNCONFIGURED)


def test_the_outcomes_of_a_transition() -> None:
    assert outcome(REQUESTS[2], "transition_failure").goal == State.INACTIVE
