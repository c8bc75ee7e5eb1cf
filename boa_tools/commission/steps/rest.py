# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot at rest against its record: joints within their range, zeros of the force sensors."""

import math

import numpy as np

from boa_hardware.calibration.angles import wraps
from boa_hardware.calibration.record import CalibrationRecord
from boa_hardware.sensors.k3d40 import nominal_calibration
from boa_hardware.sensors.tare import USUAL_LIMITS
from boa_tools.commission.bench import Bench
from boa_tools.commission.operator import Operator
from boa_tools.commission.step import Finding, Outcome, wrong


class Rest:
    """What shows without any motion."""

    name = "rest"
    summary = "at rest: joints within their range, zeros of the force sensors"

    def run(self, bench: Bench, operator: Operator, record: CalibrationRecord) -> Outcome:  # noqa: ARG002
        """See Step."""
        rest, limits = bench.rest(), bench.robot.joint
        findings: list[Finding] = []
        for index, (joint, angle) in enumerate(
            zip(record.joints, rest.angle.mean(axis=0), strict=True), start=1
        ):
            if not limits.lower <= angle <= limits.upper:
                findings.append(
                    wrong(
                        f"joint {index}",
                        f"is at {math.degrees(angle):.0f} deg, outside its range",
                        "its zero is wrong, or its horn has slipped: run the step straight again",
                    )
                )
            elif wraps(joint, limits):
                findings.append(
                    wrong(
                        f"joint {index}",
                        f"the count of servo {joint.id} wraps within its range",
                        "refit its horn and run the step straight again",
                    )
                )
        return Outcome(record, findings + _zeros(np.nanmean(rest.force, axis=0), bench, record))


def _zeros(force: np.ndarray, bench: Bench, record: CalibrationRecord) -> list[Finding]:
    """Zeros of the force sensors that are not those of the record."""
    per_bridge = nominal_calibration(bench.robot.force_sensor.range).matrix[0][0]
    findings = []
    for index, (seen, calibration) in enumerate(zip(force, record.forces, strict=False), start=1):
        moved = float(np.abs(seen - per_bridge * np.array(calibration.offset[:2])).max())
        if moved > USUAL_LIMITS.drift:
            findings.append(
                wrong(
                    f"joint {index}",
                    f"its force sensor has moved by {moved:.1f} N since the tare",
                    "lift the robot off everything; tare again, or look at the sensor",
                )
            )
    return findings
