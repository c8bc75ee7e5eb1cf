# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Questions to a robot: do all servos and sensors answer, and are they set up.

Reads only; nothing moves.
"""

from collections.abc import Generator, Iterator

import numpy as np

from boa_control.plant import PlantError
from boa_description.robot import Robot
from boa_hardware.servo.handshake import handshake
from boa_hardware.servo.link import Identity, ServoLink
from boa_hardware.servo.registers import VOLTAGE
from boa_hardware.servo.settings import ServoBusSettings
from boa_hardware.spine.bus import SpineBus
from boa_hardware.spine.settings import SpineSettings
from boa_tools.doctor.check import Check, no, note, yes

CYCLES = 20  # of the spine, before judging


def servos(
    port: str, settings: ServoBusSettings
) -> Generator[Check, None, dict[int, tuple[Identity, int]]]:
    """Every servo is there, of the right kind, and its EEPROM is as the settings want it.

    Nothing is written, so a servo under torque keeps it; that is told.

    Returns:
        Identity and position, a raw count, of those of which that is true, by ID.
    """
    try:
        with ServoLink(port, settings.baud) as link:
            report = handshake(link, settings)
            found = {
                servo: (identity, link.read(servo, "present_position"))
                for servo, identity in report.answered.items()
                if servo not in report.wrong
            }
            under_torque = [servo for servo in found if link.read(servo, "torque_enable")]
            volts = {servo: VOLTAGE * link.read(servo, "present_input_voltage") for servo in found}
    except PlantError as error:
        yield no("servo bus", str(error), "")
        return {}
    for servo in report.expected:
        what = f"servo {servo}"
        if servo in report.missing:
            yield no(
                what,
                f"no reply at {report.baud} bit/s",
                "check 24 V, cable, ID and baud rate: boa servo scan --all",
            )
        elif servo in report.wrong:
            yield from (no(what, text, "") for text in report.wrong[servo])
        else:
            identity = report.answered[servo]
            yield yes(
                what,
                f"model {identity.model}, firmware {identity.firmware}, EEPROM as it should be",
            )
    if volts:
        yield _supply(volts, settings)
    if under_torque:
        yield note(
            "torque",
            f"on in servo {', '.join(map(str, under_torque))}",
            "the joints hold or move; `boa servo reboot` ends it",
        )
    yield from (no("servo bus", text, "") for text in report.notes)
    return found


def _supply(volts: dict[int, float], settings: ServoBusSettings) -> Check:
    """Whether the servos, by ID, have as many volts as they need."""
    lowest = min(volts, key=lambda servo: volts[servo])
    if volts[lowest] < settings.warn_voltage:
        return no(
            "supply",
            f"{volts[lowest]:.1f} V at servo {lowest}, {settings.warn_voltage:g} V are needed; "
            f"off below {settings.lowest_voltage:g} V",
            "charge or check the supply and its cable",
        )
    return yes("supply", f"{volts[lowest]:.1f} to {max(volts.values()):.1f} V at the servos")


def sensors(settings: SpineSettings, robot: Robot) -> Iterator[Check]:
    """Every link board answers with sensible values."""
    spine = SpineBus(settings, robot)
    try:
        spine.open()
        spine.require_alone()  # a SYNC of ours would stop a robot that runs
        for _ in range(CYCLES):
            reading = spine.cycle()
    except PlantError as error:
        yield no("spine", str(error), "")
        return
    finally:
        spine.close()
    for text in (*reading.status.faults, *reading.status.warnings):
        problem, _, remedy = text.partition("; ")
        yield no("spine", problem, remedy)
    for link, age in enumerate(reading.status.age, start=1):
        if np.isfinite(age) and age <= settings.sensor_age:
            yield yes(f"link {link}", f"answers; last complete answer {1e3 * age:.0f} ms ago")
