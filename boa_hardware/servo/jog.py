# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Turn one joint a little with a given current, and brake it to a stop within a given travel.

Neither inertia nor friction of the joint is known. But braking with the current that has
accelerated the joint is at least as strong as the acceleration was: friction was against it then
and helps now. So a joint that brakes at half the travel stops within the whole, unless something
else drives it. It brakes a little sooner, since the register's last step of speed is not seen.
"""

import math
from dataclasses import dataclass

import numpy as np

from boa_control.plant import PlantError
from boa_description.errors import BoaError
from boa_hardware.servo.bringup import energised
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.servo.pace import Ticker
from boa_hardware.servo.registers import POSITION, VELOCITY

PERIOD = 0.005  # s
# ticks from a sample to the effect of what is decided on it: its own, and one that is late
DELAY = 2
REACTION = DELAY + 1  # ticks from the moment to brake to braking: until the next sample as well
BRAKE_AT = 0.45  # share of the travel; a tenth of it is left for what cannot be measured
AT_REST = 0.5 * VELOCITY  # rad/s; the register then reads 0
VISIBLE = 5 * POSITION  # rad of travel from which an acceleration can be estimated
# s that braking may take longer than the drive; what turns after that is driven by something else
LONGEST_BRAKING = 1.0


@dataclass(frozen=True, slots=True)
class JogPlan:
    """How to move.

    Attributes:
        current: A; its sign is the direction.
        seconds: for so long at most.
        travel: rad from the start within which the joint is to stop.
    """

    current: float
    seconds: float = 0.5
    travel: float = 0.3

    def check(self, limit: float) -> None:
        """Raise BoaError unless every value can be carried out as it is; `limit`, A, of the bus."""
        if not math.isfinite(self.current) or self.current == 0:
            raise BoaError(f"--current {self.current}: write amperes other than 0")
        if abs(self.current) > limit:
            raise BoaError(
                f"--current {self.current:g} A is above the limit of {limit:g} A (current_limit of "
                "--settings); lower it"
            )
        for name, value in (("seconds", self.seconds), ("travel", self.travel)):
            if not (math.isfinite(value) and value > 0):
                raise BoaError(f"--{name} {value:g}: write a number above zero")


@dataclass(frozen=True, slots=True)
class Jogged:
    """Result: samples at the start and at the end, and the largest way from the start, rad."""

    start: ServoCycle
    end: ServoCycle
    travel: float


class Brake:
    """Decides in each tick between driving and braking. Pure but for what it has seen.

    Attributes:
        over: the joint stands still after the drive, or does not come to rest.
    """

    def __init__(self, plan: JogPlan) -> None:
        self._plan = plan
        self._acceleration = 0.0  # the largest so far, rad/s2
        self._braking_from: float | None = None  # s
        self._still = 0  # ticks
        self._strength = 1.0  # of the brake
        self._side = 1.0
        self.over = False

    def update(self, time: float, travelled: float, speed: float) -> float:
        """The next goal current, A.

        Args:
            time: since the start, s.
            travelled: rad from the start, positive in the direction of the current.
            speed: rad/s, likewise.
        """
        plan = self._plan
        if travelled > VISIBLE and speed > AT_REST:
            # from rest at constant acceleration: v2 = 2 a x
            self._acceleration = max(self._acceleration, speed**2 / (2 * travelled))
        ahead = travelled + speed * REACTION * PERIOD
        if self._braking_from is None and (time >= plan.seconds or ahead >= BRAKE_AT * plan.travel):
            self._braking_from = time
        if self._braking_from is None:
            return plan.current
        self._still = self._still + 1 if abs(speed) <= AT_REST else 0
        self.over = self._still > DELAY or time > 2 * self._braking_from + LONGEST_BRAKING
        if speed * self._side < 0:  # turned round: it braked more than the joint needed
            self._side, self._strength = -self._side, self._strength / 2
        # the whole current, and near the end as much as takes the speed away in DELAY ticks
        enough = self._acceleration * DELAY * PERIOD
        share = min(max(speed / enough, -1.0), 1.0) if enough else float(speed > AT_REST)
        return -plan.current * share * self._strength


def jog(bus: ServoBus, plan: JogPlan) -> Jogged:
    """Arm the bus's only servo, move it, brake, disarm.

    Raises:
        BoaError: a value of the plan cannot be carried out; nothing has moved.
        PlantError: more than one servo; the servo is lost or has a hardware error.
    """
    if len(bus.ids) != 1:
        raise PlantError(f"jog moves one servo, this bus has {len(bus.ids)}")
    plan.check(bus.settings.current_limit)
    brake, side = Brake(plan), math.copysign(1.0, plan.current)
    with energised(bus) as start:
        sample = start
        ticker, time, farthest = Ticker(PERIOD), 0.0, 0.0
        while not brake.over:
            travelled = side * float(sample.position[0] - start.position[0])
            speed = side * float(sample.velocity[0])
            farthest = max(farthest, abs(travelled))
            sample = bus.cycle(np.array([brake.update(time, travelled, speed)]))
            _require_answer(bus, sample)
            ticker.wait()
            time = (sample.stamp_ns - start.stamp_ns) * 1e-9
    end = abs(float(sample.position[0] - start.position[0]))
    return Jogged(start, sample, max(farthest, end))


def _require_answer(bus: ServoBus, sample: ServoCycle) -> None:
    if sample.misses[0] >= bus.settings.miss_limit or sample.hardware_error[0]:
        raise PlantError(f"servo {bus.ids[0]} is lost or has a hardware error; torque is off")
