"""A vertical wave that goes somewhere: the yaw joints bend its plane towards the goal."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.common import check_gait, seconds
from boa_control.controllers.gaits import joint_reference, ramped
from boa_control.controllers.joint_pd import pd_torque
from boa_control.controllers.space_gaits import VerticalWave
from boa_control.controllers.undulation.steering import Steering, SteeringSettings
from boa_control.estimation.place_in_space import PlaceInSpace
from boa_control.plant import SensorFrame
from boa_description.robot import Block, NewtonMetreSecond, Second


class VerticalUndulation:
    """tau = K_P (phi_ref - phi) + K_D (phi_ref' - phi') with a vertical wave of the pitch joints;
    all yaw joints follow the offset of the steering (`undulation.steering`).

    The place comes from the tracker. A body on rails of a finite width tips over in a narrow curve,
    which is what bounds the offset: cobra12 stays up at 0.2 rad and falls at 0.3 rad.
    """

    class Parameters(Block):
        """Gains, gait and steering."""

        kp: float = Field(default=12.0, ge=0, description="N m/rad")
        kd: NewtonMetreSecond = Field(default=1.5, ge=0)
        gait: VerticalWave = VerticalWave()
        ramp: Second = Field(default=1.0, ge=0, description="time in which the gait begins")
        steering: SteeringSettings = SteeringSettings(limit=0.2)

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        """Raises BoaError for a robot that does not lift its links, a gait of another robot, or a
        missing tracker.
        """
        check_gait(parameters.gait, briefing.robot, "controller vertical_undulation: gait")
        self._p = parameters
        self._pitch = briefing.robot.pitch_joints
        self._yaw = np.setdiff1d(np.arange(briefing.robot.joints), self._pitch)
        self._straight = np.zeros(briefing.robot.joints)
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
        wave = joint_reference(p.gait, time, self._straight, self._pitch)
        wave = ramped(wave, self._start_joints, time, p.ramp)
        angle, rate = wave.position.copy(), wave.velocity.copy()
        angle[self._yaw] += offset.value
        rate[self._yaw] += offset.rate
        aim = self._steering.aim
        return ControlOutput(
            pd_torque(p.kp, p.kd, angle - frame.position, rate - frame.velocity),
            events=self._steering.events,
            debug={
                "reference_rad": angle,
                "offset_rad": offset.value,
                "position_m": place.centre,
                "heading_rad": place.heading,
                "aim_m": np.full(2, np.nan) if aim is None else aim,
            },
        )
