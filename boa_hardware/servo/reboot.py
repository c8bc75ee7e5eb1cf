# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Restart a servo: the only way out of a shutdown by a hardware error."""

import contextlib

from boa_hardware.servo.errors import NoReplyError, ServoRefusedError
from boa_hardware.servo.link import ServoLink

BOOT_TIMEOUT = 2.0  # s for a rebooted servo to answer again


def reboot(link: ServoLink, servo: int) -> int:
    """Switch a servo's torque off, restart it and wait until it answers again.

    Its RAM is lost (goals, indirect map, watchdog, turns of the joint); EEPROM stays.

    Returns:
        Hardware Error Status after the start; 0: none is left.

    Raises:
        NoReplyError: it did not answer before, or does not come back.
    """
    link.ping(servo)
    # a servo that answers pings only, or refuses, obeys the reboot all the same
    with contextlib.suppress(NoReplyError, ServoRefusedError):
        link.write(servo, "torque_enable", 0)
    with contextlib.suppress(NoReplyError):  # its answer may be lost; it shows by coming back
        link.reboot(servo)
    wait_for(link, servo)
    return link.read(servo, "hardware_error_status")


def wait_for(link: ServoLink, servo: int) -> None:
    """Wait until a servo that has been restarted answers. Raises NoReplyError."""
    end_ns = link.port.now_ns() + round(BOOT_TIMEOUT * 1e9)
    while True:
        try:
            link.ping(servo)
            return
        except NoReplyError:
            if link.port.now_ns() >= end_ns:
                raise
