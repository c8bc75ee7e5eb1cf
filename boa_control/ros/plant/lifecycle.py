# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The life cycle of /boa/plant for ROS's tools: `ros2 lifecycle set /boa/plant activate`.

rclpy's own lifecycle node is not used: a request that is not possible raises in its callback and
ends the node, and the reason of a refusal is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from lifecycle_msgs import msg, srv
from rclpy.node import Node

from boa_control.messages.status import encode_transition
from boa_control.messages.topics import TRANSITION_EVENT
from boa_control.plant import PlantError
from boa_control.ros.endpoints import publisher
from boa_control.ros.services import one_line
from boa_control.safety import lifecycle
from boa_control.safety.lifecycle import Edge, State
from boa_description.errors import BoaError


class LifecycleVerbs(Protocol):
    """Actions of the transitions; each raises PlantError with the reason if not."""

    def configure(self) -> str: ...
    def cleanup(self) -> str: ...
    def arm(self) -> str: ...
    def disarm(self) -> str: ...
    def shutdown(self) -> str: ...


class PlantLifecycle:
    """The services of a managed node, and ~/transition_event."""

    def __init__(self, node: Node, verbs: LifecycleVerbs, stamp: Callable[[], int]) -> None:
        """`stamp`: present time of the plant, ns."""
        self._log = node.get_logger()
        self._stamp = stamp
        self._state = State.UNCONFIGURED
        self._verbs: dict[str, Callable[[], str]] = {
            "configure": verbs.configure,
            "cleanup": verbs.cleanup,
            "activate": verbs.arm,
            "deactivate": verbs.disarm,
            "shutdown": verbs.shutdown,
        }
        self._events = publisher(node, TRANSITION_EVENT)
        transitions = srv.GetAvailableTransitions
        for kind, name, answer in (
            (srv.ChangeState, "change_state", self._change),
            (srv.GetState, "get_state", self._get_state),
            (srv.GetAvailableStates, "get_available_states", self._get_states),
            (transitions, "get_available_transitions", self._get_transitions),
            (transitions, "get_transition_graph", self._get_graph),
        ):
            node.create_service(kind, f"~/{name}", answer)

    def follow(self, state: State, fault: bool = False) -> None:
        """Tell how the plant has come into its present state; `fault`: by a fault."""
        for edge in lifecycle.route(self._state, state, fault):
            self._publish(edge)
        self._state = state

    def _publish(self, edge: Edge) -> None:
        self._events.publish(encode_transition(self._stamp(), edge))

    def _change(self, request: Any, answer: Any) -> Any:
        transition = request.transition
        answer.success = False
        try:
            edge = lifecycle.requested(self._state, transition.id, transition.label)
        except BoaError as error:
            self._log.warning(f"refused: {one_line(error)}")
            return answer
        try:
            self._verbs[edge.label]()
            answer.success = True
        except PlantError as error:
            self._publish(edge)
            self._publish(lifecycle.outcome(edge, lifecycle.FAILURE))
            self._log.warning(f"{edge.label} failed: {one_line(error)}")
        return answer

    def _get_state(self, _: Any, answer: Any) -> Any:
        answer.current_state = _state(self._state)
        return answer

    def _get_states(self, _: Any, answer: Any) -> Any:
        answer.available_states = [_state(state) for state in State]
        return answer

    def _get_transitions(self, _: Any, answer: Any) -> Any:
        answer.available_transitions = [
            _description(edge) for edge in lifecycle.available(self._state)
        ]
        return answer

    def _get_graph(self, _: Any, answer: Any) -> Any:
        answer.available_transitions = [_description(edge) for edge in lifecycle.GRAPH]
        return answer


def _state(state: State) -> Any:
    return msg.State(id=int(state), label=state.label)


def _description(edge: Edge) -> Any:
    return msg.TransitionDescription(
        transition=msg.Transition(id=edge.number, label=edge.label),
        start_state=_state(edge.start),
        goal_state=_state(edge.goal),
    )
