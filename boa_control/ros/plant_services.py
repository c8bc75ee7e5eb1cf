"""Services of /boa/plant: verbs that answer whether they were done, and if not, why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from boa_control.interface import PLANT_SERVICES, SET_BOOL, SIMULATION_SERVICES
from boa_control.plant import PlantError


class PlantVerbs(Protocol):
    """Requests to a plant node. Each returns what was done; raises PlantError with the
    reason if not.
    """

    def arm(self) -> str: ...
    def disarm(self) -> str: ...
    def reset_fault(self) -> str: ...
    def tare(self) -> str: ...
    def pause(self, paused: bool) -> str: ...
    def step(self) -> str: ...
    def reset(self) -> str: ...


def offer_services(node: Node, verbs: PlantVerbs, simulated: bool) -> None:
    """Create the services of a plant node; each calls the verb of its name."""
    for service in (*PLANT_SERVICES, *(SIMULATION_SERVICES if simulated else ())):
        verb = getattr(verbs, service.name)
        if service.srvtype == SET_BOOL:
            node.create_service(SetBool, f"~/{service.name}", _set_bool(verb))
        else:
            node.create_service(Trigger, f"~/{service.name}", _trigger(verb))


def _set_bool(verb: Callable[[bool], str]) -> Callable[[Any, Any], Any]:
    return lambda request, answer: _answer(answer, lambda: verb(request.data))


def _trigger(verb: Callable[[], str]) -> Callable[[Any, Any], Any]:
    return lambda _, answer: _answer(answer, verb)


def _answer(answer: Any, verb: Callable[[], str]) -> Any:
    try:
        answer.success, answer.message = True, verb()
    except PlantError as error:
        answer.success, answer.message = False, " ".join(str(error).split())
    return answer
