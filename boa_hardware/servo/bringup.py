# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bring the servos up in the safe order, arm and disarm them, recover them after a hardware error.

The order matters (e-manual): torque off; mode and limits right; Goal Current 0 and read back, since
a start or a change of mode sets it to Current Limit; Bus Watchdog; torque on last. EEPROM is only
checked here: `boa_hardware.servo.eeprom.configure` writes it on explicit command.
"""

import contextlib
from collections.abc import Iterator

import numpy as np

from boa_control.plant import PlantError
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.cycle import BLOCK_ADDRESSES, ServoCycle
from boa_hardware.servo.errors import BringUpError, NoReplyError
from boa_hardware.servo.handshake import HandshakeReport, handshake
from boa_hardware.servo.protocol import BROADCAST
from boa_hardware.servo.reboot import reboot
from boa_hardware.servo.registers import PWM_FULL, describe_hardware_error, indirect_address

_RETURN_ALL = 2  # Status Return Level: every instruction is answered


def bring_up(bus: ServoBus) -> HandshakeReport:
    """Make the servos ready to be armed; they stay without torque.

    Returns:
        The handshake's report, all right.

    Raises:
        BringUpError: servos missing or wrong; the message is the report.
        PlantError: a servo refuses or stops answering.
    """
    bus.torque_off()
    # broadcast: a servo that is told to answer less would not answer this either
    bus.link.write(BROADCAST, "status_return_level", _RETURN_ALL)
    report = handshake(bus.link, bus.settings)
    bus.fast_read = report.fast_read
    report.require_ok()
    for servo in bus.ids:
        _prepare(bus, servo)
    bus.restart()
    sample = bus.cycle()
    if not sample.valid.all() and bus.link.port.discard_until_silent():
        raise BringUpError(
            f"the servos answer later than {bus.settings.reply_margin:g} s after the time that the "
            "wire takes; set the adapter's latency timer to 1 ms (docs/bringup.md), or raise "
            "reply_margin"
        )
    if not sample.valid.all():
        silent = [servo for servo, valid in zip(bus.ids, sample.valid, strict=True) if not valid]
        raise BringUpError(
            f"servos {silent} answer pings but not the cyclic read; check cable and baud rate"
        )
    return report


def _prepare(bus: ServoBus, servo: int) -> None:
    """RAM of one servo: torque off, watchdog cleared, goal 0, indirect map of the cyclic block."""
    link = bus.link
    link.write_verified(servo, "torque_enable", 0)
    link.write_verified(servo, "status_return_level", _RETURN_ALL)
    link.write_verified(servo, "bus_watchdog", 0)
    link.write_verified(servo, "goal_current", 0)
    mapping = b"".join(address.to_bytes(2, "little") for address in BLOCK_ADDRESSES)
    link.write_bytes(servo, indirect_address(1), mapping, "indirect map of the cyclic block")
    if link.read_bytes(servo, indirect_address(1), len(mapping)) != mapping:
        raise BringUpError(
            f"servo {servo}: the indirect map does not read back as written; reboot the servo"
        )


def arm(bus: ServoBus) -> None:
    """Switch torque on at zero current, with the Bus Watchdog running.

    Raises:
        PlantError: a hardware error, a refusal or a servo that does not answer; torque is off
            again.
    """
    try:
        for servo in bus.ids:
            _ready_to_arm(bus, servo)
        bus.restart()
        bus.armed = True
        bus.link.sync_write("torque_enable", dict.fromkeys(bus.ids, 1))
        for servo in bus.ids:
            if bus.link.read(servo, "torque_enable") != 1:
                raise BringUpError(
                    f"servo {servo} does not switch torque on; check it with `boa servo info`"
                )
    except PlantError:
        disarm(bus)
        raise


def _ready_to_arm(bus: ServoBus, servo: int) -> None:
    link = bus.link
    error = link.read(servo, "hardware_error_status")
    if error:
        raise BringUpError(
            f"servo {servo} has a hardware error: {describe_hardware_error(error)}; "
            f"remove the cause, then `boa servo reboot --id {servo}` (while the node runs: reset "
            "the fault)"
        )
    link.write_verified(servo, "torque_enable", 0)
    link.write_verified(servo, "bus_watchdog", 0)
    link.write_verified(servo, "goal_current", 0)
    link.write_verified(servo, "goal_pwm", PWM_FULL)
    link.write_verified(servo, "bus_watchdog", bus.settings.watchdog_counts)


def disarm(bus: ServoBus) -> None:
    """Take torque from every joint at once.

    Never raises; a servo that misses it is stopped by its watchdog.
    """
    bus.torque_off()
    with contextlib.suppress(PlantError):
        bus.link.sync_write("goal_current", dict.fromkeys(bus.ids, 0))


@contextlib.contextmanager
def energised(bus: ServoBus) -> Iterator[ServoCycle]:
    """Armed inside the `with` block, without torque on every way out of it; yields where the joints
    are. Raises PlantError, also where a servo does not tell.
    """
    try:
        arm(bus)
        sample = bus.cycle(np.zeros(len(bus.ids)))
        if not sample.valid.all():
            servo = bus.ids[int(sample.valid.argmin())]
            raise BringUpError(
                f"servo {servo} does not tell its position under torque; torque is off, nothing "
                "has moved; check the cable, or try again"
            )
        yield sample
    finally:
        disarm(bus)


def recover(bus: ServoBus) -> HandshakeReport:
    """After a hardware error or a restart: reboot the servos concerned and set all up again; ends
    disarmed.

    Raises:
        BringUpError: the error comes back, or a servo does not.
    """
    disarm(bus)
    for servo in bus.ids:
        # a missing servo is reported by bring_up, with all others
        with contextlib.suppress(NoReplyError):
            if bus.link.read(servo, "hardware_error_status"):
                reboot(bus.link, servo)
    return bring_up(bus)
