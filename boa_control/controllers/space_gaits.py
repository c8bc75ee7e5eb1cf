# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaits of robots that leave the plane: a wave of the pitch joints and a wave of the yaw joints of
one frequency. Amplitudes, phases along the body and the phase between the two waves make the gait.
Periodic joint motion through given angles.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field
from scipy.interpolate import CubicSpline

from boa_description.arrays import Array, Indices
from boa_description.robot import Block, Hertz, Radian

QUARTER = 0.5 * math.pi


class SampledMotion:
    """A periodic cubic spline through joint angles at equal intervals of time."""

    def __init__(self, angles: Array, period: float) -> None:
        """`angles`, rad, has one row for each of the instants of a `period`, s, (N, n_joints);
        the first is at time 0, and again at the end of the period.
        """
        self._period = period
        times = np.linspace(0.0, period, len(angles) + 1)
        self._spline = CubicSpline(times, np.vstack((angles, angles[:1])), bc_type="periodic")

    def at(self, time: float, derivative: int = 0) -> Array:
        """Angles at a time, s, or their rates or accelerations, shape (n_joints,), rad."""
        found: Array = self._spline(time % self._period, derivative)
        return found


class Harmonic(NamedTuple):
    """Joint motion centre + amplitude sin(rate t - lag), all of shape (n_joints,).

    Attributes:
        centre: rad. amplitude: rad. lag: rad.
        rate: rad/s, one for all.
    """

    centre: Array
    amplitude: Array
    lag: Array
    rate: float


JointMotion = Harmonic | SampledMotion


class PerPitchJoint(NamedTuple):
    """A parameter of a gait that may have one value for each pitch joint.

    Attributes:
        name: of the parameter.
        value: one value, or the list.
        fewer: how many values less than pitch joints the list has.
        or_one: whether one value may stand for all.
    """

    name: str
    value: float | tuple[float, ...]
    fewer: int
    or_one: bool = True


class SpaceGait(Block, ABC):
    """A gait for a robot whose joints pitch and yaw."""

    frequency: Hertz = Field(default=0.5, gt=0)

    @abstractmethod
    def motion(self, joints: int, pitch_joints: Sequence[int]) -> JointMotion:
        """The motion of `joints` joints, of which those with the indices `pitch_joints` pitch."""

    @property
    def lists(self) -> tuple[PerPitchJoint, ...]:
        """Parameters that may be lists."""
        return ()


class VerticalWave(SpaceGait):
    """Wave of the pitch joints, from tail to head, for a robot with alternating axes; its yaw
    joints hold zero.

    Pitch joint k = 0, 1, .. from the tail: phi_k = amplitude_k sin(2 pi frequency t - p_k), p_k the
    sum of the phases before it. The troughs stand on the floor and the body flows through the wave
    (docs/spatial.md).
    """

    kind: Literal["vertical_wave"] = "vertical_wave"
    amplitude: Radian | tuple[Radian, ...] = Field(
        default=1.0, description="one for all pitch joints, or one each"
    )
    phase: Radian | tuple[Radian, ...] = Field(
        default=1.5, description="between neighbouring pitch joints: one for all, or one per pair"
    )

    def motion(self, joints: int, pitch_joints: Sequence[int]) -> Harmonic:
        """See `SpaceGait`."""
        count = len(pitch_joints)
        steps = np.broadcast_to(np.asarray(self.phase, float), (max(count - 1, 0),))
        motion = _at_rest(joints, self.frequency)
        at = np.asarray(pitch_joints, np.intp)
        motion.amplitude[at] = self.amplitude
        motion.lag[at] = np.concatenate((np.zeros(1), np.cumsum(steps)))[:count]
        return motion

    @property
    def lists(self) -> tuple[PerPitchJoint, ...]:
        """See `SpaceGait`."""
        return (
            PerPitchJoint("amplitude", self.amplitude, 0),
            PerPitchJoint("phase", self.phase, 1),
        )


class Sidewinding(SpaceGait):
    """A wave that lifts and a wave that bends to the side, a quarter of a period apart: the body
    lies down and rises again in places that move along it, and goes sideways and against its waves.

    With s = 0, 1, .. for the pitch joints from the tail, and s = 1/2, 3/2, .. for the yaw joints
    between them: pitch = lift sin(2 pi frequency t - s phase), yaw = turn + bend sin(2 pi frequency
    t - s phase + between).
    """

    kind: Literal["sidewinding"] = "sidewinding"
    lift: Radian = Field(default=0.3, ge=0, description="amplitude of the pitch joints")
    bend: Radian = Field(default=0.8, ge=0, description="amplitude of the yaw joints")
    phase: Radian = Field(
        default=-1.0,
        description="between neighbouring joints of one axis; negative: the waves run from head "
        "to tail and the body goes ahead as well, positive: back",
    )
    between: Radian = Field(
        default=QUARTER, description="lead of the yaw joints; positive: to the left"
    )
    turn: Radian = Field(default=0.0, description="of all yaw joints; bends the way")

    def motion(self, joints: int, pitch_joints: Sequence[int]) -> Harmonic:
        """See `SpaceGait`."""
        lifted, bent = _by_axis(joints, pitch_joints)
        motion = _at_rest(joints, self.frequency)
        motion.amplitude[lifted], motion.amplitude[bent] = self.lift, self.bend
        motion.centre[bent] = self.turn
        motion.lag[lifted] = self.phase * np.arange(lifted.size)
        motion.lag[bent] = self.phase * _places(lifted, bent) - self.between
        return motion


class Rolling(SpaceGait):
    """The body is bent to an arc whose plane turns about the body's own axis: it rolls sideways.
    Pitch and yaw joints move in one phase each, a quarter of a period apart.
    """

    kind: Literal["rolling"] = "rolling"
    amplitude: Radian = Field(default=0.3, ge=0, description="of the arc, for each joint")
    towards: Literal["left", "right"] = "left"

    def motion(self, joints: int, pitch_joints: Sequence[int]) -> Harmonic:
        """See `SpaceGait`."""
        _, bent = _by_axis(joints, pitch_joints)
        motion = _at_rest(joints, self.frequency)
        motion.amplitude[:] = self.amplitude
        motion.lag[bent] = QUARTER if self.towards == "left" else -QUARTER
        return motion


class Sampled(SpaceGait):
    """A periodic motion of the pitch joints, given by their angles at equal intervals of time, with
    a cubic spline between them; yaw joints hold zero. `boa trajectory` writes such a gait.
    """

    kind: Literal["sampled"] = "sampled"
    angles: tuple[tuple[Radian, ...], ...] = Field(
        min_length=4,
        description="rows over one period, from its start; in each the pitch joints from the tail",
    )

    def motion(self, joints: int, pitch_joints: Sequence[int]) -> SampledMotion:
        """See `SpaceGait`."""
        angles = np.zeros((len(self.angles), joints))
        angles[:, list(pitch_joints)] = self.angles
        return SampledMotion(angles, 1.0 / self.frequency)

    @property
    def lists(self) -> tuple[PerPitchJoint, ...]:
        """See `SpaceGait`."""
        return tuple(PerPitchJoint("angles", row, 0, or_one=False) for row in self.angles)


def _at_rest(joints: int, frequency: float) -> Harmonic:
    centre, amplitude, lag = np.zeros((3, joints))
    return Harmonic(centre, amplitude, lag, 2.0 * math.pi * frequency)


def _by_axis(joints: int, pitch_joints: Sequence[int]) -> tuple[Indices, Indices]:
    """Indices of the joints that pitch, and of those that yaw."""
    lifted = np.asarray(pitch_joints, np.intp)
    return lifted, np.setdiff1d(np.arange(joints), lifted)


def _places(lifted: Indices, bent: Indices) -> Array:
    """Where the yaw joints are along the body, in distances between two pitch joints from the
    first of them.
    """
    places: Array = 0.5 * (bent - lifted[:1]).astype(float)
    return places
