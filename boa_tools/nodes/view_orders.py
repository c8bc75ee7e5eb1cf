# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Orders of a page as calls of the services of plant and controller. The services decide."""

from collections.abc import Callable, Mapping
from typing import Any

from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool, Trigger

from boa_tools.nodes.view_planner import ViewPlanner
from boa_tools.view.orders import Order, answer
from boa_tools.view.snapshot import number

SWITCHES = {"pause": True, "resume": False}


class Orders:
    """Passes orders on at once, and tells what became of them.

    Attributes:
        set_speed: of the controller, m/s, as read last; None where it has none.
    """

    def __init__(
        self,
        node: Node,
        simulated: bool,
        planner: ViewPlanner,
        tell: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self._clients = _clients(node, simulated)
        self._planner = planner
        self._tell = tell
        self.set_speed: float | None = None

    def give(self, order: Order) -> None:
        """Call the service behind an order; from any thread."""
        if order.name == "goal":
            self._planner.give_goal(order)
            return
        name = "pause" if order.name in SWITCHES else order.name
        client = self._clients.get(name)
        if client is None or not client.service_is_ready():
            self._tell(answer(order.name, False, "nobody offers this now"))
            return
        if order.name == "speed":
            speed = Parameter("speed", value=order.value).to_parameter_msg()
            request: Any = SetParameters.Request(parameters=[speed])
        elif order.name in SWITCHES:
            request = SetBool.Request(data=SWITCHES[order.name])
        else:
            request = Trigger.Request()
        client.call_async(request).add_done_callback(
            lambda future: self._tell(_reply(order, future.result()))
        )

    def read_set_speed(self) -> None:
        """Request the controller's speed; the answer comes later."""
        client = self._clients["read"]
        if client.service_is_ready():
            request = GetParameters.Request(names=["speed"])
            client.call_async(request).add_done_callback(self._note_set_speed)

    def _note_set_speed(self, future: Any) -> None:
        values = future.result().values if future.result() is not None else []
        self.set_speed = number(values[0].double_value) if values else None


def _reply(order: Order, result: Any) -> dict[str, Any]:
    if result is None:
        return answer(order.name, False, "no answer")
    if order.name == "speed":
        done, text = result.results[0].successful, result.results[0].reason
        return answer(order.name, done, text or f"{order.value:g} m/s")
    return answer(order.name, result.success, result.message)


def _clients(node: Node, simulated: bool) -> dict[str, Any]:
    """Clients of the services behind the orders."""
    triggers = {name: f"plant/{name}" for name in ("arm", "disarm", "reset_fault")}
    triggers |= {name: f"controller/{name}" for name in ("start", "stop")}
    triggers |= {"follow": "planner/follow"}
    clients = {}
    if simulated:
        triggers |= {name: f"plant/{name}" for name in ("step", "reset")}
        clients["pause"] = node.create_client(SetBool, "plant/pause")
    clients |= {name: node.create_client(Trigger, path) for name, path in triggers.items()}
    clients["speed"] = node.create_client(SetParameters, "controller/set_parameters")
    clients["read"] = node.create_client(GetParameters, "controller/get_parameters")
    return clients
