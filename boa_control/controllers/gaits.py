# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint angle references in time, and activation profiles of the force reference (thesis sections
4.1.2 and 5.2).
"""

import math
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from boa_control.controllers.space_gaits import (
    Harmonic,
    JointMotion,
    Rolling,
    Sampled,
    SampledMotion,
    Sidewinding,
    VerticalWave,
)
from boa_description.arrays import Array
from boa_description.robot import Block, Radian, RadianPerSecond, Second


@dataclass(frozen=True, slots=True)
class JointReference:
    """Joint motion at one time: position (rad), velocity (rad/s), acceleration (rad/s2), each
    (n_joints,).
    """

    position: Array
    velocity: Array
    acceleration: Array


class Hold(Block):
    """Keep still at `target`: one angle for all joints, or one per joint; None: the angles at the
    start of the run.
    """

    kind: Literal["hold"] = "hold"
    target: Radian | tuple[Radian, ...] | None = None


class Rocking(Block):
    """Rocking, eq. 4.1: theta_i = centre + amplitude sin(frequency t + (i - 1) phase_shift).

    The thesis's frequency of "1.0 rad/s" is omega_t.
    """

    kind: Literal["rocking"] = "rocking"
    centre: Radian = -math.pi / 4
    amplitude: Radian = Field(default=math.pi / 6, ge=0)
    frequency: RadianPerSecond = Field(default=1.0, gt=0)
    phase_shift: Radian = Field(default=math.pi, description="between neighbouring joints")


class Wave(Block):
    """Serpenoid wave along the joints; the thesis's gait "propulsion".

    phi_i = offset + amplitude sin(frequency t + (i - 1) phase_shift): with a positive `phase_shift`
    it runs from head to tail, with a negative one from tail to head. Which of them drives the robot
    head first depends on what holds it:

    - A floor on which links slide along more easily than across (`anisotropic`): the positive one.
      The body goes against its wave, also between walls.
    - Walls, and a floor that is alike in all directions (`coulomb`): the negative one. Flanks at
      the crests move against the wave and rub on the walls, so the body goes with its wave.

    Runs of both are in the tests of the controller `undulation`.

    `amplitudes` and `phases`, one for each joint from the tail, take the place of `amplitude` and
    of (i - 1) phase_shift.
    """

    kind: Literal["wave"] = "wave"
    amplitude: Radian = Field(default=0.5, ge=0)
    frequency: RadianPerSecond = Field(default=1.0, gt=0)
    phase_shift: Radian = Field(default=0.7)
    offset: Radian = 0.0
    amplitudes: tuple[Radian, ...] | None = None
    phases: tuple[Radian, ...] | None = None


AnyPlanarGait = Hold | Rocking | Wave
AnyGait = AnyPlanarGait | VerticalWave | Sidewinding | Rolling | Sampled
PlanarGait = Annotated[AnyPlanarGait, Field(discriminator="kind")]
Gait = Annotated[AnyGait, Field(discriminator="kind")]


def joint_reference(gait: AnyPlanarGait | JointMotion, time: float, start: Array) -> JointReference:
    """Reference of `gait` at `time` (s) for as many joints as `start` (rad, shape (n_joints,)) has.

    Args:
        gait: in the plane, or `SpaceGait.motion` of one that leaves it.

    Raises:
        ValueError: a hold target with another number of angles (`check_gait` says so when the run
            is set up).
    """
    if isinstance(gait, Hold):
        still = np.zeros(start.size)
        target = (
            start
            if gait.target is None
            else np.broadcast_to(np.asarray(gait.target, float), start.shape)
        )
        return JointReference(target, still, still)
    if isinstance(gait, Harmonic):
        return _at(gait, time)
    if isinstance(gait, SampledMotion):
        return JointReference(gait.at(time), gait.at(time, 1), gait.at(time, 2))
    centre = gait.centre if isinstance(gait, Rocking) else gait.offset
    amplitude: float | Array = gait.amplitude
    phase = gait.phase_shift * np.arange(start.size)
    if isinstance(gait, Wave) and gait.amplitudes is not None:
        amplitude = np.array(gait.amplitudes)
    if isinstance(gait, Wave) and gait.phases is not None:
        phase = np.array(gait.phases)
    angle = gait.frequency * time + phase
    return JointReference(
        centre + amplitude * np.sin(angle),
        amplitude * gait.frequency * np.cos(angle),
        -amplitude * gait.frequency**2 * np.sin(angle),
    )


def ramped(reference: JointReference, start: Array, time: float, ramp: float) -> JointReference:
    """`reference`, approached from rest at `start` within `ramp` seconds: start + a (reference -
    start) with a = 10 u^3 - 15 u^4 + 6 u^5, u = time / ramp, whose rate and acceleration begin and
    end with zero.
    """
    if time >= ramp:
        return reference
    u = max(time, 0.0) / ramp
    a = u**3 * (10 - 15 * u + 6 * u**2)
    rate = 30 * u**2 * (1 - u) ** 2 / ramp
    bend = 60 * u * (1 - u) * (1 - 2 * u) / ramp**2
    away = reference.position - start
    return JointReference(
        start + a * away,
        a * reference.velocity + rate * away,
        a * reference.acceleration + 2 * rate * reference.velocity + bend * away,
    )


def _at(motion: Harmonic, time: float) -> JointReference:
    """A harmonic motion at one time, s."""
    angle = motion.rate * time - motion.lag
    swing = motion.amplitude * np.sin(angle)
    return JointReference(
        motion.centre + swing,
        motion.amplitude * motion.rate * np.cos(angle),
        -(motion.rate**2) * swing,
    )


class ConstantActivation(Block):
    """k = `level` throughout."""

    kind: Literal["constant"] = "constant"
    level: float = Field(default=1.0, ge=0)


class SteppedActivation(Block):
    """k takes each of `levels` for `each` seconds, then keeps the last."""

    kind: Literal["stepped"] = "stepped"
    levels: tuple[float, ...] = Field(default=(0.5, 1.0, 1.5, 2.0, 2.5), min_length=1)
    each: Second = Field(default=2.0, gt=0)

    @model_validator(mode="after")
    def _not_negative(self) -> Self:
        if min(self.levels) < 0:
            raise ValueError(f"levels must not be negative, got {min(self.levels)}")
        return self


class RisingActivation(Block):
    """k rises linearly from `start` to `end` within `over` seconds, then stays."""

    kind: Literal["rising"] = "rising"
    start: float = Field(default=0.5, ge=0)
    end: float = Field(default=100.0, ge=0)
    over: Second = Field(default=30.0, gt=0)


Activation = Annotated[
    ConstantActivation | SteppedActivation | RisingActivation, Field(discriminator="kind")
]


def activation_level(
    profile: ConstantActivation | SteppedActivation | RisingActivation, time: float
) -> float:
    """The level k at `time` (s) since the start of the profile (thesis 5.2.1 to 5.2.3)."""
    if isinstance(profile, ConstantActivation):
        return profile.level
    if isinstance(profile, SteppedActivation):
        step = int(max(time, 0.0) / profile.each)
        return profile.levels[min(step, len(profile.levels) - 1)]
    share = min(max(time / profile.over, 0.0), 1.0)
    return profile.start + share * (profile.end - profile.start)
