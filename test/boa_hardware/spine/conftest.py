# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""An emulated spine on simulated time: deterministic, and independent of the machine's load."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import can
import pytest

from boa_control.plant import PlantError
from boa_description.load import load_robot
from boa_description.robot import Robot
from boa_hardware.emulator.can_wire import WireFrame
from boa_hardware.emulator.link_physics import LinkReading
from boa_hardware.emulator.spine_emulator import BRAIN, EmulatedSpine, emulate_spine
from boa_hardware.emulator.spine_faults import SpineFault, SpineFaults
from boa_hardware.spine.bus import SpineBus
from boa_hardware.spine.settings import SpineSettings
from boa_hardware.spine.status import SpineReading
from test.boa_hardware.free_joint import FreeJoint
from test.scripted_link import ScriptedLink


class Clock:
    """Simulated time, ns."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


class DirectBus(can.BusABC):
    """A python-can bus straight into an emulated spine; waiting for a frame lets simulated time
    pass.
    """

    def __init__(self, spine: EmulatedSpine, clock: Clock) -> None:
        self._spine, self._clock = spine, clock
        self._frames: deque[can.Message] = deque()
        self.broken = False
        self.sent: list[can.Message] = []
        super().__init__("direct")

    def inject(self, frame: can.Message) -> None:
        self._frames.append(frame)

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        if self.broken:
            raise can.CanOperationError("broken")
        self.sent.append(msg)
        self._spine.send(
            WireFrame(
                msg.arbitration_id,
                bytes(msg.data),
                BRAIN,
                extended=msg.is_extended_id,
                remote=msg.is_remote_frame,
                fd=msg.is_fd,
                length=msg.dlc if msg.is_remote_frame else 0,
            ),
            self._clock.now_ns,
        )

    def _recv_internal(self, timeout: float | None) -> tuple[can.Message | None, bool]:
        if self.broken:
            raise can.CanOperationError("broken")
        if not self._frames:
            self._wait(timeout or 0.0)
        return (self._frames.popleft() if self._frames else None), False

    def recv(self, timeout: float | None = None) -> can.Message | None:
        return self._recv_internal(timeout)[0]

    def _wait(self, timeout: float) -> None:
        latest = self._clock.now_ns + round(timeout * 1e9)
        event = self._spine.next_event_ns()
        self._clock.now_ns = (
            latest if event is None else max(self._clock.now_ns, min(event, latest))
        )
        for transmission in self._spine.run_to(self._clock.now_ns):
            frame = transmission.frame
            if frame.sender != BRAIN:
                self._frames.append(
                    can.Message(
                        arbitration_id=frame.identifier,
                        data=frame.data,
                        is_extended_id=frame.extended,
                        is_fd=frame.fd,
                    )
                )


@dataclass
class Rig:
    """A Brain and an emulated spine in one process."""

    robot: Robot
    settings: SpineSettings
    faults: SpineFaults
    clock: Clock
    emulated: EmulatedSpine
    joints: list[FreeJoint]
    buses: list[DirectBus] = field(default_factory=list)
    refuse_open: bool = False

    def __post_init__(self) -> None:
        self.spine = SpineBus(self.settings, self.robot, opener=self._open, clock_ns=self.clock)
        self.spine.open()

    def _open(self, channel: str, *, fd: bool = False) -> can.BusABC:
        if self.refuse_open:
            raise PlantError("no adapter")
        self.buses.append(DirectBus(self.emulated, self.clock))
        return self.buses[-1]

    @property
    def bus(self) -> DirectBus:
        return self.buses[-1]

    def fault(self, kind: Any, **values: Any) -> SpineFault:
        fault = SpineFault(kind=kind, **values)
        self.faults.add(fault)
        return fault

    def cycle(self) -> SpineReading:
        """One sensor period."""
        start = self.clock.now_ns
        reading = self.spine.cycle()
        period = round(1e9 / self.settings.sensor_rate)
        self.clock.now_ns = max(self.clock.now_ns, start + period)
        return reading

    def cycles(self, count: int) -> list[SpineReading]:
        return [self.cycle() for _ in range(count)]


Motion = Callable[[int, float], LinkReading]


def example_motion(index: int, now: float) -> LinkReading:
    """Different for every link; forces at rest."""
    return LinkReading(
        (0.1 * index, -0.2), 0.3 * index + 0.5 * now, 0.5, (float(index), -2.0 * index, 3.0)
    )


MakeRig = Callable[..., Rig]


@pytest.fixture
def make_rig() -> MakeRig:
    def make(
        settings: SpineSettings | None = None,
        *,
        links: int = 13,
        motion: Motion = example_motion,
        servos: bool = False,
    ) -> Rig:
        settings = settings or SpineSettings()
        robot, faults = load_robot("boa13", links=links), SpineFaults()
        joints = [FreeJoint() for _ in range(robot.joints)] if servos else []
        physics = [ScriptedLink(lambda now, i=index: motion(i, now)) for index in range(links)]
        emulated = emulate_spine(robot, settings, physics, servos=joints or None, faults=faults)
        return Rig(robot, settings, faults, Clock(), emulated, joints)

    return make
