# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bus state from what adapters report, and when the channel is restarted."""

from __future__ import annotations

import can
import pytest

from boa_hardware.spine.health import BusMonitor, BusState, state_from_error_frame, state_from_flags
from boa_hardware.spine.settings import Restart

SETTINGS = Restart(first=0.1, longest=0.5, passive_after=1.0, silent_after=3)


@pytest.mark.parametrize(
    ("kind", "control", "state"),
    [
        # linux/can/error.h: classes in the identifier, controller problems in data[1]
        (0x040, 0x00, BusState.OFF),
        (0x004, 0x10, BusState.PASSIVE),
        (0x004, 0x20, BusState.PASSIVE),
        (0x004, 0x04, BusState.WARNING),
        (0x004, 0x08, BusState.WARNING),
        (0x004, 0x40, BusState.ACTIVE),
        (0x100, 0x00, BusState.ACTIVE),
        (0x044, 0x30, BusState.OFF),
        (0x002, 0x00, None),  # lost arbitration
        (0x008, 0x00, None),  # protocol violation
    ],
)
def test_socketcan_error_frames(kind: int, control: int, state: BusState | None) -> None:
    data = bytes([0, control, 0, 0, 0, 0, 0, 0])
    assert (
        state_from_error_frame(can.Message(arbitration_id=kind, is_error_frame=True, data=data))
        is state
    )


@pytest.mark.parametrize(
    ("flags", "answered", "state"),
    [
        (0x00, True, BusState.ACTIVE),
        (0x04, True, BusState.WARNING),
        (0x24, True, BusState.PASSIVE),
        (0x84, True, BusState.WARNING),  # single bit errors on a bus that works
        (0xA4, False, BusState.OFF),
        (0x03, False, BusState.ACTIVE),  # full buffers say nothing about the bus
    ],
)
def test_slcan_flags(flags: int, answered: bool, state: BusState) -> None:
    assert state_from_flags(flags, answered=answered) is state


def test_healthy_bus_is_never_restarted() -> None:
    monitor = BusMonitor(SETTINGS)
    for step in range(1000):
        monitor.sync_done(answered=True, now=step * 0.01)
        assert not monitor.restart_due(step * 0.01)
    assert monitor.state is BusState.ACTIVE


def test_bus_off_is_restarted_with_growing_pauses_until_somebody_answers() -> None:
    monitor = BusMonitor(SETTINGS)
    monitor.observe(BusState.OFF, 0.0)
    restarts = []
    for step in range(300):
        now = step * 0.01
        if monitor.restart_due(now):
            restarts.append(now)
            monitor.restarted(opened=True, now=now)
        monitor.sync_done(answered=False, now=now)
    pauses = [later - earlier for earlier, later in zip([0.0, *restarts], restarts, strict=False)]
    assert pauses[:4] == pytest.approx([0.1, 0.2, 0.4, 0.5], abs=0.011)
    assert max(pauses) < 0.52
    monitor.sync_done(answered=True, now=3.0)
    assert monitor.state is BusState.ACTIVE
    assert not monitor.restart_due(10.0)
    monitor.observe(BusState.OFF, 10.0)
    assert monitor.restart_due(10.1)  # the pause is short again


def test_silence_is_noticed_after_some_syncs() -> None:
    monitor = BusMonitor(SETTINGS)
    for step in range(2):
        monitor.sync_done(answered=False, now=step * 0.01)
    assert monitor.state is BusState.ACTIVE
    monitor.sync_done(answered=False, now=0.02)
    assert monitor.state is BusState.SILENT
    assert not monitor.restart_due(0.1)
    assert monitor.restart_due(0.13)


def test_error_passive_is_restarted_only_when_it_lasts() -> None:
    monitor = BusMonitor(SETTINGS)
    monitor.observe(BusState.PASSIVE, 0.0)
    for step in range(1, 100):
        monitor.sync_done(answered=True, now=step * 0.01)
        assert not monitor.restart_due(step * 0.01)
    monitor.observe(BusState.ACTIVE, 1.0)  # it recovered by itself
    monitor.observe(BusState.PASSIVE, 2.0)
    monitor.sync_done(answered=True, now=3.0)
    assert not monitor.restart_due(3.05)
    assert monitor.restart_due(3.11)


def test_an_adapter_that_cannot_be_opened_is_down() -> None:
    monitor = BusMonitor(SETTINGS)
    monitor.observe(BusState.DOWN, 0.0)
    assert monitor.restart_due(0.11)
    monitor.restarted(opened=False, now=0.11)
    assert monitor.state is BusState.DOWN
    assert monitor.restarts == 1
    assert not monitor.restart_due(0.25)
    assert monitor.restart_due(0.32)
