# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The hands of an operator at the emulated robot: they bend joints, turn and shove the whole robot,
and hang weights on joints.

Hands are springs and dampers between where the robot is and where they lead it, smoothly within
the time of each motion; from the first motion to `release` they hold all joints.
"""

from collections.abc import Callable, Mapping

import numpy as np

from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_sim.world import World, is_pushable

# N m/rad, N m s/rad; soft enough for the lightest joint (0.02 kg m2) at steps of 1 ms
JOINT_SPRING, JOINT_DAMPER = 60.0, 12.0
LINK_SPRING, LINK_DAMPER = 25.0, 5.0


Course = Callable[[float], float]
"""Share of a motion that is done at a time, s: 0 before, 1 after."""


class Hands:
    """Both hands, away from the robot at first. Not thread-safe.

    Each motion begins where the robot is in the next step of its body.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._pulls: dict[int, tuple[float, float]] = {}
        self._holding = False
        self._asked: Callable[[float, World], None] | None = None
        self._done: Course = lambda _: 1.0
        self._bent_from = self._bent_to = np.zeros(robot.joints)
        self._turn: tuple[Array, float] | None = None
        self._shove: tuple[Array, float, float] | None = None

    def bend(self, joints: Mapping[int, float], seconds: float) -> None:
        """Bring joints, counted from 0, to angles, rad; the others are held as they are."""

        def begin(time: float, world: World) -> None:
            self._hold(world, _smooth(time, seconds))
            for joint, angle in joints.items():
                self._bent_to[joint] = angle

        self._asked = begin

    def turn(self, angle: float, seconds: float) -> None:
        """Turn the whole robot, rad, counter-clockwise seen from above."""

        def begin(time: float, world: World) -> None:
            self._hold(world, _smooth(time, seconds))
            self._turn = world.heading.copy(), angle

        self._asked = begin

    def shove(self, along: float, across: float, seconds: float) -> None:
        """Accelerate a straight robot by `along` (to the head) and `across` (left), m/s2, for half
        the time, and stop it in the other half.
        """

        def begin(time: float, world: World) -> None:
            self._hold(world, lambda _: 1.0)
            self._shove = np.array([along, across]), time, seconds

        self._asked = begin

    def hang(self, joint: int, along: float, across: float) -> None:
        """Pull at the link ahead of a joint, counted from 0, N; 0, 0 ends it. What the robot does
        not show in its motion: only the sensor of this joint is loaded.
        """
        self._pulls[joint] = (along, across)

    def release(self) -> None:
        """Let go of the robot."""

        def end(time: float, world: World) -> None:
            self._hold(world, lambda _: 1.0)
            self._push(time, world)
            self._holding = False

        self._asked = end
        self._pulls.clear()

    def pull(self, joint: int) -> tuple[float, float]:
        """Force on the sensor of a joint, counted from 0, in the axes of the link, N."""
        return self._pulls.get(joint, (0.0, 0.0))

    def act(self, time: float, world: World) -> Array | float:
        """Push the links of `world` in the step at `time`, s; the torques on its joints, N m."""
        if self._asked is not None:
            begin, self._asked = self._asked, None
            begin(time, world)
        if not self._holding:
            return 0.0
        self._push(time, world)
        goal = self._bent_from + self._done(time) * (self._bent_to - self._bent_from)
        return JOINT_SPRING * (goal - world.joint_position) - JOINT_DAMPER * world.joint_velocity

    def _hold(self, world: World, done: Course) -> None:
        self._holding, self._done = True, done
        self._bent_from = world.joint_position.copy()
        self._bent_to = self._bent_from.copy()
        self._turn = self._shove = None

    def _push(self, time: float, world: World) -> None:
        """Turn or shove the links, in a world that can be pushed."""
        if not is_pushable(world):
            return
        wrenches = np.zeros((self._robot.links, 3))
        if self._turn is not None:
            start, angle = self._turn
            goal = start + self._done(time) * angle
            wrenches[:, 2] = LINK_SPRING * (goal - world.heading)
            wrenches[:, 2] -= LINK_DAMPER * world.angular_velocity[:, 2]
        if self._shove is not None:
            acceleration, begin, seconds = self._shove
            if time - begin < seconds:
                side = 1.0 if time - begin < seconds / 2 else -1.0
                wrenches[:, :2] = side * self._robot.link.mass * acceleration
        world.push(dict(enumerate(wrenches)))


def _smooth(begin: float, seconds: float) -> Course:
    """At rest at both ends: 3 x2 - 2 x3."""

    def done(time: float) -> float:
        share = min(max((time - begin) / seconds, 0.0), 1.0)
        return share * share * (3.0 - 2.0 * share)

    return done
