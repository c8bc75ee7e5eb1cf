# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Questions that a robot is asked before torques may act. Each is an object that answers why not,
with the remedy.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol

import numpy as np

from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_hardware.calibration.angles import NEAR_WRAP, TURN, servo_angle
from boa_hardware.calibration.record import REQUIRED_STEPS, CalibrationRecord, ServoIdentity
from boa_hardware.sensors.k3d40 import NOMINAL_SERIAL
from boa_hardware.servo.settings import ServoJoint

COMMISSION = "run `boa commission`, or give allow_uncalibrated:=true"


@dataclass(frozen=True, slots=True)
class Present:
    """The robot as it is when it is to be armed.

    Attributes:
        robot: description.
        joints: servos as they are used.
        record: its calibration record; None: there is none.
        servos: that answered; empty where they tell nothing of themselves.
        links: whose boards answered, from 1.
        angle: shape (n_joints,), rad.
        force_serials: of the force sensors' calibrations.
        foreign_tare: why the zero in use is of other sensors; empty where it is theirs.
    """

    robot: Robot
    joints: tuple[ServoJoint, ...]
    record: CalibrationRecord | None
    servos: tuple[ServoIdentity, ...]
    links: tuple[int, ...]
    angle: Array
    force_serials: tuple[str, ...]
    foreign_tare: str


class Question(Protocol):
    """One reason not to arm."""

    def refusal(self, present: Present) -> str | None:
        """Why not, with the remedy; None where nothing is against it."""


class RecordQuestion:
    """Is there a complete calibration record, and is it of this hardware?"""

    def refusal(self, present: Present) -> str | None:
        """See Question."""
        record = present.record
        if record is None:
            return f"no calibration record; {COMMISSION}"
        if missing := record.missing(REQUIRED_STEPS):
            return f"the calibration record lacks {', '.join(missing)}; {COMMISSION}"
        answered = sorted(present.servos, key=attrgetter("id"))
        for then, now in zip(record.servos, answered, strict=False):
            if then != now:
                return f"the calibration record is of {then}, the robot has {now}; {COMMISSION}"
        if silent := sorted(set(record.boards) - set(present.links)):
            return f"the board of link {silent[0]} does not answer; check its supply and cable"
        return None


class RangeQuestion:
    """Is every joint within its range?"""

    def refusal(self, present: Present) -> str | None:
        """See Question."""
        limits = present.robot.joint
        outside = (present.angle < limits.lower) | (present.angle > limits.upper)
        if not outside.any():
            return None
        joint = int(outside.argmax())
        return (
            f"{present.robot.joint_names[joint]} is at {math.degrees(present.angle[joint]):.0f} "
            f"deg, range {math.degrees(limits.lower):.0f} to {math.degrees(limits.upper):.0f} deg; "
            "bend it back, or measure its zero (boa commission)"
        )


class WrapQuestion:
    """Is every servo far from where its count wraps when it is switched on?"""

    def refusal(self, present: Present) -> str | None:
        """See Question."""
        angle = servo_angle(present.angle, present.joints)
        near = (angle < NEAR_WRAP) | (angle > TURN - NEAR_WRAP)
        if not near.any():
            return None
        joint = int(near.argmax())
        return (
            f"{present.robot.joint_names[joint]}: servo {present.joints[joint].id} is at "
            f"{math.degrees(angle[joint]):.0f} deg, where its count wraps; refit its horn near "
            "180 deg, then `boa commission`"
        )


class ForceQuestion:
    """Are the force sensors calibrated, and is the zero in use theirs?"""

    def refusal(self, present: Present) -> str | None:
        """See Question."""
        if present.record is None:  # another question's
            return None
        if present.foreign_tare:
            return f"{present.foreign_tare}; tare again"
        for name, serial in zip(present.robot.joint_names, present.force_serials, strict=True):
            if serial == NOMINAL_SERIAL:
                return f"the force sensor of {name} has the nominal calibration; {COMMISSION}"
        return None


CALIBRATED: tuple[Question, ...] = (RecordQuestion(), ForceQuestion())
ALWAYS: tuple[Question, ...] = (RangeQuestion(), WrapQuestion())


def require(questions: Sequence[Question], present: Present) -> None:
    """Raise PlantError with every reason not to arm."""
    known = np.isfinite(present.angle)
    if questions and not known.all():
        name = present.robot.joint_names[int(known.argmin())]
        raise PlantError(f"cannot arm, {name} has no valid reading; check its cable and power")
    reasons = [reason for one in questions if (reason := one.refusal(present)) is not None]
    if reasons:
        raise PlantError(f"cannot arm, {'; and '.join(reasons)}")
