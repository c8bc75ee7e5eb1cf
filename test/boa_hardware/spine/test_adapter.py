# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Supervision of one CAN channel, with a bus that fails on request."""

from __future__ import annotations

import errno
from collections import deque

import can
import pytest

from boa_control.plant import PlantError
from boa_hardware.spine.adapter import Adapter
from boa_hardware.spine.health import BusState
from boa_hardware.spine.settings import Restart

FRAME = can.Message(arbitration_id=5, is_extended_id=False)


class FakeBus(can.BusABC):
    """Delivers what tests put in; raises what tests ask for."""

    def __init__(self) -> None:
        self.frames: deque[can.Message | Exception] = deque()
        self.send_error: Exception | None = None
        self.closed = False
        self.reported = can.BusState.ACTIVE
        super().__init__("fake")

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        if self.send_error is not None:
            raise self.send_error

    def recv(self, timeout: float | None = None) -> can.Message | None:
        frame = self.frames.popleft() if self.frames else None
        if isinstance(frame, Exception):
            raise frame
        return frame

    @property
    def state(self) -> can.BusState:
        return self.reported

    @state.setter
    def state(self, new: can.BusState) -> None:
        self.reported = new

    def shutdown(self) -> None:
        self.closed = True
        super().shutdown()


class Rig:
    def __init__(self) -> None:
        self.time = 0.0
        self.buses: list[FakeBus] = []
        self.refuse = False
        self.adapter = Adapter(
            "fake:0",
            fd=False,
            restart=Restart(first=0.1),
            opener=self.opener,
            now=lambda: self.time,
        )
        self.adapter.open()

    def opener(self, channel: str, *, fd: bool) -> can.BusABC:
        assert (channel, fd) == ("fake:0", False)
        if self.refuse:
            raise PlantError("gone")
        self.buses.append(FakeBus())
        return self.buses[-1]


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_frames_pass_and_error_frames_only_change_the_state(rig: Rig) -> None:
    passive = can.Message(
        arbitration_id=0x004, is_error_frame=True, data=bytes([0, 0x20, 0, 0, 0, 0, 0, 0])
    )
    rig.buses[0].frames.extend([FRAME, passive])
    assert rig.adapter.receive(0.0) is FRAME
    assert rig.adapter.receive(0.0) is None
    assert rig.adapter.state is BusState.PASSIVE
    assert rig.adapter.receive(0.0) is None


def test_own_frames_that_a_driver_hands_back_are_not_received(rig: Rig) -> None:
    echo = can.Message(arbitration_id=5, is_extended_id=False, is_rx=False)
    rig.buses[0].frames.extend([echo, echo, FRAME, echo])
    assert rig.adapter.receive(0.0) is FRAME
    assert rig.adapter.receive(0.0) is None


def test_a_storm_of_error_frames_does_not_hold_the_caller(rig: Rig) -> None:
    error = can.Message(arbitration_id=0x008, is_error_frame=True, data=bytes(8))
    rig.buses[0].frames.extend([error] * 1000)
    assert rig.adapter.receive(1.0) is None
    assert len(rig.buses[0].frames) >= 900


@pytest.mark.parametrize(
    "error", [can.CanOperationError("x"), OSError("y"), can.CanOperationError("z", errno.ENETDOWN)]
)
def test_failing_send_or_receive_closes_the_channel_until_the_restart(
    rig: Rig, error: Exception
) -> None:
    for way in ("send", "receive"):
        bus = rig.buses[-1]
        if way == "send":
            bus.send_error = error
            assert not rig.adapter.send(FRAME)
        else:
            bus.frames.append(error)
            assert rig.adapter.receive(0.0) is None
        assert bus.closed and not rig.adapter.is_open
        assert rig.adapter.state is BusState.DOWN
        assert not rig.adapter.send(FRAME) and rig.adapter.receive(0.0) is None
        rig.adapter.restart_if_due()
        assert not rig.adapter.is_open
        rig.time += 0.11
        rig.adapter.restart_if_due()
        assert rig.adapter.is_open
        rig.adapter.sync_done(answered=True)
        assert rig.adapter.state is BusState.ACTIVE
    assert rig.adapter.restarts == 2


def test_a_full_transmit_queue_is_not_a_lost_adapter(rig: Rig) -> None:
    rig.buses[0].send_error = can.CanOperationError("Failed to transmit", errno.ENOBUFS)
    assert not rig.adapter.send(FRAME)
    assert rig.adapter.is_open and rig.adapter.state is BusState.ACTIVE


def test_garbage_in_the_driver_costs_a_frame_only(rig: Rig) -> None:
    rig.buses[0].frames.extend([ValueError("not hexadecimal"), FRAME])
    assert rig.adapter.receive(0.0) is None
    assert rig.adapter.receive(0.0) is FRAME
    assert rig.adapter.unreadable == 1


def test_a_driver_that_reports_bus_off_is_believed_when_nobody_answers(rig: Rig) -> None:
    rig.buses[0].state = can.BusState.ERROR
    rig.adapter.sync_done(answered=True)
    assert rig.adapter.state is BusState.ACTIVE
    rig.adapter.sync_done(answered=False)
    assert rig.adapter.state is BusState.OFF


def test_restart_that_fails_is_tried_again(rig: Rig) -> None:
    rig.buses[0].frames.append(OSError("unplugged"))
    rig.adapter.receive(0.0)
    rig.refuse = True
    rig.time = 0.11
    rig.adapter.restart_if_due()
    assert not rig.adapter.is_open and rig.adapter.restarts == 1
    rig.refuse = False
    rig.time = 0.2
    rig.adapter.restart_if_due()
    assert not rig.adapter.is_open
    rig.time = 0.32
    rig.adapter.restart_if_due()
    assert rig.adapter.is_open
