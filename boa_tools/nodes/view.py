# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Node /boa/view: the live view of a robot or a simulation, from its topics; orders become calls of
its services. It shows whatever the plant in its namespace says that it runs, and waits for one.
Orders of a page as calls of the services of plant and controller. The services decide. Goals from a
page to the planner; what comes back for the page: path, state, corrected map.
"""

import math
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any

from geometry_msgs.msg import PoseStamped
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool, Trigger

from boa_control.interface import VIEW_PARAMETERS
from boa_control.messages.cdr import MessageError
from boa_control.messages.corrected_map import CorrectedMapCodec
from boa_control.messages.topics import CORRECTED_MAP, GOAL_POSE, PATH, PLANNED_PATH, PLANNER_STATUS
from boa_control.messages.views import decode_path, decode_text
from boa_control.ros.chosen import chosen_experiment
from boa_control.ros.endpoints import Mailbox, qos
from boa_control.ros.parameters import make_node
from boa_control.ros.runtime import Spin, run
from boa_description.errors import BoaError
from boa_description.frames import WORLD
from boa_tools.nodes.running_plant import RunningPlant, wait_for_plant
from boa_tools.nodes.view_topics import ViewTopics
from boa_tools.report.interactive.packed import exact
from boa_tools.view.address import split_address
from boa_tools.view.doorkeeper import Doorkeeper
from boa_tools.view.snapshot import Order, answer, number
from boa_tools.view.state import map_content, scenery
from boa_tools.view.viewer import Viewer

RECORDER = "recorder"
PATHS = {PATH: "path", PLANNED_PATH: "plan"}
SWITCHES = {"pause": True, "resume": False}
RATE = 25.0  # pictures per second
NICE = 10  # the control loop goes first
SET_SPEED_EVERY = 1.0  # s


class ViewPlanner:
    """Sends goals where somebody takes them; tells the pages what is new."""

    def __init__(self, node: Node, tell: Callable[[Mapping[str, Any]], None]) -> None:
        """Connect; `close` it before the node is destroyed."""
        self._node, self._tell = node, tell
        self._goals = node.create_publisher(PoseStamped, GOAL_POSE.relative, qos(GOAL_POSE))
        self._paths = {topic: Mailbox(node, topic) for topic in PATHS}
        self._status, self._map = Mailbox(node, PLANNER_STATUS), Mailbox(node, CORRECTED_MAP)
        self._codec = CorrectedMapCodec()
        self._listens, self._text = False, ""

    def update(self) -> None:
        """Pass on what has come."""
        with suppress(MessageError):
            for topic, box in self._paths.items():
                for _, raw in box.take()[-1:]:
                    content = {"kind": PATHS[topic], "path": exact(decode_path(raw))}
                    self._tell(content)
            for _, raw in self._map.take()[-1:]:
                self._tell(map_content(self._codec.decode(raw)[1]))
            listens, text = self._listened(), self._text
            for _, raw in self._status.take()[-1:]:
                text = decode_text(raw)
            if (listens, text) != (self._listens, self._text):
                self._listens, self._text = listens, text
                self._tell({"kind": "planner", "listens": listens, "text": text})

    def give_goal(self, order: Order) -> None:
        """Publish a goal; from any thread."""
        x, y, heading = order.goal
        if not self._listened():
            self._tell(answer("goal", False, "no planner runs (planner:=true of the launch)"))
            return
        goal = PoseStamped()
        goal.header.frame_id = WORLD
        goal.header.stamp = self._node.get_clock().now().to_msg()
        goal.pose.position.x, goal.pose.position.y = x, y
        goal.pose.orientation.z, goal.pose.orientation.w = (
            math.sin(heading / 2),
            math.cos(heading / 2),
        )
        self._goals.publish(goal)
        self._tell(answer("goal", True, f"({x:.2f}, {y:.2f}) m"))

    def _listened(self) -> bool:
        """Whether somebody takes goals; the recorder only notes them."""
        given = self._node.get_subscriptions_info_by_topic(self._goals.topic_name)
        return any(info.node_name != RECORDER for info in given)

    def close(self) -> None:
        """Release the subscriptions."""
        for box in (*self._paths.values(), self._status, self._map):
            box.close()


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


class ViewNode:
    """Draws the newest messages. A `Program` for the node runtime.

    Args:
        scenario: that is shown; "": what the plant says.
    """

    def __init__(self, node: Node, scenario: str, listen: tuple[str, int], token: str) -> None:
        self.node = node
        self.nodes = (node,)
        self._scenario, self._listen, self._token = scenario, listen, token
        self._viewer: Viewer | None = None
        self._topics: ViewTopics | None = None
        self._planner: ViewPlanner | None = None

    def run(self, spin: Spin, stopped: Callable[[], bool]) -> int:
        """Draw until told to stop. Raises BoaError where the page cannot be served."""
        plant = wait_for_plant(self.node, spin, stopped, lambda line: print(line, flush=True))
        if plant is not None:
            self._draw(plant, spin, stopped)
        return 0

    def close(self) -> None:
        """Tell the pages; nothing to make safe: a view commands no torque."""
        if self._viewer is not None:
            self._viewer.end(0.2)
        for part in (self._topics, self._planner):
            if part is not None:
                part.close()

    def _draw(self, plant: RunningPlant, spin: Spin, stopped: Callable[[], bool]) -> None:
        experiment = chosen_experiment(
            self._scenario or plant.scenario, -1.0, plant.control_rate, plant.frame_prefix
        )
        self._planner = planner = ViewPlanner(self.node, self._tell)
        orders = Orders(self.node, plant.simulated, planner, self._tell)
        self._topics = topics = ViewTopics(self.node, experiment, plant.simulated)
        self._viewer = viewer = Viewer(
            *self._listen,
            Doorkeeper.of(self._listen[0], self._token),
            scenery(experiment, plant.simulated, self.node.get_namespace()),
            orders.give,
        )
        print(f"live view: {viewer.address}", flush=True)
        due, next_reading = monotonic(), 0.0
        while not stopped():
            while (left := due - monotonic()) > 0 and not stopped():
                spin(left)
            due = max(due + 1.0 / RATE, monotonic())
            if monotonic() > next_reading:
                next_reading = monotonic() + SET_SPEED_EVERY
                orders.read_set_speed()
            with suppress(MessageError):  # of a robot that is another one than the scenario's
                planner.update()
                snapshot = topics.snapshot(orders.set_speed)
                if snapshot is not None:
                    viewer.show(snapshot)
                    viewer.draw()

    def _tell(self, content: Mapping[str, Any]) -> None:
        if self._viewer is not None:
            self._viewer.tell(content)


def view(args: list[str] | None = None) -> int:
    """Show the robot as the node's parameters say; returns the exit status."""

    def make() -> ViewNode:
        os.nice(NICE)
        node, values = make_node("view", VIEW_PARAMETERS)
        try:
            listen = split_address(values["listen"])
        except ValueError as error:
            raise BoaError(f"parameter listen: {error}") from error
        return ViewNode(node, values["scenario"], listen, values["token"])

    return run(make, args)


if __name__ == "__main__":
    sys.exit(view())
