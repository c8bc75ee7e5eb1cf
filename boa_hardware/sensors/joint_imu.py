# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Encoders against IMUs: the headings of two neighbouring links differ by the angle of the joint
between them, and their yaw rates by its velocity.

Sensors do not sample at the same instant, and a servo smooths its velocity. So a difference of two
IMUs is compared with everything that the encoder has shown around its time: it is right within the
range of these readings, widened by what noise, counts and tolerances of the sensors explain. What
noise explains follows from the probability of a false alarm.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_control.plant import ImuSample
from boa_description.angles import wrapped
from boa_description.arrays import Array, Flags
from boa_description.robot import Robot

FALSE_ALARMS = 1e-3  # per hour, of all joints together, by noise
CONFIRMED = 3  # samples in a row that disagree: a single one may be a word that was read wrongly
# s around a sample within which the encoder's readings belong to it: a sample of an IMU is up to
# 10 ms old (fusion at 100 Hz) and as long under way, on a busy computer until its answer has come;
# a servo samples when it is asked, and smooths its velocity over some 10 ms (assumption)
BEFORE, AFTER = 0.030, 0.010
ZERO_RATE = np.radians(1.0)  # rad/s, zero-rate offset of one gyroscope (BNO055 data sheet, typical)
SCALE = 0.03  # relative, of one gyroscope: sensitivity tolerance (BNO055 data sheet, largest)
DRIFT = np.radians(0.5)  # rad/s, of the difference of two headings at rest; assumption
ANYWHERE = 1e3  # rad, zeros of headings that are not known yet

Quantity = Literal["angle", "rate"]


class Disagreement(NamedTuple):
    """A joint whose encoder and IMUs tell different things.

    Attributes:
        joint: index.
        quantity: of which both speak.
        amount: IMUs minus encoder, after subtracting what the sensors' tolerances explain, rad or
            rad/s.
        confirmed: seen in `CONFIRMED` samples in a row.
    """

    joint: int
    quantity: Quantity
    amount: float
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Margins:
    """How far the IMUs of two links may be outside of what the encoder shows, by counts and noise.

    Attributes:
        angle: rad. rate: rad/s.
    """

    angle: float
    rate: float

    @classmethod
    def of(cls, robot: Robot) -> Margins:
        """From the data sheets' figures in the robot's description."""
        imu, encoder = robot.imu, robot.encoder
        tests = 2 * robot.joints * imu.rate * 3600.0  # in an hour
        tail = NormalDist().inv_cdf(1.0 - 0.5 * FALSE_ALARMS / tests)
        walk, noise = (np.sqrt(2.0) * of_one for of_one in (imu.yaw_drift_rate, imu.rate_noise))
        # by how much a random walk is ahead of steady drift: the largest of tail walk sqrt(t)
        # - DRIFT t over all times t
        ahead = (tail * walk) ** 2 / (4.0 * DRIFT)
        return cls(
            angle=imu.yaw_quantum + encoder.position_quantum / 2 + ahead,
            rate=imu.rate_quantum + encoder.velocity_quantum / 2 + tail * noise + 2 * ZERO_RATE,
        )


class JointImuWatch:
    """Compares the joints of one robot with its IMUs, sample by sample.

    Headings of IMUs without magnetometer begin anywhere and drift. So for each joint a range is
    kept in which the difference of its links' zeros must lie: it grows with drift and gain
    tolerance of the gyroscopes, and every sample narrows it. A sample that does not meet the range
    disagrees.
    """

    def __init__(self, robot: Robot) -> None:
        self._margins = Margins.of(robot)
        self._joints = robot.joints
        self.reset()

    def reset(self) -> None:
        """Forget everything; the next sample sets the zero of the headings."""
        self._encoders: deque[tuple[int, Array, Array]] = deque()
        self._waiting: deque[_Asked] = deque()
        self._newest_ns: int | None = None  # stamp of the newest sample that was taken
        self._judged_ns: int | None = None
        # zeros of the headings' differences, rad
        self._low, self._high = (np.full(self._joints, side) for side in (-ANYWHERE, ANYWHERE))
        self._run = np.zeros((2, self._joints), np.int64)
        self._present: tuple[Disagreement, ...] = ()

    def update(
        self,
        stamp_ns: int,
        position: Array,
        velocity: Array,
        valid: Flags,
        imu: ImuSample | None,
        delay: float = 0.0,
    ) -> tuple[Disagreement, ...]:
        """Take the joints of one tick, and the newest sample of the IMUs.

        Args:
            stamp_ns: of the joints, on the clock of the samples.
            position, velocity, valid: shape (n_joints,), rad, rad/s, and whether it was measured.
            imu: may be that of the tick before. Its stamp tells when the IMUs were asked.
            delay: from then until the last of them had answered, s.

        Returns:
            What disagrees by now, unconfirmed doubts included.
        """
        blind = np.where(valid, 0.0, np.nan)
        self._encoders.append((stamp_ns, position + blind, velocity + blind))
        if imu is not None and imu.stamp_ns != self._newest_ns:
            self._newest_ns = imu.stamp_ns
            until_ns = imu.stamp_ns + round(max(AFTER, delay) * 1e9)
            self._waiting.append(_Asked(imu, until_ns))
        while self._waiting and self._waiting[0].until_ns <= stamp_ns:
            self._judge(*self._waiting.popleft())
        return self._present

    def _judge(self, imu: ImuSample, until_ns: int) -> None:
        """One sample of the IMUs against the encoders' readings around it."""
        while self._encoders[0][0] < imu.stamp_ns - BEFORE * 1e9:
            self._encoders.popleft()
        last_ns, self._judged_ns = self._judged_ns, imu.stamp_ns
        around = [row for row in self._encoders if row[0] <= until_ns]
        if len(around) < 2 or last_ns is None:
            return
        spin = imu.yaw_rate
        tolerance = SCALE * (np.abs(spin[1:]) + np.abs(spin[:-1]))
        follow = (DRIFT + tolerance) * (imu.stamp_ns - last_ns) * 1e-9
        angle, rate = (_range_of(np.array([row[column] for row in around])) for column in (1, 2))
        excess = np.stack(
            [
                self._by_angle(imu.yaw[1:] - imu.yaw[:-1], angle, follow),
                _apart(spin[1:] - spin[:-1], rate, self._margins.rate + tolerance),
            ]
        )
        # a sample that is missing neither confirms a doubt nor ends it
        self._run = np.where(np.isnan(excess), self._run, np.where(excess != 0, self._run + 1, 0))
        self._present = tuple(self._disagreements(excess))

    def _by_angle(self, turned: Array, angle: _Range, follow: Array) -> Array:
        """How far the headings' differences are from the range of their zeros, rad."""
        self._low -= np.nan_to_num(follow)
        self._high += np.nan_to_num(follow)
        margin = self._margins.angle
        near = _near(turned - angle.high, self._low, self._high)
        low, high = near - margin, near + (angle.high - angle.low) + margin
        apart = np.maximum(low - self._high, 0.0) - np.maximum(self._low - high, 0.0)
        met = apart == 0.0
        self._low = np.where(met, np.maximum(self._low, low), self._low)
        self._high = np.where(met, np.minimum(self._high, high), self._high)
        return apart

    def _disagreements(self, excess: Array) -> list[Disagreement]:
        quantities: tuple[Quantity, Quantity] = ("angle", "rate")
        return [
            Disagreement(int(joint), name, float(row[joint]), bool(run[joint] >= CONFIRMED))
            for name, row, run in zip(quantities, excess, self._run, strict=True)
            for joint in np.flatnonzero(np.nan_to_num(row))
        ]


class _Asked(NamedTuple):
    """A sample, and the latest time at which the IMUs may have taken it, ns."""

    imu: ImuSample
    until_ns: int


class _Range(NamedTuple):
    """Lower and upper ends, shape (n_joints,)."""

    low: Array
    high: Array


def _range_of(readings: Array) -> _Range:
    """Of `readings` (T, n_joints); between two of them the signal may go half a step further. NaN
    where something is missing.
    """
    slack = np.abs(np.diff(readings, axis=0)).max(axis=0) / 2
    return _Range(readings.min(axis=0) - slack, readings.max(axis=0) + slack)


def _apart(value: Array, allowed: _Range, margin: Array) -> Array:
    """Signed distance of `value` from a range that is widened by a margin; NaN stays."""
    return value - np.clip(value, allowed.low - margin, allowed.high + margin)


def _near(angle: Array, low: Array, high: Array) -> Array:
    """The angle by whole turns next to the middle of a range."""
    middle = (low + high) / 2
    near: Array = middle + wrapped(angle - middle)
    return near


def disagreement_texts(found: tuple[Disagreement, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """One line that names the part, as soon as one disagreement is confirmed: a joint; where two
    neighbouring joints are wrong against each other, the IMU of the link between them.
    """
    if not any(one.confirmed for one in found):
        return ()
    signs = _signs(found, len(names))
    joints = np.flatnonzero(signs).tolist()
    worst = max((one for one in found if one.confirmed), key=lambda one: abs(one.amount))
    by = f"by {abs(worst.amount):.2g} rad{'' if worst.quantity == 'angle' else '/s'}"
    if len(joints) == 2 and joints[1] == joints[0] + 1 and signs[joints].sum() == 0:
        link = joints[1] + 1
        return (
            f"IMU of link {link}: disagrees with {names[joints[0]]} and {names[joints[1]]} {by} "
            "more than noise explains; check the IMU's mounting, sign and cable",
        )
    if len(joints) == 1:
        what = "check that its servo's encoder, direction and zero are right, and its gears"
    else:
        what = "check the order of servos and IMUs, their directions and signs"
    which = ", ".join(names[joint] for joint in joints)
    return (
        f"{which}: encoder and IMUs of its links disagree {by} more than noise explains; {what}",
    )


def _signs(found: tuple[Disagreement, ...], joints: int) -> NDArray[np.int64]:
    """Direction in which each joint is off, 0 where it is not; confirmed ones count first."""
    signs = np.zeros(joints, np.int64)
    for one in sorted(found, key=lambda one: one.confirmed):
        signs[one.joint] = int(np.sign(one.amount))
    return signs
