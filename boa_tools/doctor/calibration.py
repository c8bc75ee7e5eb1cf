# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Questions to a robot's calibration: would `~/arm` let torques act? They are those that arming
asks. Reads only; nothing moves.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_hardware.arming import ALWAYS, CALIBRATED, Present, Question
from boa_hardware.calibration.angles import joint_angle
from boa_hardware.calibration.record import CalibrationRecord, ServoIdentity
from boa_hardware.servo.link import Identity
from boa_hardware.servo.registers import POSITION
from boa_tools.doctor.check import Check, no, note, yes

WHAT = "calibration"


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


def set_in_boards() -> Check:
    """With servos behind link boards there is no record."""
    return note(
        WHAT,
        "directions and zeros are those of the link boards",
        "see docs/spine.md, Servos over the spine; arming needs allow_uncalibrated:=true",
    )


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
