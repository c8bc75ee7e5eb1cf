# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torques of a recorded run in a simulated plant, in short windows.

A chain between stiff posts forgets its torques' errors slowly: replayed from the start, simulation
and robot part, and what differs later tells nothing of the plant. So every window begins with the
recorded state, and errors have the length of a window to grow.

The state is what a robot knows of itself: joint angles and rates by a parabola through the counts
of the encoders around the tick, the pose by the progress along the path, on which the measured
shape is laid.
"""

from typing import NamedTuple

import numpy as np

from boa_control.experiments.experiment import Experiment
from boa_description.angles import wrapped
from boa_description.arrays import Array, Integers
from boa_description.chain import joint_axes
from boa_description.errors import BoaError
from boa_description.placement import place_on_curve
from boa_description.robot import Robot
from boa_sim.plant import SimulatedPlant
from boa_tools.identification.record import FORCES, SETTLE
from boa_tools.runs.runlog import RunLog

AROUND = 0.05  # s to each side of a tick, over which counts of the encoders are smoothed
PROGRESS = "progress_m"


class Signal(NamedTuple):
    """What is compared: name, unit, and factor from SI to it."""

    name: str
    unit: str
    factor: float


SIGNALS = (
    Signal("joint angle", "mrad", 1e3),
    Signal("joint rate", "rad/s", 1.0),
    Signal("force along", "N", 1.0),
    Signal("force across", "N", 1.0),
)


class State(NamedTuple):
    """Pose of link 1, (3,), joint angles, (n - 1,), and the rates of both; m, rad, s."""

    base: Array
    joints: Array
    base_velocity: Array
    joint_velocity: Array


class Recorded:
    """What a run tells of the robot's state at its ticks."""

    def __init__(self, log: RunLog, experiment: Experiment) -> None:
        """Raises BoaError: a run without progress along a path."""
        if experiment.path is None or PROGRESS not in log.debug:
            raise BoaError(
                "the run tells no progress along a path, so nobody knows where the body was; "
                "compare with a run of a controller that follows a path, such as hoal"
            )
        self._log, self._robot, self._path = log, experiment.robot, experiment.path
        self._reach = max(round(AROUND / experiment.control_period), 2)
        self._weights = _parabola(self._reach) / [[1.0], [experiment.control_period]]

    def at(self, tick: int) -> State:
        """The state at a tick that has ticks around it."""
        near = slice(tick - self._reach, tick + self._reach + 1)
        joints, rates = self._weights @ self._log.position[near]
        progress, speed = self._weights @ self._log.debug[PROGRESS][near]
        base = self._base(progress, joints)
        step = AROUND / 2
        ahead = self._base(progress + step * speed, joints + step * rates)
        way = ahead - base
        way[2] = wrapped(way[2])
        return State(base, joints, way / step, rates)

    def _base(self, progress: float, joints: Array) -> Array:
        """Pose of link 1 with which the measured shape lies best on the path, (3,)."""
        robot = self._robot
        placed = place_on_curve(
            self._path.curve, robot.links, robot.link.pitch, progress, robot.links // 2
        )
        return laid_on(joint_axes(robot.link.pitch, *placed), joints, robot)


def laid_on(points: Array, joints: Array, robot: Robot) -> Array:
    """Pose of link 1, (3,), with which the joint axes lie nearest to `points`, (n + 1, 2), m.

    The plane case of Procrustes' problem (Kabsch, Acta Crystallographica A32, 1976).
    """
    own = joint_axes(robot.link.pitch, np.zeros(3), joints)
    there, here = points - points.mean(axis=0), own - own.mean(axis=0)
    crossed = (here[:, 0] * there[:, 1] - here[:, 1] * there[:, 0]).sum()
    turn = np.arctan2(crossed, (here * there).sum())
    cos, sin = np.cos(turn), np.sin(turn)
    place = points.mean(axis=0) - np.array([[cos, -sin], [sin, cos]]) @ own.mean(axis=0)
    return np.array([*place, turn])


def replay(
    log: RunLog, known: Recorded, plant: SimulatedPlant, starts: Integers, ticks: int
) -> Array:
    """Simulated less recorded signals, (windows, ticks, signals, n - 1), SI units; NaN where
    nothing was recorded.

    Args:
        starts: first ticks of the windows, (windows,). ticks: length of each.
    """
    samples = log.sensors[FORCES]
    force = np.full((log.ticks, log.joints, 2), np.nan)
    when = np.searchsorted(log.stamp_ns, samples.stamp_ns)
    force[np.minimum(when, log.ticks - 1)] = samples["force"][..., :2]
    gaps = np.empty((starts.size, ticks, len(SIGNALS), log.joints))
    for window, start in zip(gaps, starts.tolist(), strict=True):
        state = known.at(start)
        plant.replay_from(state[:2], state[2:], log.effort[start])
        for gap, tick in zip(window, range(start, start + ticks), strict=True):
            plant.write(log.applied[tick])
            world = plant.world
            gap[0] = world.joint_position - log.position[tick + 1]
            gap[1] = world.joint_velocity - log.velocity[tick + 1]
            gap[2:] = (world.joint_force[:, :2] - force[tick + 1]).T
    return gaps


def window_starts(log: RunLog, window: float, every: float, begin: float = SETTLE) -> Integers:
    """First ticks of windows of a length, one in so much time, s.

    Raises:
        BoaError: the run is shorter than that, or nobody commanded torques then.
    """
    period = float(np.median(np.diff(log.time)))
    last = log.ticks - 1 - round((window + 2 * AROUND) / period)
    answered = log.answered & np.isfinite(log.applied).all(axis=1)
    every_start = np.arange(
        round(max(begin, 2 * AROUND) / period), last, max(round(every / period), 1)
    )
    starts = every_start[answered[every_start]]
    if every_start.size and not starts.size:
        raise BoaError(
            f"no torque was commanded at any of the {every_start.size} windows from {begin:g} s "
            "on; look at the report of the run (was it armed?), or give another --start"
        )
    if not starts.size:
        raise BoaError(
            f"the run lasts {log.time[-1]:.1f} s, which has no window of {window:g} s after "
            f"{begin:g} s; compare with a longer run, or lower --window or --start"
        )
    return starts


def _parabola(reach: int) -> Array:
    """Weights of value and slope of a parabola through 2 reach + 1 values one apart, (2, ...)."""
    steps = np.arange(-reach, reach + 1)
    weights: Array = np.linalg.pinv(np.vander(steps, 3, increasing=True))[:2]
    return weights
