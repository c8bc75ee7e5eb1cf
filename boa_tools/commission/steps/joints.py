# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every joint bent by hand: which servo moves it, which way it counts, how far it goes, and which
IMU sits on which side.

Bend joint after joint to both its ends, from the tail. The record has reversed servos and exchanged
IDs right from then on, exchanged boards it has not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from boa_control.plant import PlantError
from boa_hardware.calibration.headings import MISFIT, Layout, layout
from boa_hardware.calibration.record import CalibrationRecord, SeenRange
from boa_hardware.servo.settings import ServoJoint
from boa_tools.commission.bench import Bench, Motion
from boa_tools.commission.operator import Bend, Operator
from boa_tools.commission.step import Finding, Outcome, corrected, wrong

LEAST_BEND = math.radians(20)


class Joints:
    """Index, direction and range of every joint; order of servos and IMUs."""

    name = "joints"
    summary = "every joint bent by hand: which servo, which way, how far; encoders against IMUs"

    def run(self, bench: Bench, operator: Operator, record: CalibrationRecord) -> Outcome:
        """See Step."""
        motions = [_bent(bench, operator, joint + 1) for joint in range(bench.robot.joints)]
        whole = Motion.joined(motions)
        seen = layout(whole.angle, whole.yaw)
        findings = [*imu_findings(seen), *_moved_by_hand(motions, seen)]
        findings += servo_findings(seen, record.joints)
        joints = in_place(record.joints, seen)
        angle = whole.angle[:, np.argsort(seen.joint)] * seen.direction[np.argsort(seen.joint)]
        ranges = tuple(
            SeenRange(lower=float(low), upper=float(high))
            for low, high in zip(angle.min(axis=0), angle.max(axis=0), strict=True)
        )
        return Outcome(record.model_copy(update={"joints": joints, "ranges": ranges}), findings)


def _bent(bench: Bench, operator: Operator, joint: int) -> Motion:
    """A joint bent by hand; asked for again where that was too little. Raises PlantError where it
    always is.
    """
    for again in (False, True, True):
        motion = bench.watch(partial(operator.perform, Bend(joint, again))).complete
        largest = np.ptp(motion.angle, axis=0).max()
        if largest >= LEAST_BEND:
            return motion
    raise PlantError(
        f"joint {joint} was bent by {math.degrees(largest):.0f} deg, at least "
        f"{math.degrees(LEAST_BEND):.0f} are needed; run the step again"
    )


def _moved_by_hand(motions: list[Motion], seen: Layout) -> Iterator[Finding]:
    """Joints at which another one moved than the operator was asked to bend."""
    for joint, motion in enumerate(motions):
        servo = int(np.ptp(motion.angle, axis=0).argmax())
        if seen.joint[servo] != joint:
            yield wrong(
                f"joint {joint + 1}",
                f"joint {seen.joint[servo] + 1} has moved when it was bent",
                "bend the joint that is named, counted from the tail; else the link IDs of the "
                "boards count from the head",
            )


def servo_findings(seen: Layout, joints: tuple[ServoJoint, ...]) -> list[Finding]:
    """Servos that sit at another joint or count the other way."""
    findings = []
    for servo, (joint, direction) in enumerate(zip(seen.joint, seen.direction, strict=True)):
        name = f"servo {joints[servo].id}"
        if seen.servo_misfit[servo] > MISFIT:
            findings.append(
                wrong(
                    name,
                    "no IMU turns as it says",
                    "check its direction, its horn (does it slip?) and the IMUs beside it",
                )
            )
        if joint != servo:
            findings.append(
                corrected(name, f"moves joint {joint + 1}; joint {servo + 1} was expected")
            )
        if direction < 0:
            findings.append(
                corrected(name, f"counts down when joint {joint + 1} bends to the left")
            )
    return findings


def imu_findings(seen: Layout) -> list[Finding]:
    """IMUs in other links, upside down, or that fit nowhere."""
    findings = []
    for imu, (link, sign) in enumerate(zip(seen.link, seen.sign, strict=True)):
        name = f"link {imu + 1}"
        if seen.imu_misfit[imu] > MISFIT:
            findings.append(wrong(name, "its IMU does not follow", "check the IMU and its board"))
        elif link != imu:
            findings.append(
                wrong(
                    name,
                    f"the board that answers as link {imu + 1} sits in link {link + 1}",
                    "give the boards the IDs of their links",
                )
            )
        if sign < 0:
            findings.append(wrong(name, "its IMU is upside down", "turn it over"))
    return findings


def in_place(joints: tuple[ServoJoint, ...], seen: Layout) -> tuple[ServoJoint, ...]:
    """The joints with the servos that move them, and their directions."""
    return tuple(
        joints[servo].model_copy(
            update={"direction": int(joints[servo].direction * seen.direction[servo])}
        )
        for servo in np.argsort(seen.joint)
    )
