# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The way out of a shutdown."""

from __future__ import annotations

import pytest

from boa_hardware.emulator.servo_chain import ServoChain
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.errors import NoReplyError
from boa_hardware.servo.handshake import handshake
from boa_hardware.servo.reboot import reboot
from boa_hardware.servo.registers import HardwareError


def test_a_reboot_clears_a_hardware_error(bus: ServoBus, chain: ServoChain) -> None:
    chain.servo(2).trip(HardwareError.OVERLOAD)
    assert not handshake(bus.link, bus.settings).ok
    assert reboot(bus.link, 2) == 0
    assert handshake(bus.link, bus.settings).ok


def test_torque_is_off_before_the_reboot(
    bus: ServoBus, chain: ServoChain, monkeypatch: pytest.MonkeyPatch
) -> None:
    servo = chain.servo(3)
    servo.table["goal_current"] = 0
    servo.table["torque_enable"] = 1
    torque_at_reboot = []
    restart = servo.reboot

    def watched(now: float) -> None:
        torque_at_reboot.append(servo.torque_on)
        restart(now)

    monkeypatch.setattr(servo, "reboot", watched)
    assert reboot(bus.link, 3) == 0
    assert torque_at_reboot == [False]


def test_a_cause_that_is_still_there_is_told(bus: ServoBus, chain: ServoChain) -> None:
    chain.servo(1).physics.temperature = 95.0
    assert reboot(bus.link, 1) == HardwareError.OVERHEATING


def test_a_servo_that_answers_pings_only_is_restarted(bus: ServoBus, chain: ServoChain) -> None:
    chain.servo(4).table["status_return_level"] = 0
    assert reboot(bus.link, 4) == 0
    assert chain.servo(4).table["status_return_level"] == 2


def test_a_servo_that_is_not_there(bus: ServoBus) -> None:
    with pytest.raises(NoReplyError, match="servo 9 did not answer"):
        reboot(bus.link, 9)
