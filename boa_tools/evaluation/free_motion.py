# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the centre of mass moved, for runs without a path: worked out every `EVERY` seconds."""

from dataclasses import dataclass

import numpy as np

from boa_control.events import EventKind
from boa_control.experiments.experiment import Experiment
from boa_control.paths.goals import Course, Goal, Pursuit, Targets
from boa_description.arrays import Array, Integers
from boa_description.link_frames import centre_on_floor
from boa_tools.runs.runlog import RunLog

EVERY = 0.01  # s
AVERAGE = 6.0  # s; a sideways swing with the gait is averaged over this, some periods of it
KINK_TIME = 0.05  # s within which a turn of the velocity is a kink
KINK_SPEED = 0.01  # m/s; slower motion has no direction
STEP = 0.05  # m; less is no progress


@dataclass(frozen=True, slots=True)
class FreeMotion:
    """True motion of the centre of mass.

    Attributes:
        tick: shape (K,), ticks that were looked at.
        time: shape (K,), s since the first tick.
        centre: shape (K, 2), m.
        offset: shape (K,), to the left of the guide, m; NaN without one.
        progress: at the end along the guide, m; None without one.
        reached: shape (r,), times at which targets, or the end of the guide, were truly reached, s.
        done: whether the goal was reached.
    """

    tick: Integers
    time: Array
    centre: Array
    offset: Array
    progress: float | None
    reached: Array
    done: bool

    @property
    def travelled(self) -> float:
        """Length of the way of the centre of mass, m."""
        return float(np.hypot(*np.diff(self.centre, axis=0).T).sum())

    @property
    def displacement(self) -> float:
        """From the first place to the last, m."""
        return float(np.hypot(*(self.centre[-1] - self.centre[0])))

    def kinks(self) -> Array:
        """Turns of the velocity within `KINK_TIME`, shape (k,), rad; local maxima only."""
        step = max(1, round(KINK_TIME / EVERY))
        if len(self.centre) <= 2 * step:
            return np.zeros(0)
        velocity = np.gradient(self.centre, self.time, axis=0)
        fast = np.hypot(velocity[:, 0], velocity[:, 1]) > KINK_SPEED
        before, after = velocity[:-step], velocity[step:]
        turn = np.abs(
            np.arctan2(
                before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0],
                np.sum(before * after, axis=1),
            )
        )
        turn[~(fast[:-step] & fast[step:])] = 0.0
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(turn, step), 2 * step + 1)
        highest = (turn == windows.max(axis=1)) & (turn > 0)
        # of equal neighbours the first one counts
        return turn[highest & ~np.concatenate(([False], highest[:-1]))]

    def smooth_offset(self) -> Array:
        """The offset averaged over `AVERAGE` seconds around each instant, shape (K,); NaN within
        half of that from both ends of the run.
        """
        smooth = np.full(len(self.offset), np.nan)
        count = round(AVERAGE / float(np.median(np.diff(self.time))))
        if count < 1 or count > len(self.offset):
            return smooth
        middle = np.convolve(self.offset, np.full(count, 1 / count), mode="valid")
        smooth[count // 2 : count // 2 + len(middle)] = middle
        return smooth

    def longest_standstill(self) -> float:
        """Longest time in which the centre of mass moved less than `STEP`, s."""
        longest, anchor, since = 0.0, self.centre[0], self.time[0]
        for place, time in zip(self.centre, self.time, strict=True):
            if np.hypot(*(place - anchor)) > STEP:
                anchor, since = place, time
            longest = max(longest, float(time - since))
        return longest


def free_motion(log: RunLog, experiment: Experiment) -> FreeMotion | None:
    """The motion of a run; None where the robot has a path, the truth is not
    known, or the run is shorter than two instants.
    """
    every = max(1, round(EVERY / experiment.control_period))
    tick = np.arange(0, log.ticks, every)
    if log.truth is None or experiment.path is not None or tick.size < 2:
        return None
    time = log.time[tick]
    truth = log.truth
    base = truth.base if truth.pose is None else truth.pose
    centre = centre_on_floor(experiment.robot, base[tick], truth.joint_position[tick])
    return FreeMotion(tick, time, centre, *_along(experiment.goal, time, centre))


def _along(
    goal: Goal | None, time: Array, centre: Array
) -> tuple[Array, float | None, Array, bool]:
    """Offsets from the guide, progress along it, times of targets, and whether the goal was
    reached.
    """
    offset = np.full(len(time), np.nan)
    if goal is None:
        return offset, None, np.zeros(0), False
    pursuit = Pursuit(goal)
    reached = []
    for k, place in enumerate(centre):
        if pursuit.update(place):
            reached.append(time[k])
        offset[k] = pursuit.offset
        if pursuit.done:
            break
    progress = pursuit.progress if isinstance(goal, Course) else None
    return offset, progress, np.array(reached), pursuit.done


def believed_misses(log: RunLog, goal: Goal | None, motion: FreeMotion) -> Array:
    """True distances to the targets when the controller took them for reached, shape (r,), m."""
    if not isinstance(goal, Targets):
        return np.zeros(0)
    misses = []
    for event in log.events:
        number = event.event.count
        if event.event.kind is not EventKind.TARGET_REACHED or number is None:
            continue
        at = int(np.searchsorted(log.stamp_ns[motion.tick], event.stamp_ns, side="right")) - 1
        misses.append(np.hypot(*(motion.centre[max(at, 0)] - goal.points[number - 1])))
    return np.array(misses)
