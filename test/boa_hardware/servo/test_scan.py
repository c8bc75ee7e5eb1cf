# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who is on the line, and who shares an ID."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.emulator.servo_chain import ServoChain
from boa_hardware.emulator.servo_faults import LineFault, LineFaults
from boa_hardware.servo.errors import SpoiltReplyError
from boa_hardware.servo.link import Identity, ServoLink
from boa_hardware.servo.registers import baud_code
from boa_hardware.servo.scan import scan
from test.boa_hardware.free_joint import FreeJoint
from test.boa_hardware.virtual_line import VirtualClock, VirtualLine


@contextmanager
def line_of(
    *ids: int, baud: int = 3_000_000, faults: LineFaults | None = None
) -> Iterator[ServoLink]:
    """Servos at different joint angles."""
    eeprom = {"baud_rate": baud_code(baud)}
    servos = [
        EmulatedServo(servo, FreeJoint(position=1.0 + 0.2 * place), eeprom=eeprom)
        for place, servo in enumerate(ids)
    ]
    with (
        VirtualLine(ServoChain(servos), faults, VirtualClock()) as line,
        ServoLink("virtual", baud, line.host) as link,
    ):
        yield link


def test_everybody_by_id_and_nothing_else() -> None:
    told: list[str] = []
    with line_of(7, 3, 5) as link:
        found = scan(link, told.append)
    assert found.servos == tuple(Identity(servo, 1150, 46) for servo in (3, 5, 7))
    assert (found.shared, found.garbled, told) == ((), False, [])


def test_nobody() -> None:
    with line_of() as link:
        found = scan(link)
    assert (found.servos, found.shared, found.garbled) == ((), (), False)


@pytest.mark.parametrize("baud", [57_600, 1_000_000, 3_000_000])
def test_ten_new_servos_share_id_1(baud: int) -> None:
    """At 57,600 bit/s, the factory's rate, their equal answers to a ping arrive whole."""
    with line_of(*[1] * 10, baud=baud) as link:
        found = scan(link)
    assert (found.servos, found.shared, found.garbled) == ((), (1,), False)


def test_shared_ids_beside_right_ones() -> None:
    told: list[str] = []
    with line_of(1, 2, 2, 3, 200, 200, 200) as link:
        found = scan(link, told.append)
    assert [servo.id for servo in found.servos] == [1, 3]
    assert found.shared == (2, 200)
    assert told == ["garbled answers; asking each of the IDs 0 to 252 by itself"]


def test_a_disturbed_line_is_not_taken_for_a_shared_id() -> None:
    faults = LineFaults([LineFault(kind="corrupt", rate=0.2)], seed=3)
    with line_of(1, 2, 3, faults=faults) as link:
        assert scan(link).shared == ()


def test_an_answer_that_collides_is_told_apart_from_none() -> None:
    with (
        line_of(4, 4) as link,
        pytest.raises(SpoiltReplyError, match="several servos share ID 4"),
    ):
        link.ping(4)
