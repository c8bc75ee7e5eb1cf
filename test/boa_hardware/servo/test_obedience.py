# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Registers read back against what was written."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from boa_hardware.emulator.servo_chain import ServoChain
from boa_hardware.servo import protocol
from boa_hardware.servo.bringup import arm, bring_up
from boa_hardware.servo.bus import LISTENING, ServoBus
from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.servo.obedience import IGNORED, Reason
from boa_hardware.servo.protocol import BROADCAST
from boa_hardware.servo.settings import ServoBusSettings
from test.boa_hardware.virtual_line import VirtualLine


@pytest.fixture
def armed(line: VirtualLine, settings: ServoBusSettings) -> ServoBus:
    bus = ServoBus("virtual", settings, line.host)
    bus.open()
    bring_up(bus)
    arm(bus)
    return bus


def cycles(
    bus: ServoBus, line: VirtualLine, count: int, before: Callable[[], None] = lambda: None
) -> list[ServoCycle]:
    """Ticks of 5 ms with goals that change; `before` each of them somebody acts."""
    seen = []
    for number in range(count):
        line.let_pass(round((line.clock() + 0.005) * 1e9))
        before()
        seen.append(bus.cycle(np.full(len(bus.ids), 0.02 + 0.01 * (number % 7))))
    return seen


def reasons(cycle: ServoCycle) -> list[tuple[int, Reason]]:
    return [(one.joint, one.reason) for one in cycle.disobedient]


def test_servos_that_obey_are_not_accused(armed: ServoBus, line: VirtualLine) -> None:
    assert all(cycle.disobedient == () for cycle in cycles(armed, line, 50))


@pytest.mark.parametrize(
    ("register", "raw", "reason"),
    [
        ("torque_enable", 0, Reason.TORQUE_OFF),
        ("bus_watchdog", -1, Reason.WATCHDOG_TRIPPED),
        ("bus_watchdog", 0, Reason.WATCHDOG_CHANGED),
        ("bus_watchdog", 99, Reason.WATCHDOG_CHANGED),
        ("goal_pwm", 0, Reason.PWM_LOWERED),
    ],
)
def test_a_register_that_another_has_written_is_named_at_once(
    armed: ServoBus, line: VirtualLine, chain: ServoChain, register: str, raw: int, reason: Reason
) -> None:
    cycles(armed, line, 3)
    chain.servo(2).table[register] = raw
    (cycle,) = cycles(armed, line, 1)
    assert reasons(cycle) == [(1, reason)]


def test_torque_switched_off_by_broadcast_is_named_for_all(
    armed: ServoBus, line: VirtualLine
) -> None:
    cycles(armed, line, 3)
    line.receive(protocol.write(BROADCAST, 64, b"\0"))
    (cycle,) = cycles(armed, line, 1)
    assert reasons(cycle) == [(joint, Reason.TORQUE_OFF) for joint in range(4)]


@pytest.mark.parametrize("goal", [37, -37])
def test_another_master_is_noticed_although_its_goals_are_overwritten(
    armed: ServoBus, line: VirtualLine, goal: int
) -> None:
    """It writes just before this program does, so only a tick that reads first can see it."""
    cycles(armed, line, 3)
    packet = protocol.sync_write({3: goal.to_bytes(2, "little", signed=True)}, 102)
    seen = cycles(armed, line, LISTENING, lambda: line.receive(packet))
    assert [one for cycle in seen for one in reasons(cycle)] == [(2, Reason.FOREIGN_GOAL)]


def test_a_lost_goal_is_no_refusal_and_three_are(
    armed: ServoBus, line: VirtualLine, chain: ServoChain, monkeypatch: pytest.MonkeyPatch
) -> None:
    cycles(armed, line, 5)
    servo = chain.servo(1)
    stuck = servo.table["goal_current"]

    def write(address: int, data: bytes, *, ram_only: bool = False) -> None:
        if address != 102:
            raise AssertionError

    monkeypatch.setattr(servo, "write", write)
    seen = cycles(armed, line, round(IGNORED) + 1)
    told = [reasons(cycle) for cycle in seen]
    assert told[0] == []
    assert [(0, Reason.GOAL_IGNORED)] in told
    assert seen[-1].disobedient[0].value == stuck
