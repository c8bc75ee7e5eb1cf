# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Clock, loop statistics, fault latch, real-time hints."""

from __future__ import annotations

import pytest

from boa_hardware.clock import RobotClock
from boa_hardware.realtime import can_restart, hints, scheduling
from boa_hardware.runner import LoopStats
from boa_hardware.servo.faults import MAX_FAULTS, FaultLatch


def test_the_wall_clock_is_read_once() -> None:
    wall, monotonic = [10_000], [400]
    clock = RobotClock(lambda: monotonic[0], lambda: wall[0])
    assert clock.now_ns() == 10_000
    wall[0], monotonic[0] = 0, 450
    assert clock.now_ns() == 10_050
    assert clock.stamp_ns(410) == 10_010


def test_ticks_later_than_a_period_count_as_late() -> None:
    stats = LoopStats(0.005)
    for late_us in (10, 4_999, 5_001, 20_000):
        stats.add(late_us * 1000, 1_000_000)
    assert stats.late_share == 0.5
    numbers = stats.numbers()
    assert numbers["bus_ticks"] == 4
    assert numbers["bus_work_us_p50"] == 1000
    assert LoopStats(0.005).numbers() == {"bus_ticks": 0.0}


def test_the_latch_keeps_first_wordings_in_order() -> None:
    latch = FaultLatch()
    assert not latch.add(())
    assert latch.add(["servo 3: no reply for 3 ticks", "spine: link 4 silent for 0.25 s"])
    assert not latch.add(
        ["servo 3: no reply for 4 ticks", "spine: link 4 silent for 0.26 s", "servo 4: hot"]
    )
    assert latch.texts == (
        "servo 3: no reply for 3 ticks",
        "spine: link 4 silent for 0.25 s",
        "servo 4: hot",
    )
    latch.clear()
    assert not latch


def test_the_latch_does_not_grow_for_ever() -> None:
    latch = FaultLatch()
    latch.add(f"fault {number}" for number in range(100))
    assert len(latch.texts) == MAX_FAULTS


def test_hints_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boa_hardware.realtime.raise_priority", lambda wanted: False)
    assert "limits.conf" in scheduling(40).text
    assert scheduling(0).good
    monkeypatch.setattr("boa_hardware.realtime.latency_timer", lambda port: 16)
    found = hints("/dev/ttyUSB0", "slcan:/dev/ttyACM0", 0)
    assert [hint.good for hint in found] == [True, False]
    assert "latency timer of /dev/ttyUSB0 is 16 ms" in found[1].text


@pytest.mark.parametrize(("milliseconds", "good"), [(0, False), (100, True)])
def test_restart_ms_is_read_from_ip(
    monkeypatch: pytest.MonkeyPatch, milliseconds: int, good: bool
) -> None:
    class Answer:
        stdout = b'[{"linkinfo": {"info_data": {"restart_ms": %d}}}]' % milliseconds

    monkeypatch.setattr("subprocess.run", lambda *_, **__: Answer())
    (hint,) = can_restart("can0")
    assert hint.good is good
    assert ("restart-ms 100" in hint.text) is not good
