# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Services that answer whether a request was done, and if not, why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from boa_control.interface import SET_BOOL, Service
from boa_control.plant import PlantError
from boa_description.errors import BoaError


def offer(node: Node, services: Iterable[Service], verbs: object) -> None:
    """Create services below the name of the node; each calls the verb of its name, which returns
    what was done and raises BoaError or PlantError with the reason if not.
    """
    for service in services:
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
    except (BoaError, PlantError) as error:
        answer.success, answer.message = False, one_line(error)
    return answer


def one_line(error: Exception) -> str:
    """The message of an error without its line breaks."""
    return " ".join(str(error).split())
