# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Writing EEPROM: the only place that does it, on explicit command, each value read back."""

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass

from boa_control.plant import PlantError
from boa_hardware.servo.errors import NoReplyError
from boa_hardware.servo.link import ServoLink
from boa_hardware.servo.protocol import BROADCAST, MAX_ID
from boa_hardware.servo.registers import baud_code

SETTLE = 0.05  # s a servo gets to change its baud rate
RETURN_ALL = 2  # Status Return Level: every instruction is answered


@dataclass(frozen=True, slots=True)
class Change:
    """One EEPROM value that was changed."""

    servo: int
    name: str
    old: int
    new: int

    def __str__(self) -> str:
        return f"servo {self.servo}: {self.name} {self.old} -> {self.new}"


def configure(link: ServoLink, servo: int, required: Mapping[str, int]) -> list[Change]:
    """Write the EEPROM values that differ; torque is switched off first and Goal Current ends at 0.

    Returns:
        What was changed; empty when all was right (EEPROM wears out, so nothing is written twice).

    Raises:
        PlantError: no reply, refused, or a value that does not read back.
    """
    _make_all_answer(link)
    link.write_verified(servo, "torque_enable", 0)
    changes = []
    for name, value in required.items():
        old = link.read(servo, name)
        if old != value:
            link.write_verified(servo, name, value)
            changes.append(Change(servo, name, old, value))
    link.write_verified(servo, "bus_watchdog", 0)  # a tripped watchdog would refuse the goal
    link.write_verified(servo, "goal_current", 0)  # a change of mode has set it to the limit
    return changes


def set_id(link: ServoLink, old: int, new: int) -> None:
    """Give a servo another ID.

    Raises:
        PlantError: the new ID is taken or out of range, or the servo does not answer under it.
    """
    if not 0 <= new <= MAX_ID:
        raise PlantError(f"ID {new} is outside 0 to {MAX_ID}")
    if old == new:
        return
    with contextlib.suppress(NoReplyError):
        link.ping(new)
        raise PlantError(f"ID {new} is already taken; give the other servo a free ID first")
    _make_all_answer(link)
    link.write_verified(old, "torque_enable", 0)
    with contextlib.suppress(NoReplyError):  # the answer may come from either ID
        link.write(old, "id", new)
    link.ping(new)


def set_baud(link: ServoLink, servo: int, baud: int) -> None:
    """Give a servo another baud rate; the port follows it.

    Raises:
        BoaError: the servo does not know this rate.
        PlantError: the servo does not answer at the new rate; the port is back at the old one.
    """
    code, before = baud_code(baud), link.baud
    _make_all_answer(link)
    link.write_verified(servo, "torque_enable", 0)
    with contextlib.suppress(NoReplyError):  # the answer may already come at the new rate
        link.write(servo, "baud_rate", code)
    time.sleep(SETTLE)
    link.set_baud(baud)
    try:
        link.ping(servo)
    except NoReplyError:
        link.set_baud(before)
        raise


def _make_all_answer(link: ServoLink) -> None:
    """A servo whose Status Return Level is lower would not answer the write that raises it."""
    link.write(BROADCAST, "status_return_level", RETURN_ALL)  # broadcasts are not answered
