# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Questions to a robot: do all servos and sensors answer, and are they set up.

Reads only; nothing moves.

Questions to a robot's calibration: would `~/arm` let torques act? They are those that arming asks.
Reads only; nothing moves.
"""

from collections.abc import Generator, Iterator, Mapping
from pathlib import Path

import numpy as np

from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_hardware.arming import ALWAYS, CALIBRATED, Present, Question
from boa_hardware.block_file import load_block
from boa_hardware.calibration.angles import joint_angle
from boa_hardware.calibration.record import CalibrationRecord, ServoIdentity
from boa_hardware.servo.handshake import handshake
from boa_hardware.servo.link import Identity, ServoLink
from boa_hardware.servo.registers import POSITION
from boa_hardware.servo.settings import ServoBusSettings, default_settings, load_settings
from boa_hardware.spine.bus import SpineBus
from boa_hardware.spine.channel import parse_channel
from boa_hardware.spine.settings import SpineSettings
from boa_tools.doctor.check import Check, no, note, yes

WHAT = "calibration"
CYCLES = 20  # of the spine, before judging


def checks(
    robot: Robot,
    record: CalibrationRecord | None,
    found: Mapping[int, tuple[Identity, int]] | None,
) -> Iterator[Check]:
    """Whether the robot may be armed with this calibration record.

    Args:
        robot: description.
        record: None: there is none.
        found: as `robot.servos` returns; None: the servos are not asked.
    """
    if record is None:
        yield no(
            WHAT,
            "no record: directions, zeros and force sensors are nominal, and ~/arm refuses",
            "boa commission, then boa doctor --calibration calibration.yaml",
        )
        return
    questions: tuple[Question, ...] = CALIBRATED
    identities: tuple[ServoIdentity, ...] = ()
    angle = np.full(robot.joints, np.nan)
    if found is not None:
        ids = [joint.id for joint in record.joints]
        if lacking := [servo for servo in ids if servo not in found]:
            yield no(WHAT, f"not judged without servo {lacking[0]}", "put that servo right first")
            return
        servos, counts = zip(*(found[servo] for servo in ids), strict=True)
        identities = tuple(map(ServoIdentity.of, servos))
        angle = joint_angle(POSITION * np.array(counts), record.joints)
        questions = (*CALIBRATED, *ALWAYS)
    present = _present(robot, record, identities, angle)
    reasons = [reason for one in questions if (reason := one.refusal(present)) is not None]
    yield from (no(WHAT, reason, "") for reason in reasons)
    if not reasons:
        last = max(done.date for done in record.steps.values())
        yield yes(WHAT, f"complete, of this robot, last step {last:%Y-%m-%d}")


def _present(
    robot: Robot, record: CalibrationRecord, servos: tuple[ServoIdentity, ...], angle: Array
) -> Present:
    """As arming would see it; boards are asked for themselves, a tare lies with the plant node."""
    return Present(
        robot=robot,
        joints=record.joints,
        record=record,
        servos=servos,
        links=record.boards,
        angle=angle,
        force_serials=tuple(sensor.serial for sensor in record.forces),
        foreign_tare="",
    )


def servo_settings(robot: Robot, file: str | None) -> ServoBusSettings:
    """Settings of the servo bus from a file, else the robot's defaults. Raises BoaError."""
    return default_settings(robot) if file is None else load_settings(Path(file), robot)


def spine_settings(channel: str, file: str | None) -> SpineSettings:
    """Settings of the spine from a file, else the defaults, on another channel. Raises BoaError."""
    parse_channel(channel)
    settings = SpineSettings() if file is None else load_block(SpineSettings, Path(file))
    return settings.model_copy(update={"channel": channel})


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
    if under_torque:
        yield note(
            "torque",
            f"on in servo {', '.join(map(str, under_torque))}",
            "the joints hold or move; `boa servo reboot` ends it",
        )
    yield from (no("servo bus", text, "") for text in report.notes)
    return found


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
