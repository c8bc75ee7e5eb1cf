# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Node that reads a running robot through its topics, for `boa sensors monitor` and `boa doctor`.

It publishes nothing and calls nothing, so the run does not notice it.
"""

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic

from boa_control.messages.cdr import MessageError
from boa_control.messages.sensors import SENSORS, SensorDecoder
from boa_control.messages.status import Diagnosis, decode_diagnostics
from boa_control.messages.topics import DIAGNOSTICS, JOINT_STATES
from boa_control.plant import SensorFrame
from boa_control.ros.endpoints import subscribe
from boa_control.ros.parameters import make_node
from boa_control.ros.runtime import FAILED, Spin, run
from boa_description.robot import Robot

DISCOVERY = 2.0  # s in which a running plant is found
PLANT = "boa/plant: "  # how the names of the plant's diagnoses begin


@dataclass(frozen=True, slots=True)
class Seen:
    """News of a running plant.

    Attributes:
        frame: the newest; None before the first.
        diagnoses: the plant's newest, by name without "boa/plant: ".
        wrong: why messages cannot be read, e.g. since they are another robot's; "" if they can.
    """

    frame: SensorFrame | None = None
    diagnoses: Mapping[str, Diagnosis] = field(default_factory=dict)
    wrong: str = ""

    @property
    def faults(self) -> str:
        """Latched faults of the gate, "" for none."""
        gate = self.diagnoses.get("gate")
        return gate.values.get("faults", "") if gate is not None else ""


class Watch:
    """Keeps the newest of what the plant publishes. A `Program` for the node runtime.

    Args:
        robot: that is expected.
        each: is given what was seen whenever something new has come; True ends the watch.
        seconds: at most so long; None: until told to stop.
    """

    def __init__(
        self, robot: Robot, each: Callable[[Seen], bool], seconds: float | None = None
    ) -> None:
        self.node, _ = make_node("watch", ())
        self.nodes = (self.node,)
        self._decoder = SensorDecoder(robot)
        self._robot = robot
        self._each = each
        self._seconds = seconds
        self._frame: SensorFrame | None = None
        self._diagnoses: dict[str, Diagnosis] = {}
        self._wrong = ""
        self._new = False
        for sensor in SENSORS:
            read = partial(self._decoder.sample, sensor.topic.name)
            subscribe(self.node, sensor.topic, self._reader(read))
        subscribe(self.node, JOINT_STATES, self._reader(self._joint_states))
        subscribe(self.node, DIAGNOSTICS, self._reader(self._diagnostics))

    @property
    def seen(self) -> Seen:
        """The newest of everything."""
        return Seen(self._frame, dict(self._diagnoses), self._wrong)

    def run(self, spin: Spin, stopped: Callable[[], bool]) -> int:
        """Watch; status 1 where no plant is running."""
        begin = monotonic()
        while not stopped():
            spin(0.1)
            now = monotonic() - begin
            if self._new:
                self._new = False
                if self._each(self.seen):
                    return 0
            elif now > DISCOVERY and self._frame is None:
                return FAILED
            if self._seconds is not None and now > self._seconds:
                break
        return 0

    def close(self) -> None:
        """Nothing to make safe: it only reads."""

    def _reader(self, read: Callable[[bytes], None]) -> Callable[[bytes], None]:
        def take(raw: bytes) -> None:
            try:
                read(raw)
            except MessageError as error:
                self._wrong = f"{error}; is it a {self._robot.name}? (--robot)"
            self._new = True

        return take

    def _joint_states(self, raw: bytes) -> None:
        self._frame = self._decoder.joint_states(raw)

    def _diagnostics(self, raw: bytes) -> None:
        for line in decode_diagnostics(raw)[1]:
            if line.name.startswith(PLANT):
                self._diagnoses[line.name.removeprefix(PLANT)] = line


def watch(robot: Robot, each: Callable[[Seen], bool], seconds: float | None = None) -> bool:
    """Watch a running robot; False where there is none in this ROS domain.

    See `Watch`. Ctrl-C and SIGTERM end it, and mean what they did before afterwards.
    """
    with _handlers_kept():
        return run(lambda: Watch(robot, each, seconds), args=[]) != FAILED


@contextmanager
def _handlers_kept() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
