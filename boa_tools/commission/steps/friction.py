# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of every joint, as `boa servo identify` finds it, of all joints at once.

Off the floor or on rollers, neighbours swing against each other: the body stays where it is, and
what a joint has to accelerate is in proportion to its own acceleration, so that no load need be
known. A joint that loses more than 0.3 N m rubs. With the result, `calibration.identified.yaml`,
`hoal` begins; what gearboxes lose of a load is told by `boa identify` from the first run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_hardware.calibration.record import CalibrationRecord, JointFriction
from boa_hardware.servo.identify import Identification, Sweep, identify
from boa_hardware.servo.settings import ServoJoint
from boa_hardware.servo.sweep import PERIOD, SweepPlan
from boa_hardware.servo.torque import TorqueMap
from boa_tools.commission.bench import Bench, Followed
from boa_tools.commission.operator import Operator, StandClear
from boa_tools.commission.step import Finding, Outcome, note, wrong

PLAN = SweepPlan(amplitude=0.15, speeds=(0.15, 0.45))
LATE = 0.05  # share of ticks; currents of other times than the rates tell another friction
RUBS = 0.3  # N m of dry friction; a servo that turns by the small torque of `torques` has less


class Friction:
    """Dry and viscous friction of all joints."""

    name = "friction"
    summary = "all joints swing to and fro: what each of them loses by friction"

    def run(self, bench: Bench, operator: Operator, record: CalibrationRecord) -> Outcome:
        """See Step."""
        reference = np.array([angle for angle, _ in PLAN.reference()])
        seconds = len(reference) * PERIOD
        swing = (
            f"off the floor or on rollers, all joints swing by {math.degrees(PLAN.amplitude):.0f}"
        )
        operator.perform(StandClear(f"{swing} deg for {seconds:.0f} s"), bench.sample)
        side = (-1.0) ** np.arange(bench.robot.joints)

        def offset(time: float) -> Array:
            swung: Array = side * reference[min(round(time / PERIOD), len(reference) - 1)]
            return swung

        swung = bench.again(partial(_swung, bench, offset, seconds))
        found, findings = [], []
        for joint, sweep in enumerate(_sweeps(swung, record.joints), start=1):
            try:
                fit = identify(sweep, record.joints[joint - 1].torque.constant)
            except BoaError as error:
                findings.append(wrong(f"joint {joint}", str(error), "free it and swing again"))
            else:
                found.append(_friction(fit))
        findings += _judged(found) if not findings else []
        return Outcome(record.model_copy(update={"friction": tuple(found)}), findings)


def _swung(bench: Bench, offset: Callable[[float], Array], seconds: float) -> Followed:
    """All joints swing once. Raises PlantError, also where too many of their answers are late."""
    swung = bench.follow(offset, seconds)
    fresh = sum(not frame.joint_age.any() for frame in swung.frames)
    if (late := 1.0 - fresh * PERIOD / seconds) > LATE:
        raise PlantError(
            f"the joints answered late in {late:.0%} of the ticks, limit {LATE:.0%}; stop other "
            "programs and run the step again"
        )
    return swung


def _sweeps(swung: Followed, joints: tuple[ServoJoint, ...]) -> list[Sweep]:
    """The recordings of all joints. Effort is free of the friction that is known already, currents
    are not.
    """
    motors = TorqueMap.of([joint.torque for joint in joints])
    frames = [frame for frame in swung.frames if not frame.joint_age.any()]
    time = np.array([frame.stamp_ns for frame in frames]) * 1e-9
    position = np.array([frame.position for frame in frames])
    velocity = np.array([frame.velocity for frame in frames])
    effort = np.array([frame.effort for frame in frames])
    current = motors.current(effort + motors.friction(velocity))
    nothing = np.zeros(len(frames))
    columns = zip(position.T, velocity.T, current.T, strict=True)
    return [Sweep(time - time[0], *column, nothing) for column in columns]


def _friction(fit: Identification) -> JointFriction:
    return JointFriction(
        coulomb=fit.model.coulomb,
        viscous=fit.model.viscous,
        std=fit.standard_error["coulomb"],
    )


def _judged(found: list[JointFriction]) -> list[Finding]:
    findings = [
        wrong(
            f"joint {joint}",
            f"loses {one.coulomb:.2f} N m by dry friction, limit {RUBS} N m",
            "free it; do cables or the floor rub?",
        )
        for joint, one in enumerate(found, start=1)
        if one.coulomb > RUBS
    ]
    dry, viscous = [one.coulomb for one in found], [one.viscous for one in found]
    told = f"{min(dry):.2f} to {max(dry):.2f} N m, most at joint {int(np.argmax(dry)) + 1}"
    return [*findings, note("friction", f"{told}; {np.mean(viscous):.2f} N m s on average")]
