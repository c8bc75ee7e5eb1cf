# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Force sensors against each other, while the robot moves.

The balance of a link contains forces of contact that no sensor measures, so no single sample tells
a wrong sensor from a post. Over some seconds of motion two things hold all the same. Every sensor
shows more than its noise. And forces along the body go through a chain from joint to joint, so
those of neighbours rise and fall together: over 8 s of six runs with sensors of the data sheets
(circle, field, gearboxes, displaced posts, gaits without posts) their correlation was never below
-0.04, in the median 0.6 to 0.8. A flipped sign makes both correlations of its joint negative.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array, Flags
from boa_description.robot import Robot

WINDOW = 8.0  # s of motion that are judged together
STEP = 2.0  # s of motion from one judgement to the next
MOVING = 0.05  # rad/s, mean of all joints from which on the robot moves
NOISE = 1.5  # times its noise, below which a sensor shows nothing else
AGAINST = -0.3  # correlation with a neighbour below which a sensor shows the opposite


class Suspicion(Enum):
    """What a force sensor seems to have."""

    NOTHING_BUT_NOISE = auto()
    OPPOSITE_SIGN = auto()


class SuspectSensor(NamedTuple):
    """A force sensor that seems wrong, by the index of its joint."""

    joint: int
    suspicion: Suspicion


class ForceWatch:
    """Judges the force sensors of one robot over the last seconds of motion.

    Args:
        robot: gives their number, noise and rate.

    Attributes:
        suspects: of the last judgement; none before the first whole window.
    """

    def __init__(self, robot: Robot) -> None:
        self._noise = np.sqrt(robot.force_sensor.noise**2 + robot.force_sensor.quantum**2 / 12)
        self._window = np.zeros((round(WINDOW * robot.force_sensor.rate), robot.joints, 2))
        self._step = round(STEP * robot.force_sensor.rate)
        self._taken = 0
        self._newest_ns: int | None = None
        self.suspects: tuple[SuspectSensor, ...] = ()

    def update(self, stamp_ns: int, force: Array, velocity: Array) -> None:
        """Take the newest sample.

        Args:
            stamp_ns: of the sample; one that comes again is left out.
            force: shape (n_joints, 3), N; samples with missing values are left out.
            velocity: of the joints, shape (n_joints,), rad/s.
        """
        planar = force[:, :2]
        moving = np.abs(velocity).mean() > MOVING  # NaN: not
        if stamp_ns == self._newest_ns or not moving or not np.isfinite(planar).all():
            return
        self._newest_ns = stamp_ns
        self._window[self._taken % len(self._window)] = planar  # their order does not matter
        self._taken += 1
        if self._taken >= len(self._window) and self._taken % self._step == 0:
            self.suspects = self._judged(self._window)

    def _judged(self, force: Array) -> tuple[SuspectSensor, ...]:
        spread = force.std(axis=0).max(axis=1)
        dead = spread < NOISE * self._noise
        opposite = _opposite(force[:, :, 0]) & ~dead
        return (
            *(SuspectSensor(int(j), Suspicion.NOTHING_BUT_NOISE) for j in np.flatnonzero(dead)),
            *(SuspectSensor(int(j), Suspicion.OPPOSITE_SIGN) for j in np.flatnonzero(opposite)),
        )


def _opposite(along: Array) -> Flags:
    """Which sensors show the opposite of all their neighbours, by forces along the body (T, n). An
    end of the chain has one neighbour, and is believed where that one is wrong itself.
    """
    centred = along - along.mean(axis=0)
    scale = np.maximum(centred.std(axis=0), 1e-9)
    correlation = (centred[:, 1:] * centred[:, :-1]).mean(axis=0) / (scale[1:] * scale[:-1])
    against = correlation < AGAINST
    opposite: Flags = np.append(against, True) & np.insert(against, 0, True)
    if len(opposite) > 2:
        opposite[0] &= not opposite[1]
        opposite[-1] &= not opposite[-2]
    return opposite


_WORDS = {
    Suspicion.NOTHING_BUT_NOISE: "shows nothing but noise",
    Suspicion.OPPOSITE_SIGN: "shows the opposite of its neighbours",
}
_REMEDY = {
    Suspicion.NOTHING_BUT_NOISE: "check its bridge, cable and amplifier",
    Suspicion.OPPOSITE_SIGN: "check its sign and its mounting",
}


def suspect_texts(suspects: tuple[SuspectSensor, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """One line for each sensor that seems wrong."""
    return tuple(
        f"force sensor {names[one.joint]}: {_WORDS[one.suspicion]} over {WINDOW:g} s of motion; "
        f"{_REMEDY[one.suspicion]}"
        for one in suspects
    )
