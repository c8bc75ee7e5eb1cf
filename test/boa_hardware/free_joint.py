# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A single joint that needs no simulator, and a line of servos with such joints."""

from __future__ import annotations

import math
from dataclasses import dataclass

from boa_hardware.emulator.servo_chain import ServoChain, configured_chain
from boa_hardware.emulator.servo_physics import ServoState
from boa_hardware.servo.settings import ServoBusSettings


@dataclass(frozen=True, slots=True)
class MotorConstants:
    """XH540-V150-R as an electric motor at the output shaft; stall and no-load point at 24 V from
    the e-manual.
    """

    supply: float = 24.0  # V
    resistance: float = 10.0  # ohm: 24 V / 2.4 A
    torque_constant: float = 6.4 / 2.4  # N m/A
    speed_constant: float = 24.0 / (2 * math.pi)  # V s/rad: 60 rev/min at 24 V
    ambient: float = 25.0  # degC
    thermal_resistance: float = 5.0  # K/W
    thermal_time_constant: float = 600.0  # s

    def current(self, goal: float, velocity: float, voltage: float) -> float:
        """The motor current that the supply can drive against the back EMF, A."""
        back_emf = self.speed_constant * velocity
        low, high = (-voltage - back_emf) / self.resistance, (voltage - back_emf) / self.resistance
        return min(max(goal, low), high)


class FreeJoint:
    """One joint with inertia, friction and an optional load: J domega/dt = k i - friction + load.

    Integrated by semi-implicit Euler in steps of at most 1 ms.

    Args:
        position: start, rad.
        inertia: kg m2.
        coulomb, viscous: dry (N m) and viscous (N m s) friction.
    """

    STEP = 1e-3

    def __init__(
        self,
        position: float = math.pi,
        inertia: float = 0.05,
        coulomb: float = 0.1,
        viscous: float = 0.1,
    ) -> None:
        self.position = position
        self.velocity = 0.0
        self.current = 0.0
        self.load = 0.0  # external torque, N m; set by tests
        self.locked = False  # a stalled joint; set by tests
        self.motor = MotorConstants()
        self.temperature = self.motor.ambient
        self.voltage = self.motor.supply
        self._inertia = inertia
        self._coulomb = coulomb
        self._viscous = viscous
        self._goal: float | None = None
        self._time: float | None = None

    def drive(self, current: float | None, now: float) -> None:
        """See ServoPhysics."""
        self._run_to(now)
        self._goal = current

    def state(self, now: float) -> ServoState:
        """See ServoPhysics."""
        self._run_to(now)
        return ServoState(
            self.position, self.velocity, self.current, self.temperature, self.voltage
        )

    def _run_to(self, now: float) -> None:
        if self._time is None:
            self._time = now
        span = now - self._time
        if span <= 0:
            return
        self._time = now
        steps = math.ceil(span / self.STEP)
        for _ in range(steps):
            self._step(span / steps)

    def _step(self, dt: float) -> None:
        motor = self.motor
        goal = self._goal
        self.current = 0.0 if goal is None else motor.current(goal, self.velocity, self.voltage)
        heat = motor.thermal_resistance * motor.resistance * self.current**2
        self.temperature += (
            (heat - (self.temperature - motor.ambient)) * dt / motor.thermal_time_constant
        )
        if self.locked:
            self.velocity = 0.0
            return
        torque = motor.torque_constant * self.current + self.load
        free = self.velocity + torque * dt / self._inertia
        # dry friction can stop the joint, never turn it round
        grip = self._coulomb * dt / self._inertia
        stopped = max(abs(free) - grip, 0.0)
        self.velocity = math.copysign(stopped, free) / (1.0 + self._viscous * dt / self._inertia)
        self.position += self.velocity * dt


def free_chain(settings: ServoBusSettings, *, firmware: int = 46, now: float = 0.0) -> ServoChain:
    """Servos as `boa servo configure` leaves them, each on a joint of its own at angle 0."""
    joints = [FreeJoint(position=joint.zero) for joint in settings.joints]
    return configured_chain(settings, joints, firmware=firmware, now=now)
