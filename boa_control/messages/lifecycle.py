# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages of the life cycle: lifecycle_msgs/TransitionEvent."""

from typing import Any

from boa_control.messages.cdr import message, serialize
from boa_control.messages.topics import TRANSITION_EVENT
from boa_control.safety.lifecycle import Edge, State


def encode_transition(stamp_ns: int, edge: Edge) -> bytes:
    """The event of one arrow of the state machine."""
    transition = message("lifecycle_msgs/msg/Transition", id=edge.number, label=edge.label)
    return serialize(
        message(
            TRANSITION_EVENT.msgtype,
            timestamp=stamp_ns,
            transition=transition,
            start_state=_state(edge.start),
            goal_state=_state(edge.goal),
        )
    )


def _state(state: State) -> Any:
    return message("lifecycle_msgs/msg/State", id=int(state), label=state.label)
