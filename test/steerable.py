# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A steerable controller for tests; scenarios name it as `<this file>:Cruise`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boa_control.controller import Briefing, ControlOutput, SetPoint
from boa_control.plant import SensorFrame
from boa_description.errors import BoaError
from boa_description.robot import Block

FASTEST = 0.3  # m/s


@dataclass
class Cruise:
    """The torque is the way so far, at the speed of the set-point, times its force."""

    class Parameters(Block):
        """Of the first set-point."""

        speed: float = 0.1

    def __init__(self, briefing: Briefing | None = None, parameters: Parameters | None = None):
        self.joints = 3 if briefing is None else briefing.robot.joints
        speed = 0.1 if parameters is None else parameters.speed
        self._set_point = SetPoint(speed=speed, force=5.0, force_floor=1.0)
        self.reset()

    @property
    def set_point(self) -> SetPoint:
        return self._set_point

    def steer(self, set_point: SetPoint) -> None:
        if abs(set_point.speed) > FASTEST:
            raise BoaError(f"cruise: speed {set_point.speed:g} m/s; at most {FASTEST:g} m/s")
        self._set_point = set_point

    def reset(self) -> None:
        self.way = 0.0

    def step(self, frame: SensorFrame) -> ControlOutput:
        self.way += self._set_point.speed * 0.002
        return ControlOutput(
            np.full(self.joints, self.way * self._set_point.force), events=(), debug={}
        )
