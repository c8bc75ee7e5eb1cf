# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The link IMUs as tools know them: `ImuSample` as one sensor_msgs/Imu per link.

The frame is that of the IMU, in the middle of the link. What is not measured is NaN, with -1 on the
diagonal of its covariance; so the first element is -1, as sensor_msgs wants it, where nothing of a
quantity is measured.
"""

from functools import partial
from typing import Any

import numpy as np

from boa_control.messages.cdr import (
    Mark,
    Template,
    header,
    message,
    quaternion,
    vector,
)
from boa_control.messages.topics import IMU
from boa_control.plant import ImuSample
from boa_description.arrays import Array
from boa_description.frames import imu_frame
from boa_description.robot import Imu, Robot

# where the numbers of an Imu message are: quaternion, vectors, and row-major 3x3 covariances
TURN, TURN_COVARIANCE = slice(0, 4), slice(4, 13)
RATE, RATE_COVARIANCE = slice(13, 16), slice(16, 25)
PUSH, PUSH_COVARIANCE = slice(25, 28), slice(28, 37)
IMU_NUMBERS = 37
TURN_DIAGONAL, RATE_DIAGONAL, PUSH_DIAGONAL = [4, 8, 12], [16, 20, 24], [28, 32, 36]
MISSING = -1.0  # variance of what is not measured


class ImuEncoder:
    """Messages of one sample, a link each."""

    def __init__(self, robot: Robot) -> None:
        self._templates = [
            Template(partial(_imu, frame=robot.frame(imu_frame(link)))) for link in robot.link_names
        ]
        self._healthy = _healthy_imu(robot.imu)
        self._numbers = np.tile(self._healthy, (robot.links, 1))
        self._marked = False

    def encode(self, sample: ImuSample) -> list[bytes]:
        """Serialise one sample, a message per link from tail to head."""
        numbers = self._numbers
        numbers[:, TURN] = sample.orientation
        numbers[:, RATE] = sample.angular_velocity
        numbers[:, PUSH] = sample.linear_acceleration
        self._mark_missing()
        stamp = sample.stamp_ns
        return [
            template.write(stamp, imu=row)
            for template, row in zip(self._templates, numbers, strict=True)
        ]

    def _mark_missing(self) -> None:
        """Make the covariances say which values are NaN."""
        numbers = self._numbers
        missing = np.isnan(numbers[:, : PUSH.stop])
        if not (self._marked or missing.any()):
            return
        self._marked = bool(missing.any())
        turn = np.repeat(missing[:, TURN].any(axis=1, keepdims=True), 3, axis=1)
        for diagonal, silent in (
            (TURN_DIAGONAL, turn),
            (RATE_DIAGONAL, missing[:, RATE]),
            (PUSH_DIAGONAL, missing[:, PUSH]),
        ):
            numbers[:, diagonal] = np.where(silent, MISSING, self._healthy[diagonal])


def _imu(mark: Mark, frame: str) -> Any:
    numbers = mark("imu", IMU_NUMBERS)
    return message(
        IMU.msgtype,
        header=header(frame=frame),
        orientation=quaternion(numbers[TURN]),
        orientation_covariance=numbers[TURN_COVARIANCE],
        angular_velocity=vector(numbers[RATE]),
        angular_velocity_covariance=numbers[RATE_COVARIANCE],
        linear_acceleration=vector(numbers[PUSH]),
        linear_acceleration_covariance=numbers[PUSH_COVARIANCE],
    )


def _healthy_imu(imu: Imu) -> Array:
    """Numbers of an Imu message of a link that reports everything: the variances, from noise and
    counts of the data sheet. Roll and pitch of links that lie in the plane are known: 0.
    """
    yaw = imu.yaw_quantum**2 / 12
    rate = imu.rate_noise**2 + imu.rate_quantum**2 / 12
    push = imu.acceleration_noise**2 + imu.acceleration_quantum**2 / 12
    numbers = np.zeros(IMU_NUMBERS)
    numbers[TURN_DIAGONAL] = 0.0, 0.0, yaw
    numbers[RATE_DIAGONAL] = 0.0, 0.0, rate
    numbers[PUSH_DIAGONAL] = push
    return numbers
