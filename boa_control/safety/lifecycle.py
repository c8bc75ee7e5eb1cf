# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The states of a plant as ROS's managed nodes have them, and the transitions between them, as a
table. Numbers and labels are those of lifecycle_msgs and rcl; see
https://design.ros2.org/articles/node_lifecycle.html.

The plant itself says in which state it is (`state_of`): armed, fault latched, configured. So the
state is the same whoever has changed it: a transition, a service, or a fault.
"""

from enum import IntEnum
from typing import NamedTuple

from boa_description.errors import BoaError


class State(IntEnum):
    """States; those from 10 on are passed while a transition is under way."""

    UNKNOWN = 0
    UNCONFIGURED = 1
    INACTIVE = 2
    ACTIVE = 3
    FINALIZED = 4
    CONFIGURING = 10
    CLEANINGUP = 11
    SHUTTINGDOWN = 12
    ACTIVATING = 13
    DEACTIVATING = 14
    ERRORPROCESSING = 15

    @property
    def label(self) -> str:
        """As the ROS tools show it."""
        return self.name.lower()


class Edge(NamedTuple):
    """One arrow of the state machine: number and label of the transition, its start and goal."""

    number: int
    label: str
    start: State
    goal: State


SUCCESS, FAILURE, ERROR = "transition_success", "transition_failure", "transition_error"

# what can be requested
REQUESTS = (
    Edge(1, "configure", State.UNCONFIGURED, State.CONFIGURING),
    Edge(2, "cleanup", State.INACTIVE, State.CLEANINGUP),
    Edge(3, "activate", State.INACTIVE, State.ACTIVATING),
    Edge(4, "deactivate", State.ACTIVE, State.DEACTIVATING),
    Edge(5, "shutdown", State.UNCONFIGURED, State.SHUTTINGDOWN),
    Edge(6, "shutdown", State.INACTIVE, State.SHUTTINGDOWN),
    Edge(7, "shutdown", State.ACTIVE, State.SHUTTINGDOWN),
)
# and how it ends
OUTCOMES = (
    Edge(10, SUCCESS, State.CONFIGURING, State.INACTIVE),
    Edge(11, FAILURE, State.CONFIGURING, State.UNCONFIGURED),
    Edge(12, ERROR, State.CONFIGURING, State.ERRORPROCESSING),
    Edge(20, SUCCESS, State.CLEANINGUP, State.UNCONFIGURED),
    Edge(21, FAILURE, State.CLEANINGUP, State.INACTIVE),
    Edge(22, ERROR, State.CLEANINGUP, State.ERRORPROCESSING),
    Edge(30, SUCCESS, State.ACTIVATING, State.ACTIVE),
    Edge(31, FAILURE, State.ACTIVATING, State.INACTIVE),
    Edge(32, ERROR, State.ACTIVATING, State.ERRORPROCESSING),
    Edge(40, SUCCESS, State.DEACTIVATING, State.INACTIVE),
    Edge(41, FAILURE, State.DEACTIVATING, State.ACTIVE),
    Edge(42, ERROR, State.DEACTIVATING, State.ERRORPROCESSING),
    Edge(50, SUCCESS, State.SHUTTINGDOWN, State.FINALIZED),
    Edge(51, FAILURE, State.SHUTTINGDOWN, State.FINALIZED),
    Edge(52, ERROR, State.SHUTTINGDOWN, State.ERRORPROCESSING),
    Edge(60, SUCCESS, State.ERRORPROCESSING, State.UNCONFIGURED),
    Edge(61, FAILURE, State.ERRORPROCESSING, State.FINALIZED),
    Edge(62, ERROR, State.ERRORPROCESSING, State.FINALIZED),
)
GRAPH = (*REQUESTS, *OUTCOMES)


def state_of(armed: bool, fault: bool, configured: bool) -> State:
    """The state of a plant: armed is active; after a fault, as after `cleanup`, it has to be
    configured before it can be armed.
    """
    if fault or not configured:
        return State.UNCONFIGURED
    return State.ACTIVE if armed else State.INACTIVE


def available(state: State) -> tuple[Edge, ...]:
    """Transitions that can be requested in a state."""
    return tuple(edge for edge in REQUESTS if edge.start == state)


def requested(state: State, number: int, label: str = "") -> Edge:
    """The transition that is requested, by its label, or without one by its number.

    Raises:
        BoaError: it does not begin in this state.
    """
    for edge in available(state):
        if edge.label == label if label else edge.number == number:
            return edge
    possible = ", ".join(edge.label for edge in available(state)) or "nothing any more"
    raise BoaError(
        f"transition {label or number} is not possible while {state.label}; possible: {possible}"
    )


def outcome(edge: Edge, label: str) -> Edge:
    """How a requested transition ends."""
    return next(end for end in OUTCOMES if (end.start, end.label) == (edge.goal, label))


def route(start: State, goal: State, fault: bool = False) -> tuple[Edge, ...]:
    """The arrows from one state to another that the plant has entered by itself or by a service.
    With a fault they lead through error processing; empty where start is goal.
    """
    if start == goal:
        return ()
    for edge in available(start):
        end = outcome(edge, SUCCESS)
        if fault and goal == State.UNCONFIGURED and end.goal != State.FINALIZED:
            error = outcome(edge, ERROR)
            return (edge, error, outcome(error, SUCCESS))
        if end.goal == goal:
            return (edge, end)
    # active to unconfigured and back: one state after the other
    return (*route(start, State.INACTIVE), *route(State.INACTIVE, goal))
