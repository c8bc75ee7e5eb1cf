# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Set-points of a run that is steered, and the way in which the robot travels.

Backwards the tail leads: posts are met there, and everything that resists the motion has the other
sign. Both turn round when the desired speed passes zero.
"""

from __future__ import annotations

from typing import NamedTuple

from boa_control.controller import SetPoint
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.set_points import require_possible
from boa_description.errors import BoaError
from boa_description.robot import Limits


class Travel(NamedTuple):
    """How the robot travels along its path.

    Attributes:
        direction: 1: the head leads; -1: the tail.
        speed: desired at most, m/s, >= 0.
        goal: direction of the set-point; 0: it shall stand.
    """

    direction: int
    speed: float
    goal: int = 1


class Steering:
    """The set-point, and what follows it gradually.

    Attributes:
        set_point: the present one.
        force, force_floor: desired and least contact forces, N, on their way to the set-point.
        direction: 1: the head leads; -1: the tail.
        resisting: the same as a factor of what resists the motion, -1 to 1; it turns gradually.
    """

    def __init__(
        self, parameters: Parameters, limits: Limits, period: float, backwards: bool
    ) -> None:
        """`limits`: of the robot. `period`: of the control ticks, s. `backwards`: the robot may
        travel so.

        Raises:
            BoaError: the parameters' force is more than the robot may bear.
        """
        self._p = parameters
        self._fault = limits.joint_force_fault
        tuning = parameters.tuning.steering
        self._force_step = tuning.force_rate * period
        self._turning_step = 2 * period / tuning.turning_time
        self._backwards = backwards
        self._require_bearable(parameters.force)
        self.reset()

    def reset(self) -> None:
        """Back to the parameters, the head leading."""
        p = self._p
        self.set_point = SetPoint(p.speed, p.force, p.force_floor)
        self.force, self.force_floor = p.force, p.force_floor
        self.direction, self.resisting = 1, 1.0
        self._retreat = 1

    def go_on_from(self, before: Steering) -> None:
        """Go on as along the path before.

        Raises:
            BoaError: the set-point leads back, and there is no speed profile for that.
        """
        self.accept(before.set_point)
        self.force, self.force_floor = before.force, before.force_floor
        self.direction, self.resisting = before.direction, before.resisting

    def accept(self, set_point: SetPoint) -> None:
        """Take a new set-point.

        Raises:
            BoaError: a value that cannot be followed; the old one stays.
        """
        require_possible(set_point)
        self._require_bearable(set_point.force)
        p = self._p
        if p.profile == 0.0 and abs(set_point.speed) > p.speed:
            raise BoaError(
                f"controller hoal: set-point speed {set_point.speed:g} m/s is above the parameter "
                f"speed, {p.speed:g} m/s, and without a profile nothing tells which speeds the "
                f"torques allow; set the parameter profile, or a higher speed"
            )
        if set_point.speed < 0 and not self._backwards:
            raise BoaError(
                f"controller hoal: set-point speed {set_point.speed:g} m/s, but there is no speed "
                f"profile for the way back; set profile: 0, or lower force_floor"
            )
        self.set_point = set_point

    def _require_bearable(self, force: float) -> None:
        if force > self._fault:
            raise BoaError(
                f"controller hoal: force {force:g} N on every contact is above the joint force "
                f"that ends a run, {self._fault:g} N (limits.joint_force_fault); set a lower force"
            )

    def retreat(self) -> None:
        """Turn round: from now on the way back is the other one."""
        self._retreat = -self.direction

    def speed(self, turned: bool) -> float:
        """The speed along the path for the set-point, m/s: a robot that has `turned` back to where
        posts hold it goes no other way.
        """
        desired = self.set_point.speed
        return self._retreat * abs(desired) if turned else desired

    def travel(self, speed: float) -> Travel:
        """How the robot travels at the desired `speed`, m/s. It slows down by itself to a lower
        set-point; other limits count from the higher of both.
        """
        goal = self.set_point.speed
        return Travel(self.direction, max(abs(goal), abs(speed)), (goal > 0.0) - (goal < 0.0))

    def update(self, speed: float) -> None:
        """Advance by one tick with the desired `speed`, m/s."""
        goal = self.set_point
        if self.force != goal.force:
            self.force = _approach(self.force, goal.force, self._force_step)
        if self.force_floor != goal.force_floor:
            self.force_floor = _approach(self.force_floor, goal.force_floor, self._force_step)
        if speed * self.direction < 0.0:
            self.direction = -self.direction
        if self.resisting != self.direction:
            self.resisting = _approach(self.resisting, self.direction, self._turning_step)


def _approach(value: float, goal: float, step: float) -> float:
    return min(value + step, goal) if value < goal else max(value - step, goal)
