"""Node /boa/view: the live view of a robot or a simulation, from its topics; orders become calls of
its services. It reads when it wants to draw, so that nobody waits for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool, Trigger

from boa_control.controller import ControlOutput
from boa_control.experiments.experiment import Experiment
from boa_control.interface import VIEW_PARAMETERS
from boa_control.messages.cdr import MessageError
from boa_control.messages.contacts import TrueContactsCodec
from boa_control.messages.control import ControlDecoder, decode_event
from boa_control.messages.forces import ForceCodec
from boa_control.messages.status import decode_diagnostics
from boa_control.messages.topics import (
    CONTACTS,
    DEBUG,
    DIAGNOSTICS,
    EVENTS,
    JOINT_FORCES,
    LINK_POSES,
    SIM_CONTACTS,
    TORQUE_APPLIED,
    Topic,
)
from boa_control.messages.views import LinkPosesCodec
from boa_control.ros.chosen import chosen_experiment
from boa_control.ros.endpoints import Mailbox
from boa_control.ros.parameters import make_node
from boa_control.ros.runtime import Spin, run
from boa_description.errors import BoaError
from boa_tools.view.address import split_address
from boa_tools.view.doorkeeper import Doorkeeper
from boa_tools.view.orders import Order, answer
from boa_tools.view.snapshot import Snapshot, estimate_rows, number, numbers, scenery, true_rows
from boa_tools.view.viewer import Viewer

RATE = 25.0  # pictures per second
NICE = 10  # the control loop goes first
PAUSED_AFTER = 0.5  # s without a new pose after which simulated time counts as paused
SILENT_AFTER = 2.0  # s without a message after which nothing is known of the robot
GATE = "gate"  # end of the name of the diagnosis that says whether the plant is armed
SWITCHES = {"pause": True, "resume": False}
NEWEST = (TORQUE_APPLIED, JOINT_FORCES, CONTACTS, DEBUG, SIM_CONTACTS, LINK_POSES)


class ViewNode:
    """Draws the newest messages. A `Program` for the node runtime."""

    def __init__(
        self,
        node: Node,
        experiment: Experiment,
        simulated: bool,
        listen: tuple[str, int],
        token: str,
    ) -> None:
        """Connect. Raises BoaError where the page cannot be served."""
        self.node = node
        self._experiment, robot = experiment, experiment.robot
        topics = [topic for topic in NEWEST if simulated or not topic.simulation_only]
        self._newest = {topic: Mailbox(node, topic, newest_only=True) for topic in topics}
        self._all = {topic: Mailbox(node, topic) for topic in (EVENTS, DIAGNOSTICS)}
        self._raw: dict[Topic, bytes] = {}
        self._poses = LinkPosesCodec(robot)
        self._control = ControlDecoder(robot)
        self._forces = ForceCodec(robot)
        self._true = TrueContactsCodec(robot, SIM_CONTACTS.name)
        self._start_ns: int | None = None
        self._gate: dict[str, str] = {}
        self._simulated = simulated
        self._newest_ns = -1
        self._moved = self._heard = monotonic()
        self._rate: tuple[float, float] | None = None
        self._realtime: float | None = None
        self._set_speed: float | None = None
        self._clients = _clients(node, simulated)
        source = node.get_namespace()
        self._viewer = Viewer(
            *listen,
            Doorkeeper.of(listen[0], token),
            scenery(experiment, simulated, source),
            self._give,
        )
        print(f"live view: {self._viewer.address}", flush=True)

    def run(self, spin: Spin, stopped: Callable[[], bool]) -> int:
        """Draw until told to stop."""
        due = monotonic()
        next_reading = 0.0
        while not stopped():
            while (left := due - monotonic()) > 0 and not stopped():
                spin(left)
            due = max(due + 1.0 / RATE, monotonic())
            if monotonic() > next_reading:
                next_reading = monotonic() + 1.0
                self._read_set_point()
            self._update()
        return 0

    def close(self) -> None:
        """Tell the pages; nothing to make safe: a view commands no torque."""
        self._viewer.end(0.2)
        for box in (*self._newest.values(), *self._all.values()):
            box.close()

    def _update(self) -> None:
        for topic, box in self._newest.items():
            for _, raw in box.take():
                self._raw[topic] = raw
                self._heard = monotonic()
        events = []
        for _, raw in self._all[EVENTS].take():
            with suppress(MessageError):
                event = decode_event(raw)
                start = self._start_ns or 0
                events.append((round((event.stamp_ns - start) * 1e-9, 4), event.text))
        for _, raw in self._all[DIAGNOSTICS].take():
            self._heard = monotonic()
            with suppress(MessageError):
                for line in decode_diagnostics(raw)[1]:
                    if line.name.endswith(GATE):
                        self._gate = dict(line.values)
        if LINK_POSES not in self._raw or monotonic() - self._heard > SILENT_AFTER:
            return  # the pages say that they hear nothing
        with suppress(MessageError):  # of a robot that is another one than the scenario's
            self._viewer.message(self._snapshot(events).text())
            self._viewer.draw()

    def _snapshot(self, events: Sequence[tuple[float, str]]) -> Snapshot:
        stamp, base, joints = self._poses.decode(self._raw[LINK_POSES])
        if self._start_ns is None:
            self._start_ns = 0 if self._simulated else stamp  # simulated time begins at zero
        self._note_rate(stamp)
        paused = self._simulated and monotonic() - self._moved > PAUSED_AFTER
        output = self._output()
        torque = self._raw.get(TORQUE_APPLIED)
        force = self._raw.get(JOINT_FORCES)
        true = self._raw.get(SIM_CONTACTS)
        return Snapshot(
            time=round((stamp - self._start_ns) * 1e-9, 4),
            pose=numbers([*base, *joints]),
            torque=[] if torque is None else numbers(self._control.torque_applied(torque)[1], 3),
            joint_force=[]
            if force is None
            else numbers(abs(self._forces.decode(force).force).max(axis=1), 2),
            contacts=[] if true is None else true_rows(self._true.decode(true)[1]),
            estimates=[] if output is None else estimate_rows(output.contacts),
            progress=None if output is None else number(output.debug.get("progress_m")),
            speed=None if output is None else number(output.debug.get("progress_rate_mps")),
            set_speed=self._set_speed,
            armed=self._gate.get("armed") == "true",
            paused=paused,
            trouble=self._gate.get("faults", ""),
            events=list(events),
            realtime=number(self._realtime, 2),
        )

    def _output(self) -> ControlOutput | None:
        """What the controller believes; None before it has said so."""
        contacts, debug = self._raw.get(CONTACTS), self._raw.get(DEBUG)
        if contacts is None or debug is None:
            return None
        torque = self._experiment.start_joints * 0.0
        return self._control.output(torque, contacts, debug)[0]

    def _note_rate(self, stamp_ns: int) -> None:
        now, time = monotonic(), stamp_ns * 1e-9
        if stamp_ns != self._newest_ns:
            self._newest_ns, self._moved = stamp_ns, now
        if self._rate is None or time < self._rate[1]:
            self._rate = now, time
        elif now - self._rate[0] > 1.0:
            self._realtime = (time - self._rate[1]) / (now - self._rate[0])
            self._rate = now, time

    def _read_set_point(self) -> None:
        client = self._clients["read"]
        if client.service_is_ready():
            request = GetParameters.Request(names=["speed"])
            client.call_async(request).add_done_callback(self._note_set_point)

    def _note_set_point(self, future: Any) -> None:
        values = future.result().values if future.result() is not None else []
        self._set_speed = number(values[0].double_value) if values else None

    def _give(self, order: Order) -> None:
        """Send an order on at once, from the thread of the web server."""
        name = "pause" if order.name in SWITCHES else order.name
        client = self._clients.get(name)
        if client is None or not client.service_is_ready():
            self._viewer.message(answer(order.name, False, "nobody offers this now"))
            return
        if order.name == "speed":
            wish = Parameter("speed", value=order.value).to_parameter_msg()
            request: Any = SetParameters.Request(parameters=[wish])
        elif order.name in SWITCHES:
            request = SetBool.Request(data=SWITCHES[order.name])
        else:
            request = Trigger.Request()
        client.call_async(request).add_done_callback(
            lambda future: self._viewer.message(_reply(order, future.result()))
        )


def _reply(order: Order, result: Any) -> str:
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
    clients = {}
    if simulated:
        triggers |= {name: f"plant/{name}" for name in ("step", "reset")}
        clients["pause"] = node.create_client(SetBool, "plant/pause")
    clients |= {name: node.create_client(Trigger, path) for name, path in triggers.items()}
    clients["speed"] = node.create_client(SetParameters, "controller/set_parameters")
    clients["read"] = node.create_client(GetParameters, "controller/get_parameters")
    return clients


def view(args: list[str] | None = None) -> int:
    """Show the robot as the node's parameters say; returns the exit status."""

    def make() -> ViewNode:
        os.nice(NICE)
        node, values = make_node("view", VIEW_PARAMETERS)
        listen = _listen(values["listen"])
        experiment = chosen_experiment(
            values["scenario"], -1.0, values["control_rate"], values["frame_prefix"]
        )
        return ViewNode(node, experiment, values["simulated"], listen, values["token"])

    return run(make, args)


def _listen(text: str) -> tuple[str, int]:
    try:
        return split_address(text)
    except ValueError as error:
        raise BoaError(f"parameter listen: {error}") from error


if __name__ == "__main__":
    sys.exit(view())
