# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The newest messages of plant and controller, as snapshots. They are read when there is something
to draw; nobody is woken for them.
"""

from collections.abc import Sequence
from contextlib import suppress
from time import monotonic

import numpy as np
from rclpy.node import Node

from boa_control.controller import ControlOutput
from boa_control.event_text import brief_of
from boa_control.experiments.experiment import Experiment
from boa_control.messages.cdr import MessageError
from boa_control.messages.contacts import TrueContactsCodec
from boa_control.messages.control import ControlDecoder
from boa_control.messages.events import decode_events
from boa_control.messages.forces import ForceCodec
from boa_control.messages.status import decode_diagnostics
from boa_control.messages.topics import (
    CONTACTS,
    DEBUG,
    DIAGNOSTICS,
    EVENT_STATUS,
    JOINT_FORCES,
    LINK_POSES,
    SIM_CONTACTS,
    TORQUE_APPLIED,
    Topic,
)
from boa_control.messages.views import LinkPosesCodec
from boa_control.plant import force_components
from boa_control.ros.endpoints import Mailbox
from boa_tools.view.snapshot import NOTHING, Snapshot, number
from boa_tools.view.state import believed_base, estimate_rows, true_rows
from boa_tools.view.travel import travel_of

PAUSED_AFTER = 0.5  # s without a new pose after which simulated time counts as paused
SILENT_AFTER = 2.0  # s without a message after which nothing is known of the robot
GATE = "gate"  # end of the name of the diagnosis that says whether the plant is armed
NEWEST = (TORQUE_APPLIED, JOINT_FORCES, CONTACTS, DEBUG, SIM_CONTACTS, LINK_POSES)


class ViewTopics:
    """The last messages of plant and controller."""

    def __init__(self, node: Node, experiment: Experiment, simulated: bool) -> None:
        """Subscribe; `close` it before the node is destroyed."""
        robot = experiment.robot
        topics = [topic for topic in NEWEST if simulated or not topic.simulation_only]
        self._newest = {topic: Mailbox(node, topic, newest_only=True) for topic in topics}
        self._all = {topic: Mailbox(node, topic) for topic in (EVENT_STATUS, DIAGNOSTICS)}
        self._raw: dict[Topic, bytes] = {}
        self._poses = LinkPosesCodec(robot)
        self._control = ControlDecoder(robot)
        self._forces = ForceCodec(robot)
        self._true = TrueContactsCodec(robot)
        self._torque = np.zeros(robot.joints)
        self._travel = travel_of(experiment)
        self._simulated = simulated
        self._start_ns: int | None = None
        self._newest_ns = -1
        self._gate: dict[str, str] = {}
        self._moved = self._received = monotonic()
        self._rate: tuple[float, float] | None = None
        self._realtime: float | None = None

    def snapshot(self, set_speed: float | None) -> Snapshot | None:
        """The present instant; None while the robot is silent.

        Raises:
            MessageError: it is another robot than that of the scenario.
        """
        for topic, box in self._newest.items():
            for _, raw in box.take():
                self._raw[topic] = raw
                self._received = monotonic()
        events = self._events()
        self._read_diagnostics()
        if LINK_POSES not in self._raw or monotonic() - self._received > SILENT_AFTER:
            return None  # the pages say that they receive nothing
        return self._snapshot(events, set_speed)

    def close(self) -> None:
        """Release the subscriptions."""
        for box in (*self._newest.values(), *self._all.values()):
            box.close()

    def _events(self) -> list[tuple[float, str]]:
        events = []
        for _, raw in self._all[EVENT_STATUS].take():
            with suppress(MessageError):
                start = self._start_ns or 0
                events += [
                    ((told.stamp_ns - start) * 1e-9, brief_of(told.event))
                    for told in decode_events(raw)
                ]
        return events

    def _read_diagnostics(self) -> None:
        for _, raw in self._all[DIAGNOSTICS].take():
            self._received = monotonic()
            with suppress(MessageError):
                for line in decode_diagnostics(raw)[1]:
                    if line.name.endswith(GATE):
                        self._gate = dict(line.values)

    def _snapshot(self, events: Sequence[tuple[float, str]], set_speed: float | None) -> Snapshot:
        stamp, base, joints = self._poses.decode(self._raw[LINK_POSES])
        if self._start_ns is None:
            self._start_ns = 0 if self._simulated else stamp  # simulated time begins at zero
        self._note_rate(stamp)
        output = self._output()
        debug = {} if output is None else output.debug
        if not self._simulated:
            base = believed_base(self._travel.robot, base, joints, output)
        time = (stamp - self._start_ns) * 1e-9
        progress, speed = self._travel.update(time, base, joints, debug)
        torque = self._raw.get(TORQUE_APPLIED)
        force = self._raw.get(JOINT_FORCES)
        true = self._raw.get(SIM_CONTACTS)
        return Snapshot(
            time=time,
            pose=np.concatenate((base, joints)),
            torque=NOTHING if torque is None else self._control.torque_applied(torque)[1],
            joint_force=NOTHING
            if force is None
            else force_components(self._forces.decode(force).force),
            contacts=NOTHING
            if true is None
            else true_rows(self._travel.robot, self._true.decode(true)[1]),
            estimates=NOTHING if output is None else estimate_rows(output.contacts),
            progress=number(progress),
            speed=number(speed),
            set_speed=set_speed,
            armed=self._gate.get("armed") == "true",
            paused=self._simulated and monotonic() - self._moved > PAUSED_AFTER,
            trouble=self._gate.get("faults", ""),
            events=events,
            realtime=self._realtime,
        )

    def _output(self) -> ControlOutput | None:
        """The controller's estimates; None before there are any."""
        contacts, debug = self._raw.get(CONTACTS), self._raw.get(DEBUG)
        if contacts is None or debug is None:
            return None
        return self._control.output(self._torque, contacts, debug)[0]

    def _note_rate(self, stamp_ns: int) -> None:
        now, time = monotonic(), stamp_ns * 1e-9
        if stamp_ns != self._newest_ns:
            self._newest_ns, self._moved = stamp_ns, now
        if self._rate is None or time < self._rate[1]:
            self._rate = now, time
        elif now - self._rate[0] > 1.0:
            self._realtime = (time - self._rate[1]) / (now - self._rate[0])
            self._rate = now, time
