"""A vertical wave that goes somewhere: the yaw joints bend its plane towards the goal."""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.common import check_gait, seconds
from boa_control.controllers.gaits import JointReference, joint_reference, ramped
from boa_control.controllers.joint_pd import pd_torque
from boa_control.controllers.place_in_space import PlaceInSpace
from boa_control.controllers.space_gaits import VerticalWave
from boa_control.controllers.undulation.steering import Offset, Steering, SteeringSettings
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Block, NewtonMetreSecond, Radian, Second

FLAT, LOW = 0.5, 0.75  # shares of the largest bend, see `VerticalUndulation`


class Curve(Block):
    """The wave where the body bends most."""

    amplitude: float = Field(default=0.3, ge=0, le=1, description="share of that on the straight")
    swing: float = Field(default=1.2, ge=0, description="of the yaw joints, share of their bend")
    lead: Radian = Field(default=1.08, description="of the swing before the wave")


class VerticalUndulation:
    """tau = K_P (phi_ref - phi) + K_D (phi_ref' - phi') with a vertical wave of the pitch joints.

    All yaw joints follow the offset b of the steering (`undulation.steering`). A high wave that is
    bent much tips over (cobra12, 60 mm between its rails, at 0.25 rad), so curves have three
    ranges: up to half of the largest offset the wave stays as it is; from there to three quarters
    it gets low; in the last quarter the yaw joints swing, which turns the robot nearly on the spot:

        pitch = a wave,    yaw = b (1 + c sin(2 pi f t - s phase + lead)),

    with s = 1/2, 3/2, .. for the yaw joints from the tail. The place comes from the tracker.
    """

    class Parameters(Block):
        """Gains, gait and steering."""

        kp: float = Field(default=11.6, ge=0, description="N m/rad")
        kd: NewtonMetreSecond = Field(default=1.48, ge=0)
        gait: VerticalWave = VerticalWave()
        ramp: Second = Field(default=1.0, ge=0, description="time in which the gait begins")
        steering: SteeringSettings = SteeringSettings(gain=0.5, limit=0.35, filter=0.8)
        curve: Curve = Curve()

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        """Raises BoaError for a robot that does not lift its links, a gait of another robot, or a
        missing tracker.
        """
        check_gait(parameters.gait, briefing.robot, "controller vertical_undulation: gait")
        self._p = parameters
        self._pitch = briefing.robot.pitch_joints
        self._straight = np.zeros(briefing.robot.joints)
        self._yaw = np.setdiff1d(np.arange(briefing.robot.joints), self._pitch)
        self._wave = parameters.gait.harmonic(self._straight.size, self._pitch)
        self._lag = np.interp(self._yaw, self._pitch, self._wave.lag[list(self._pitch)])
        self._place = PlaceInSpace(briefing, "vertical_undulation")
        self._steering = Steering(briefing.goal, parameters.steering, briefing.period)
        self.reset()

    def reset(self) -> None:
        """The next frame is the first of a new run."""
        self._place.reset()
        self._steering.reset()
        self._start_ns: int | None = None
        self._start_joints = self._straight

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Torques for one frame."""
        if self._start_ns is None:
            self._start_ns, self._start_joints = frame.stamp_ns, frame.position.copy()
        p, time = self._p, seconds(frame.stamp_ns, self._start_ns)
        place = self._place.update(frame)
        offset = self._steering.update(place.centre, place.heading)
        angle, rate = self._bent(joint_reference(self._wave, time, self._straight), offset, time)
        reference = ramped(
            JointReference(angle, rate, self._straight), self._start_joints, time, p.ramp
        )
        aim = self._steering.aim
        return ControlOutput(
            pd_torque(
                p.kp,
                p.kd,
                reference.position - frame.position,
                reference.velocity - frame.velocity,
            ),
            events=self._steering.events,
            debug={
                "reference_rad": reference.position,
                "offset_rad": offset.value,
                "position_m": place.centre,
                "heading_rad": place.heading,
                "aim_m": np.full(2, np.nan) if aim is None else aim,
            },
        )

    def _bent(self, wave: JointReference, offset: Offset, time: float) -> tuple[Array, Array]:
        """Joint angles and rates of the wave in a curve, each (n_joints,); that the curve changes
        slowly is left out of the rates but for the bend itself.
        """
        curve, frequency = self._p.curve, 2.0 * math.pi * self._p.gait.frequency
        share = abs(offset.value) / self._p.steering.limit
        height = 1.0 - (1.0 - curve.amplitude) * eased((share - FLAT) / (LOW - FLAT))
        swing = curve.swing * eased((share - LOW) / (1.0 - LOW))
        turn = frequency * time - self._lag + curve.lead
        angle, rate = height * wave.position, height * wave.velocity
        angle[self._yaw] = offset.value * (1.0 + swing * np.sin(turn))
        rate[self._yaw] = offset.rate * (1.0 + swing * np.sin(turn))
        rate[self._yaw] += offset.value * swing * frequency * np.cos(turn)
        return angle, rate


def eased(share: float) -> float:
    """From 0 to 1 over a share of 0 to 1, level at both ends."""
    x = min(max(share, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)
