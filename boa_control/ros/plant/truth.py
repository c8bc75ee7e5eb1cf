# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The true state of a simulation, its odometry, joints and contacts, and its time, published while
somebody listens.

Worked out for a single tick they cost more than the physics, and mostly they are only recorded. So
contacts of some ticks go out together, fewer where somebody beside the recorder listens to them;
odometry and joints only while nobody but the recorder does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from rclpy.publisher import Publisher

from boa_control.messages.control_records import ticks_together
from boa_control.messages.message_columns import by_ticks
from boa_control.messages.plant_views import ViewClock
from boa_control.messages.status import encode_clock
from boa_control.messages.topics import (
    CLOCK,
    SIM_CONTACTS,
    SIM_JOINT_STATES,
    SIM_ODOMETRY,
    Topic,
)
from boa_control.messages.truth import TruthCodec
from boa_control.plant import GroundTruth
from boa_control.ros.plant.tools import LISTENERS_RATE
from boa_description.robot import Robot

MOTION = (SIM_ODOMETRY, SIM_JOINT_STATES)
TRUTH = (*MOTION, SIM_CONTACTS)
UNPACED = 16  # ticks together where time has no pace: about 20 ms of a run of `boa_circle`
SHARED = 5  # contacts together where others listen to them, too: half of a usual queue of 10


class PlantTruth:
    """Publishes truth and time."""

    def __init__(
        self,
        publishers: Mapping[Topic, Publisher],
        robot: Robot,
        period: float,
        *,
        paced: bool,
        recorded: bool,
    ) -> None:
        """Connect it.

        Args:
            publishers: of `TRUTH` and the clock, at least.
            period: of the control ticks, s.
            paced: whether ticks follow a clock on the wall.
            recorded: whether one of those who listen is the recorder.
        """
        self._publishers = publishers
        self._codec = TruthCodec(robot)
        self._together = ticks_together(period) if paced else UNPACED
        self._recorders = int(recorded)
        self._due = ViewClock(LISTENERS_RATE)  # when it is checked who listens
        self._listening = self._watched = self._timed = False
        self._shared = False  # somebody beside the recorder listens to the contacts
        self._moving: list[GroundTruth] = []  # whose odometry and joints wait
        self._touching: list[GroundTruth] = []  # whose contacts wait

    def add(self, truth: GroundTruth) -> None:
        """Take the truth of a tick; publish what is due, then the time: who is woken by the clock
        finds the state.
        """
        if self._due.due(truth.stamp_ns) or not self._listening:
            self._listening = max(map(self._listeners, TRUTH)) > 0
            self._watched = max(map(self._listeners, MOTION)) > self._recorders
            self._shared = self._listeners(SIM_CONTACTS) > self._recorders
            self._timed = self._listeners(CLOCK) > 0
        self._add(truth)
        if self._timed:
            self._publish([(CLOCK, encode_clock(truth.stamp_ns))])

    def _add(self, truth: GroundTruth) -> None:
        if not self._listening:
            self.flush()  # nothing of now is left for who comes later
            return
        self._touching.append(truth)
        if self._watched:
            self._publish_waiting_motion()
            self._publish(self._codec.encode_motion(truth))
        else:
            self._moving.append(truth)
        together = min(self._together, SHARED) if self._shared else self._together
        if len(self._touching) >= together:
            self.flush()

    def flush(self) -> None:
        """Publish all that waits for further ticks."""
        self._publish_waiting_motion()
        waiting, self._touching = self._touching, []
        if waiting:
            self._publish((SIM_CONTACTS, raw) for raw in self._codec.encode_contacts(waiting))

    def _publish_waiting_motion(self) -> None:
        waiting, self._moving = self._moving, []
        if waiting:
            columns = self._codec.encode_motions(waiting)
            self._publish(chain.from_iterable(by_ticks(columns, len(waiting))))

    def _publish(self, outgoing: Iterable[tuple[Topic, bytes]]) -> None:
        for topic, raw in outgoing:
            self._publishers[topic].publish(raw)

    def _listeners(self, topic: Topic) -> int:
        return int(self._publishers[topic].get_subscription_count())
