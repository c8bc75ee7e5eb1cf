# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Force sensors: zero without load; sign, scale and order with a known weight at every joint.

Lift the robot off everything, then pull at joint after joint, along and across, until you have
pressed "Done"; what was let go sooner is asked for again. Zeros, signs and scales are corrected,
cables at the wrong board are not.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import numpy as np

from boa_control.plant import PlantError
from boa_description.arrays import Array, Flags
from boa_description.robot import Robot
from boa_hardware.calibration.forces import Response, hung
from boa_hardware.calibration.record import CalibrationRecord
from boa_hardware.sensors.k3d40 import Calibration, nominal_calibration
from boa_hardware.sensors.tare import USUAL_LIMITS
from boa_tools.commission.bench import Bench, Motion
from boa_tools.commission.operator import Hang, Operator, Unload
from boa_tools.commission.step import Finding, Outcome, corrected, wrong

USUAL_WEIGHT, LEAST_WEIGHT = 10.0, 1.0  # N; twice the noise that a sensor at rest may have
TELLS = 0.05  # a gain that is farther from the calibration is told
IMPLAUSIBLE = 3.0  # times more or less than nominal: no sensor of its kind
STEADY = 0.3  # last share of a recording in which the weight hangs still
SWINGS = 0.15  # of the force, standard deviation; one let go in the last 3 % of that has more
LET_GO = 2.0  # times the force in the end that it was before


class Forces:
    """Calibration of every force sensor."""

    name = "forces"
    summary = "force sensors: zero without load, sign, scale and order with a known weight"

    def run(self, bench: Bench, operator: Operator, record: CalibrationRecord) -> Outcome:
        """See Step."""
        newton = _weight(operator, bench.robot.force_sensor.range)
        bench.watch(partial(operator.perform, Unload()))
        zero = _at_rest(bench.rest())
        change = np.zeros((bench.robot.joints, 2, bench.robot.joints, 2))
        for joint in range(bench.robot.joints):
            for axis in (0, 1):
                task = Hang(joint + 1, newton, across=axis == 1)
                change[joint, axis] = _pulled(bench, operator, task, zero)
        seen = hung(change, newton)
        findings = response_findings(seen)
        if not Outcome(record, findings).right:
            return Outcome(record, findings)
        forces = tuple(
            self._calibration(bench, operator, joint, zero[joint], seen.gain[joint], newton)
            for joint in range(bench.robot.joints)
        )
        findings += _gains(seen)
        return Outcome(record.model_copy(update={"forces": forces}), findings)

    def _calibration(
        self,
        bench: Bench,
        operator: Operator,
        joint: int,
        zero: Array,
        gain: Array,
        newton: float,
    ) -> Calibration:
        nominal = nominal_calibration(bench.robot.force_sensor.range)
        per_bridge = nominal.matrix[0][0]
        name = bench.robot.joint_names[joint]
        x, y = (per_bridge / gain).tolist()
        return nominal.model_copy(
            update={
                "serial": operator.answer(f"serial of the force sensor of {name}", f"of-{name}"),
                "date": datetime.now(tz=UTC).date(),
                "certificate": f"in situ, {newton:g} N along and across",
                "matrix": ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, per_bridge)),
                "offset": (*(zero / per_bridge).tolist(), 0.0),
            }
        )


def _weight(operator: Operator, most: float) -> float:
    """The weight or pull that there is, N; asked for again where it is none of at most `most`."""
    question = "the weight or pull, N"
    while True:
        answer = operator.answer(question, f"{USUAL_WEIGHT:g}")
        with contextlib.suppress(ValueError):
            if LEAST_WEIGHT <= (newton := float(answer)) <= most:
                return newton
        question = (
            f"'{answer}' is no weight; write newtons, {LEAST_WEIGHT:g} to {most:g}, with a point"
        )


def _at_rest(rest: Motion) -> Array:
    """Mean of the nominal forces, (n_joints, 2). Raises PlantError where something moves, or does
    not tell.
    """
    silent: Flags = np.any(np.isnan(rest.force).all(axis=0), axis=1)
    if silent.any():
        raise PlantError(
            f"force sensor of joint {int(silent.argmax()) + 1}: no reading; check its board and "
            "cable, and run the step again"
        )
    spread = np.nanstd(rest.force, axis=0).max(axis=1)
    if spread.max() > USUAL_LIMITS.noise:
        raise PlantError(
            f"force sensor of joint {int(spread.argmax()) + 1} is not still: standard deviation "
            f"{spread.max():.2f} N, limit {USUAL_LIMITS.noise} N; stop all motion and run the step "
            "again"
        )
    return np.asarray(np.nanmean(rest.force, axis=0))


def _pulled(bench: Bench, operator: Operator, task: Hang, zero: Array) -> Array:
    """Mean change of the nominal forces, (n_joints, 2), by a known one. Asked for again where it
    was let go too soon, or swings. Raises PlantError where it always does.
    """
    for again in (False, True, True):
        pulled = bench.watch(partial(operator.perform, replace(task, again=again))).force - zero
        last = pulled[-max(1, int(STEADY * len(pulled))) :]
        mean, most = np.nanmean(last, axis=0), np.nanmax(np.abs(pulled))
        let_go = most > max(task.newton / IMPLAUSIBLE, LET_GO * np.abs(mean).max())
        if not let_go and np.nanstd(last, axis=0).max() <= SWINGS * task.newton:
            return np.asarray(mean)
    raise PlantError(
        f"the force at joint {task.joint} was never steady; keep {task.newton:g} N until you have "
        "said so, and run the step again"
    )


def response_findings(seen: Response) -> list[Finding]:
    """Sensors that answer for another joint, do not answer, or are no K3D40."""
    findings = []
    for joint, (sensor, responds) in enumerate(zip(seen.sensor, seen.responds, strict=True)):
        name = f"joint {joint + 1}"
        if not responds:
            findings.append(wrong(name, "no force sensor answers", "check cable and bridge"))
        elif sensor != joint:
            findings.append(
                wrong(
                    name,
                    f"its force sensor is read as that of joint {sensor + 1}",
                    "exchange the sensors' cables at the boards",
                )
            )
        elif _outside(seen.gain[joint]):
            findings.append(
                wrong(
                    name,
                    f"its force sensor shows {seen.gain[joint][0]:+.2f} (x) and "
                    f"{seen.gain[joint][1]:+.2f} (y) of the known force",
                    "check its leads, and spine.force (gain, excitation)",
                )
            )
    return findings


def _outside(gain: Array) -> bool:
    """A gain that no sensor of its kind has; NaN is none."""
    size = np.abs(gain)
    return bool(((size < 1 / IMPLAUSIBLE) | (size > IMPLAUSIBLE)).any())


def _gains(seen: Response) -> list[Finding]:
    return [
        corrected(
            f"joint {joint}",
            f"its force sensor shows {x:+.2f} (x) and {y:+.2f} (y) of the known force",
        )
        for joint, (x, y) in enumerate(seen.gain, start=1)
        if max(abs(x - 1), abs(y - 1)) > TELLS
    ]


def gains_of(record: CalibrationRecord, robot: Robot) -> Array:
    """What the sensors show of a force by their nominal calibration, (n_joints, 2); 1 before they
    are calibrated.
    """
    nominal = nominal_calibration(robot.force_sensor.range).matrix[0][0]
    if not record.forces:
        return np.ones((robot.joints, 2))
    return np.array(
        [[nominal / one.matrix[axis][axis] for axis in (0, 1)] for one in record.forces]
    )
