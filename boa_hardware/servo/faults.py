# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults of the servo bus in words: which servo, what, and the remedy."""

from __future__ import annotations

from collections.abc import Sequence

from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.servo.protocol import ALERT, describe_error
from boa_hardware.servo.registers import describe_hardware_error
from boa_hardware.servo.settings import ServoBusSettings


def cycle_faults(
    cycle: ServoCycle, settings: ServoBusSettings, names: Sequence[str]
) -> tuple[str, ...]:
    """Reasons in this sample to stop the robot; empty when it may go on.

    A missed reply is no fault before it is the `miss_limit`-th in a row.

    Args:
        cycle: the newest sample.
        settings: of the same bus.
        names: of the joints, in order.
    """
    lost = cycle.misses >= settings.miss_limit
    if lost.all():
        ticks = f"no servo has answered for {int(cycle.misses.min())} ticks"
        if cycle.late:
            return (
                f"{ticks} in time: answers come after the deadline; set the adapter's latency "
                f"timer to 1 ms or raise reply_margin ({settings.reply_margin:g} s)",
            )
        return (f"{ticks}; check 24 V supply, adapter and cable",)
    faults = []
    for index, (servo, name) in enumerate(zip(settings.ids, names, strict=True)):
        text = _servo_fault(cycle, index, lost=bool(lost[index]))
        if text:
            faults.append(f"servo {servo} ({name}): {text}")
    if cycle.watchdog_expired:
        faults.append(
            f"the bus was silent for longer than the servo watchdog of {settings.watchdog:g} s, "
            "so the servos have stopped; reset the fault and arm again"
        )
    return tuple(faults)


def _servo_fault(cycle: ServoCycle, index: int, *, lost: bool) -> str:
    hardware, error = int(cycle.hardware_error[index]), int(cycle.error[index])
    if cycle.lost_setup[index]:
        return (
            "has restarted (brown-out?) and lost its set-up; check the supply, then reset the fault"
        )
    if hardware:
        return (
            f"hardware error: {describe_hardware_error(hardware)}; remove the cause, then "
            f"reset the fault (without the node: `boa servo reboot`)"
        )
    if error & ALERT:
        return "reports a hardware error; read it with `boa servo info`, then reset the fault"
    if lost:
        ticks = f"no reply for {int(cycle.misses[index])} ticks"
        if cycle.late:
            return (
                f"{ticks} in time: answers come after the deadline; set the adapter's latency "
                "timer to 1 ms, then reset the fault"
            )
        return f"{ticks}; check its cable and power"
    if error:
        return f"answers with {describe_error(error)}; reset the fault"
    return ""
