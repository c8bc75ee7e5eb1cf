# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Writing EEPROM on explicit command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from boa_control.plant import PlantError
from boa_description.errors import BoaError
from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.emulator.servo_chain import ServoChain
from boa_hardware.servo.bringup import bring_up
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.eeprom import configure, set_baud, set_id
from boa_hardware.servo.errors import NoReplyError
from boa_hardware.servo.handshake import handshake, required_eeprom
from boa_hardware.servo.link import ServoLink
from boa_hardware.servo.settings import ServoBusSettings
from test.boa_hardware.free_joint import FreeJoint
from test.boa_hardware.virtual_line import VirtualClock, VirtualLine


def test_configure_makes_factory_servos_right(
    line: VirtualLine, settings: ServoBusSettings, chain: ServoChain
) -> None:
    for servo in chain.servos:
        keep = servo.id
        servo.table.factory_reset(keep=("id", "baud_rate", "firmware_version"))
        assert servo.id == keep
        servo.table["torque_enable"] = 1
    with ServoBus("virtual", settings, line.host) as bus:
        assert not handshake(bus.link, bus.settings).ok
        for servo_id in bus.ids:
            changes = configure(bus.link, servo_id, required_eeprom(settings))
            assert "servo " + str(servo_id) + ": operating_mode 3 -> 0" in map(str, changes)
            # nothing is written twice
            assert configure(bus.link, servo_id, required_eeprom(settings)) == []
        for servo in chain.servos:
            assert servo.table["goal_current"] == 0  # the change of mode had set it to the limit
        assert bring_up(bus).ok


def test_a_value_that_does_not_stick_is_an_error(
    bus: ServoBus, chain: ServoChain, monkeypatch: pytest.MonkeyPatch
) -> None:
    servo = chain.servo(1)
    monkeypatch.setattr(
        servo,
        "_after_write",
        lambda entry, raw, *, changed: servo.table.__setitem__("return_delay_time", 250),
    )
    servo.table["return_delay_time"] = 250
    with pytest.raises(PlantError, match="servo 1: return_delay_time reads 250 after writing 0"):
        configure(bus.link, 1, {"return_delay_time": 0})


def test_set_id(bus: ServoBus, chain: ServoChain) -> None:
    set_id(bus.link, 4, 40)
    assert bus.link.ping(40).model == 1150
    with pytest.raises(NoReplyError):
        bus.link.ping(4)
    with pytest.raises(PlantError, match="ID 2 is already taken"):
        set_id(bus.link, 1, 2)
    with pytest.raises(PlantError, match="ID 253 is outside 0 to 252"):
        set_id(bus.link, 1, 253)
    set_id(bus.link, 1, 1)
    assert sorted(servo.id for servo in chain.servos) == [1, 2, 3, 40]


@contextmanager
def link_to(servo: EmulatedServo) -> Iterator[ServoLink]:
    with (
        VirtualLine(ServoChain([servo]), None, VirtualClock()) as line,
        ServoLink("virtual", 3_000_000, line.host) as link,
    ):
        yield link


@pytest.mark.parametrize("baud", [57_600, 1_000_000, 4_500_000])
def test_set_baud_moves_servo_and_port(baud: int) -> None:
    servo = EmulatedServo(1, FreeJoint(), eeprom={"baud_rate": 5})
    with link_to(servo) as link:
        set_baud(link, 1, baud)
        assert (servo.baud, link.baud) == (baud, baud)
        assert link.ping(1).id == 1


def test_set_baud_comes_back_when_the_servo_does_not_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    servo = EmulatedServo(1, FreeJoint(), eeprom={"baud_rate": 5})
    monkeypatch.setattr(
        servo,
        "_after_write",
        lambda entry, raw, *, changed: servo.table.__setitem__("baud_rate", 5),
    )
    with link_to(servo) as link:
        with pytest.raises(NoReplyError):
            set_baud(link, 1, 1_000_000)
        assert link.ping(1).id == 1
        with pytest.raises(BoaError, match="baud rate 12345"):
            set_baud(link, 1, 12_345)
