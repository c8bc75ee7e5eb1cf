"""Services of /boa/plant: verbs that answer whether they were done, and if not, why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from boa_control.plant import PlantError


class PlantVerbs(Protocol):
    """What can be asked of a plant node. Each returns what was done; raises PlantError with the reason if not."""

    def arm(self) -> str: ...
    def disarm(self) -> str: ...
    def reset_fault(self) -> str: ...
    def tare(self) -> str: ...
    def pause(self, paused: bool) -> str: ...
    def step(self) -> str: ...
    def reset(self) -> str: ...


# name -> (type, what it does); the manual is checked against these
SERVICES: dict[str, tuple[str, str]] = {
    "arm": ("std_srvs/srv/Trigger", "let torques act; refused with the reason while a fault is latched"),
    "disarm": ("std_srvs/srv/Trigger", "remove torque from every joint at once"),
    "reset_fault": ("std_srvs/srv/Trigger", "clear latched faults; ends disarmed"),
    "tare": ("std_srvs/srv/Trigger", "set the zero of the force sensors; only disarmed, still and unloaded"),
}
SIMULATION_SERVICES: dict[str, tuple[str, str]] = {
    "pause": ("std_srvs/srv/SetBool", "stop time (true) or let it go on (false)"),
    "step": ("std_srvs/srv/Trigger", "while paused: advance by one control tick"),
    "reset": ("std_srvs/srv/Trigger", "back to the initial state and time zero"),
}


def offer_services(node: Node, verbs: PlantVerbs, simulated: bool) -> None:
    """Create the services of a plant node."""
    for name in SERVICES:
        node.create_service(Trigger, f"~/{name}", _trigger(getattr(verbs, name)))
    if simulated:
        node.create_service(
            SetBool, "~/pause", lambda request, answer: _answer(answer, lambda: verbs.pause(request.data))
        )
        node.create_service(Trigger, "~/step", _trigger(verbs.step))
        node.create_service(Trigger, "~/reset", _trigger(verbs.reset))


def _trigger(verb: Callable[[], str]) -> Callable[[Any, Any], Any]:
    return lambda _, answer: _answer(answer, verb)


def _answer(answer: Any, verb: Callable[[], str]) -> Any:
    try:
        answer.success, answer.message = True, verb()
    except PlantError as error:
        answer.success, answer.message = False, " ".join(str(error).split())
    return answer
