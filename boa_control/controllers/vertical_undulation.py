# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A vertical wave that goes somewhere: the yaw joints bend its plane towards the goal."""

import math
from typing import NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.common import check_gait, seconds
from boa_control.controllers.gaits import JointReference, joint_reference, ramped
from boa_control.controllers.joint_pd import pd_torque
from boa_control.controllers.place_in_space import PlaceInSpace
from boa_control.controllers.space_gaits import VerticalWave
from boa_control.controllers.undulation.steering import Offset, Steering, SteeringSettings
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Block, NewtonMetreSecond, Radian, Second

NEARLY_LOW = 0.1  # of the wave's full height above the lowest: from there down it may bend more


class Curve(Block):
    """The wave where the body bends."""

    amplitude: float = Field(
        default=0.22, ge=0, lt=1 - NEARLY_LOW, description="of the low wave, share of that ahead"
    )
    slight: Radian = Field(default=0.08, ge=0, description="largest bend of the high wave")
    begin: Radian = Field(default=0.25, ge=0, description="bend for which the wave gets low")
    change: Second = Field(default=0.4, gt=0, description="time constant of the wave's height")
    swing: float = Field(default=1.2, ge=0, description="of the yaw joints, share of their bend")
    lead: Radian = Field(default=1.08, description="of the swing before the wave")

    @model_validator(mode="after")
    def _slight_before_large(self) -> Self:
        if self.slight > self.begin:
            raise ValueError(
                f"curve.slight {self.slight:g} rad is above curve.begin {self.begin:g} rad: the "
                "wave would be low and high at once; lower slight"
            )
        return self


class Bend(NamedTuple):
    """How high the wave is, as a share, and the bend of the yaw joints, rad, each with its rate."""

    height: float
    height_rate: float
    value: float
    rate: float


class Curving:
    """Keeps height and bend apart: the wave gets low before it bends much, and high again when the
    bend is slight.
    """

    def __init__(self, curve: Curve, limit: float, period: float) -> None:
        """`limit` is the largest bend, rad; `period` that of control, s.

        Raises:
            BoaError: bends up to the limit ask for a low wave, and none lowers it.
        """
        if curve.slight < limit <= curve.begin:
            raise BoaError(
                f"controller vertical_undulation: steering.limit {limit:g} rad is above "
                f"curve.slight {curve.slight:g} rad, but not above curve.begin {curve.begin:g} "
                "rad: the wave would stay high, and the bend slight; raise steering.limit or "
                "lower curve.begin"
            )
        self._curve = curve
        self._limit = limit
        self._period = period
        self.reset()

    def reset(self) -> None:
        """A high wave."""
        self._low = False
        self._height, self._rate = 1.0, 0.0

    def update(self, offset: Offset) -> Bend:
        """What becomes of the steering's offset in this period."""
        curve, tau = self._curve, self._curve.change
        self._low = abs(offset.value) > (curve.slight if self._low else curve.begin)
        aim = curve.amplitude if self._low else 1.0
        self._rate += self._period * ((aim - self._height) / tau**2 - 2 * self._rate / tau)
        self._height += self._period * self._rate
        above = (self._height - curve.amplitude) / NEARLY_LOW
        most = self._limit - (self._limit - curve.slight) * eased(above)
        if abs(offset.value) <= most:
            return Bend(self._height, self._rate, offset.value, offset.rate)
        return Bend(self._height, self._rate, math.copysign(most, offset.value), 0.0)


class VerticalUndulation:
    """tau = K_P (phi_ref - phi) + K_D (phi_ref' - phi') with a vertical wave of the pitch joints.

    All yaw joints follow the offset b of the steering (`undulation.steering`),

        pitch = h wave,    yaw = b (1 + c sin(2 pi f t - s phase + lead)),

    with s = 1/2, 3/2, .. for the yaw joints from the tail. A high wave stands on a narrow track:
    bent by 0.1 rad, cobra12 with 60 mm between its rails has no upright pose to rest in for parts
    of the period, and stays up only because it does not rest (docs/spatial.md). So the wave is
    high, h = 1, for slight bends only, and low for others; `Curving` leads from one to the other.
    The low wave turns the robot nearly on the spot. The place comes from the tracker.
    """

    class Parameters(Block):
        """Gains, gait and steering."""

        kp: float = Field(default=11.6, ge=0, description="N m/rad")
        kd: NewtonMetreSecond = Field(default=1.48, ge=0)
        gait: VerticalWave = VerticalWave()
        ramp: Second = Field(default=1.0, ge=0, description="time in which the gait begins")
        steering: SteeringSettings = SteeringSettings(gain=0.8, limit=0.35, filter=0.8)
        curve: Curve = Curve()

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        """Raises BoaError for a robot that does not lift its links, a gait of another robot, a
        missing tracker, or a limit of the steering at which the wave does not get low.
        """
        check_gait(parameters.gait, briefing.robot, "controller vertical_undulation: gait")
        self._p = parameters
        self._pitch = briefing.robot.pitch_joints
        self._straight = np.zeros(briefing.robot.joints)
        self._yaw = np.setdiff1d(np.arange(briefing.robot.joints), self._pitch)
        self._wave = parameters.gait.motion(self._straight.size, self._pitch)
        self._lag = np.interp(self._yaw, self._pitch, self._wave.lag[list(self._pitch)])
        self._place = PlaceInSpace(briefing, "vertical_undulation")
        self._steering = Steering(briefing.goal, parameters.steering, briefing.period)
        self._curving = Curving(parameters.curve, parameters.steering.limit, briefing.period)
        self.reset()

    def reset(self) -> None:
        """The next frame is the first of a new run."""
        self._place.reset()
        self._steering.reset()
        self._curving.reset()
        self._start_ns: int | None = None
        self._start_joints = self._straight

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Torques for one frame."""
        if self._start_ns is None:
            self._start_ns, self._start_joints = frame.stamp_ns, frame.position.copy()
        p, time = self._p, seconds(frame.stamp_ns, self._start_ns)
        place = self._place.update(frame)
        bend = self._curving.update(self._steering.update(place.centre, place.heading))
        angle, rate = self._bent(joint_reference(self._wave, time, self._straight), bend, time)
        reference = ramped(
            JointReference(angle, rate, self._straight), self._start_joints, time, p.ramp
        )
        aim = self._steering.aim
        return ControlOutput(
            pd_torque(
                p.kp, p.kd, reference.position - frame.position, reference.velocity - frame.velocity
            ),
            events=self._steering.events,
            debug={
                "reference_rad": reference.position,
                "offset_rad": bend.value,
                "height": bend.height,
                "position_m": place.centre,
                "heading_rad": place.heading,
                "aim_m": np.full(2, np.nan) if aim is None else aim,
            },
        )

    def _bent(self, wave: JointReference, bend: Bend, time: float) -> tuple[Array, Array]:
        """Joint angles and rates of the wave in a curve, each (n_joints,)."""
        curve, frequency = self._p.curve, 2.0 * math.pi * self._p.gait.frequency
        turn = frequency * time - self._lag + curve.lead
        shape = 1.0 + curve.swing * np.sin(turn)
        angle = bend.height * wave.position
        rate = bend.height * wave.velocity + bend.height_rate * wave.position
        angle[self._yaw] = bend.value * shape
        rate[self._yaw] = bend.rate * shape
        rate[self._yaw] += bend.value * curve.swing * frequency * np.cos(turn)
        return angle, rate


def eased(share: float) -> float:
    """From 0 to 1 over a share of 0 to 1, level at both ends."""
    x = min(max(share, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)
