# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the IMUs are mounted: the whole robot is turned, and shoved along and across.

Turn it counter-clockwise by some 45 degrees without bending it, then shove it. An IMU that is
upside down turns the other way, a twisted one feels the shove from elsewhere. No record corrects
that: mount it anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_hardware.calibration.imus import mounting_angles, rate_shares, turned_shares
from boa_hardware.calibration.record import CalibrationRecord
from boa_tools.commission.bench import Bench
from boa_tools.commission.operator import Operator, Shove, Turn
from boa_tools.commission.step import Finding, Outcome, wrong

LEAST_TURN = math.radians(20)
AGREES = 0.25  # share by which a heading may turn more or less than the others
TILT = math.radians(15)  # of a mounting; a hand does not shove straighter
LEAST_SHOVE = 0.3  # m/s2


class Imus:
    """Signs of headings and rates, direction of the accelerometers."""

    name = "imus"
    summary = "the whole robot turned and shoved by hand: how the IMUs sit in their links"

    def run(self, bench: Bench, operator: Operator, record: CalibrationRecord) -> Outcome:
        """See Step."""
        turn = bench.watch(partial(operator.perform, Turn())).complete
        change = np.abs(turn.yaw[-1] - turn.yaw[0])
        if np.median(change) < LEAST_TURN:
            raise PlantError(
                f"the robot was turned by {math.degrees(np.median(change)):.0f} deg, at least "
                f"{math.degrees(LEAST_TURN):.0f} are needed; run the step again"
            )
        shares = turned_shares(turn.yaw)
        findings = [*_headings(shares), *_rates(rate_shares(turn.time, turn.yaw, turn.rate))]
        if not findings:  # accelerometers of an IMU that is upside down are wrong as well
            for across in (False, True):
                findings += self._shoved(bench, operator, across)
        return Outcome(record, findings)

    def _shoved(self, bench: Bench, operator: Operator, across: bool) -> list[Finding]:
        shove = bench.watch(partial(operator.perform, Shove(across)))
        acceleration = shove.acceleration[np.isfinite(shove.acceleration).all(axis=(1, 2))]
        strength = np.linalg.norm(acceleration, axis=-1).max()
        if strength < LEAST_SHOVE:
            raise PlantError(
                f"the shove gave {strength:.2f} m/s2, at least {LEAST_SHOVE} are needed; run the "
                "step again"
            )
        angles = mounting_angles(acceleration, math.pi / 2 if across else 0.0)
        return [
            wrong(
                f"link {link}",
                f"its accelerometer is turned by {math.degrees(angle):.0f} deg about the vertical",
                "mount the IMU with x towards the head, or correct spine.imu.acceleration_signs",
            )
            for link, angle in enumerate(angles, start=1)
            if abs(angle) > TILT
        ]


def _headings(shares: Array) -> Iterator[Finding]:
    if (shares < 0).all():
        yield wrong(
            "all IMUs",
            "count their heading clockwise",
            "set spine.imu.angle_sign (and rate_sign) to -1 in the wiring, as for raw BNO055",
        )
        return
    for link, share in enumerate(shares, start=1):
        if abs(share + 1) < AGREES:
            yield wrong(f"link {link}", "its IMU is upside down", "turn it over")
        elif abs(share - 1) > AGREES:
            yield wrong(
                f"link {link}",
                f"its IMU has turned by {share:.2f} of what the others have",
                "check the IMU and its board",
            )


def _rates(shares: Array) -> Iterator[Finding]:
    for link, share in enumerate(shares, start=1):
        if abs(share - 1) > AGREES:
            yield wrong(
                f"link {link}",
                f"its turn rate is {share:.2f} times the slope of its heading",
                "check spine.imu: rate_sign, rate_unit, angle_unit",
            )
