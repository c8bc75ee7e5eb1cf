# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every joint pushed both ways with a small torque, without hands: direction and constant of the
motors, and again order and signs of servos, IMUs and force sensors.

The first step in which joints move by themselves, so nothing may be in reach: each turns by at most
9 degrees and is braked; one that turns against its torque is switched off. `--check` repeats it.
"""

from __future__ import annotations

import math

import numpy as np

from boa_hardware.calibration.forces import Response, accelerated, inertial
from boa_hardware.calibration.headings import layout
from boa_hardware.calibration.record import CalibrationRecord
from boa_tools.commission.bench import Bench, Motion
from boa_tools.commission.operator import Operator, StandClear
from boa_tools.commission.step import Finding, Outcome, wrong
from boa_tools.commission.steps.forces import gains_of, response_findings
from boa_tools.commission.steps.joints import imu_findings, servo_findings

TORQUE = 0.3  # N m
TRAVEL = 0.15  # rad
MANY = 3  # force sensors that are not wrong all at once
OFF = 0.4  # of a gain from 1; forces from accelerations are no calibration
SECONDS = 1.2  # of driving, which takes 0.2 s with `g20`; a joint that is still there is stuck


class Torques:
    """Torque direction per joint; everything else that motion shows."""

    name = "torques"
    summary = "every joint pushed both ways with 0.3 N m: motors, and again servos, IMUs, forces"

    def run(self, bench: Bench, operator: Operator, record: CalibrationRecord) -> Outcome:
        """See Step."""
        clear = StandClear(f"every joint turns by up to {math.degrees(TRAVEL):.0f} deg")
        operator.perform(clear, bench.sample)
        findings: list[Finding] = []
        motions: list[Motion] = []
        faults: list[str] = []
        for joint in range(bench.robot.joints):
            for torque in (TORQUE, -TORQUE):
                pushed = bench.push(joint, torque, TRAVEL, SECONDS)
                motions.append(pushed.motion)
                faults += pushed.faults
                if not (pushed.forwards or pushed.faults):
                    findings.append(_not_forwards(joint, record, pushed.travel))
                    break
        findings += _seen(Motion.joined(motions).complete, bench, record)
        if not findings:  # what the motions show says more than what stopped them
            findings = [
                wrong("robot", *fault.partition("; ")[::2]) for fault in sorted(set(faults))
            ]
        return Outcome(record, findings)


def _not_forwards(joint: int, record: CalibrationRecord, travel: float) -> Finding:
    servo = record.joints[joint].id
    if travel < 0.01:
        return wrong(
            f"servo {servo}",
            f"joint {joint + 1} turns against a torque of {TORQUE} N m, or not at all",
            "its motor turns against its encoder or is stuck; replace the servo",
        )
    return wrong(f"servo {servo}", f"joint {joint + 1} hardly turns", "free it")


def _seen(whole: Motion, bench: Bench, record: CalibrationRecord) -> list[Finding]:
    """What the motions show of servos, IMUs and, where these are right, of force sensors."""
    seen = layout(whole.angle, whole.yaw)
    if (seen.direction < 0).all():
        remedy = "spine.imu.angle_sign and rate_sign, or run the steps imus and joints again"
        return [wrong("all IMUs", "turn against all servos", remedy)]
    findings = [*imu_findings(seen), *_uncorrected(servo_findings(seen, record.joints))]
    if findings:
        return findings
    known = np.isfinite(whole.force).all(axis=(1, 2)) & np.isfinite(whole.acceleration).all(
        axis=(1, 2)
    )
    expected = inertial(whole.angle, whole.acceleration, bench.robot.link.mass)[known]
    forces = accelerated(whole.force[known] / gains_of(record, bench.robot), expected)
    off = response_findings(forces) or _off(forces)
    accelerated_wrongly = [f"joint {joint}" for joint in range(1, len(off) + 1)]
    if len(off) >= MANY and [finding.subject for finding in off] == accelerated_wrongly:
        # the accelerations of a link count at all joints behind it
        text = "its accelerometer disagrees with the force sensors of all joints behind it"
        return [wrong(f"link {len(off) + 1}", text, "run the step imus again")]
    return off


def _off(forces: Response) -> list[Finding]:
    """Force sensors that show another force than the accelerations need."""
    return [
        wrong(
            f"joint {joint}",
            f"its force sensor shows {gain[int(np.nanargmax(np.abs(gain - 1)))]:+.2f} of the force "
            "that the links ahead need",
            "calibrate it: run the step forces again",
        )
        for joint, gain in enumerate(forces.gain, start=1)
        if (np.abs(gain - 1) > OFF).any()
    ]


def _uncorrected(findings: list[Finding]) -> list[Finding]:
    """What the step of the joints corrects is wrong here: it has been done before."""
    return [wrong(f.subject, f.text, f.remedy or "run the step joints again") for f in findings]
