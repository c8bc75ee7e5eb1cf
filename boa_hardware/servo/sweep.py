# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Move one joint to and fro at several speeds and record it, for `boa_hardware.servo.identify`.

A sample's current is that of the tick before it, half a tick h older than the velocity's slope. On
a swing of angular frequency w that looks like more viscous friction, J w^2 h / 2: keep swings with
heavy loads slow.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from boa_control.plant import PlantError
from boa_hardware.servo.bringup import energised
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.identify import Sweep
from boa_hardware.servo.pace import Ticker

PERIOD = 0.005  # s
STIFFNESS, DAMPING = 2.0, 0.25  # A/rad, A s/rad: for 0.01 (the bare rotor) to 0.1 kg m2


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """How to move.

    Attributes:
        amplitude: rad to each side of where the joint is.
        speeds: peak speeds, rad/s, one swing to each side for each.
        max_current: A; the sweep gives up when it would need more.
    """

    amplitude: float = 0.5
    speeds: tuple[float, ...] = (0.25, 0.5, 1.0, 1.5)
    max_current: float = 0.5

    def reference(self) -> Iterator[tuple[float, float]]:
        """Angle (rad, from the start) and velocity (rad/s) every `PERIOD`: for each speed one
        smooth swing to each side and back, at rest at both ends, with `speed` as its peak. Jerky
        reversals would spoil the estimate.
        """
        for speed in self.speeds:
            steps = math.ceil(math.pi * self.amplitude / (speed * PERIOD))
            phase = 2 * np.pi * np.arange(steps) / steps
            for side in (1, -1):
                angle = side * self.amplitude / 2 * (1 - np.cos(phase))
                velocity = side * self.amplitude / 2 * np.sin(phase) * 2 * np.pi / (steps * PERIOD)
                yield from zip(angle.tolist(), velocity.tolist(), strict=True)


def run_sweep(bus: ServoBus, plan: SweepPlan) -> Sweep:
    """Arm the bus's only servo, follow the plan, disarm; the joint must be free to turn by the
    amplitude.

    Raises:
        PlantError: more than one servo, a missed reply, a hardware error, or the joint does not
            follow.
    """
    if len(bus.ids) != 1:
        raise PlantError(f"a sweep moves one servo, this bus has {len(bus.ids)}")
    rows = []
    with energised(bus) as start:
        ticker = Ticker(PERIOD)
        sample = start
        for angle, velocity in plan.reference():
            error = start.position[0] + angle - sample.position[0]
            current = STIFFNESS * error + DAMPING * (velocity - sample.velocity[0])
            if abs(error) > plan.amplitude / 2:
                raise PlantError(
                    f"servo {bus.ids[0]} does not follow (error {error:.2f} rad); free the joint"
                )
            sample = bus.cycle(np.clip([current], -plan.max_current, plan.max_current))
            if sample.misses[0] >= bus.settings.miss_limit or sample.hardware_error[0]:
                raise PlantError(
                    f"servo {bus.ids[0]} is lost or has a hardware error; sweep given up"
                )
            if sample.valid[0]:
                rows.append(
                    (sample.stamp_ns, sample.position[0], sample.velocity[0], sample.current[0])
                )
            ticker.wait()
    stamp, position, joint_velocity, current = (
        np.array(column, float) for column in zip(*rows, strict=True)
    )
    return Sweep((stamp - stamp[0]) * 1e-9, position, joint_velocity, current, np.zeros(len(stamp)))
