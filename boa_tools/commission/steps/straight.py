# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot laid straight: zeros of the joints, and whether counts wrap within their range.

Lay it along a ruler and take your hands off. A servo whose count would wrap has to be refitted on
its horn.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from boa_control.plant import PlantError
from boa_description.angles import wrapped
from boa_description.arrays import Array
from boa_hardware.calibration.angles import TURN, rezeroed, wraps
from boa_hardware.calibration.record import CalibrationRecord, SeenRange
from boa_hardware.servo.settings import ServoJoint
from boa_tools.commission.bench import Bench
from boa_tools.commission.operator import Operator, Straighten
from boa_tools.commission.step import Finding, Outcome, corrected, wrong

MOVES = math.radians(0.3)  # standard deviation; a joint at rest shows one count, 0.09 deg
TELLS = 2.0  # deg; a zero that has moved by more is told


class Straight:
    """Zero of every joint."""

    name = "straight"
    summary = "the robot laid straight: zeros of the joints, wraps of their counts"

    def run(self, bench: Bench, operator: Operator, record: CalibrationRecord) -> Outcome:
        """See Step."""
        bench.watch(partial(operator.perform, Straighten()))
        rest = bench.rest()
        _require_rest(rest.angle)
        angle = rest.angle.mean(axis=0)
        joints = tuple(
            _first_turn(rezeroed(joint, offset))
            for joint, offset in zip(record.joints, angle, strict=True)
        )
        ranges = tuple(
            SeenRange(lower=seen.lower - offset, upper=seen.upper - offset)
            for seen, offset in zip(record.ranges, angle, strict=False)
        )
        findings = [_told(index, offset) for index, offset in enumerate(angle, start=1)]
        findings += [
            _wrapping(index, joint)
            for index, joint in enumerate(joints, start=1)
            if wraps(joint, bench.robot.joint)
        ]
        told = [finding for finding in findings if finding is not None]
        return Outcome(record.model_copy(update={"joints": joints, "ranges": ranges}), told)


def _require_rest(angle: Array) -> None:
    spread = angle.std(axis=0)
    if spread.max() > MOVES:
        raise PlantError(
            f"joint {int(spread.argmax()) + 1} moves; lay the robot straight and run the step again"
        )


def _first_turn(joint: ServoJoint) -> ServoJoint:
    """A servo that is switched on counts from within its first turn."""
    return joint.model_copy(update={"zero": joint.zero % TURN})


def _told(joint: int, offset: float) -> Finding | None:
    degrees = math.degrees(float(wrapped(np.array(offset))))
    if abs(degrees) <= TELLS:
        return None
    return corrected(f"joint {joint}", f"its zero was off by {degrees:+.1f} deg")


def _wrapping(joint: int, servo: ServoJoint) -> Finding:
    return wrong(
        f"joint {joint}",
        f"the count of servo {servo.id} wraps within the range of the joint (zero at "
        f"{math.degrees(servo.zero):.0f} deg of its turn)",
        "take the horn off and put it on so that the servo is near 180 deg when the joint is "
        "straight",
    )
