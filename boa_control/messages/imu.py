# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The link IMUs: `ImuSample` as imu, one sensor_msgs/Imu per link, and back.

The frame is that of the IMU, in the middle of the link. What is not measured is NaN, with -1 on the
diagonal of its covariance; so the first element is -1, as sensor_msgs wants it, where nothing of a
quantity is measured.
"""

from functools import partial
from typing import Any

import numpy as np

from boa_control.messages.cdr import (
    Mark,
    MessageError,
    Template,
    deserialize,
    header,
    message,
    nanoseconds,
    quaternion,
    stamp_of,
    vector,
)
from boa_control.messages.sample_codec import SampleCodec
from boa_control.messages.topics import IMU
from boa_control.plant import ImuSample
from boa_description.arrays import Array
from boa_description.frames import imu_frame
from boa_description.quaternion import yaw_of
from boa_description.robot import Imu, Robot

# where the numbers of an Imu message are: quaternion, vectors, and row-major 3x3 covariances
TURN, TURN_COVARIANCE = slice(0, 4), slice(4, 13)
RATE, RATE_COVARIANCE = slice(13, 16), slice(16, 25)
PUSH, PUSH_COVARIANCE = slice(25, 28), slice(28, 37)
IMU_NUMBERS = 37
TURN_DIAGONAL, RATE_DIAGONAL, PUSH_DIAGONAL = [4, 8, 12], [16, 20, 24], [28, 32, 36]
SILENT = np.full(IMU_NUMBERS, np.nan).tobytes()  # a link that did not report
MISSING = -1.0  # variance of what is not measured


class ImuCodec(SampleCodec):
    """Messages of one sample, and samples put together from the messages of all links."""

    def __init__(self, robot: Robot) -> None:
        self._links = robot.link_names
        self._frames = tuple(robot.frame(imu_frame(link)) for link in robot.link_names)
        # bags of before November 2026 name the link itself
        self._index = {
            name: index for names in (self._links, self._frames) for index, name in enumerate(names)
        }
        self._templates = [Template(partial(_imu, frame=name)) for name in self._frames]
        self._healthy = _healthy_imu(robot.imu)
        self._numbers = np.tile(self._healthy, (robot.links, 1))
        self._marked = False
        self.reset()

    def reset(self) -> None:
        """Drop a sample that is not complete; for time that starts again."""
        self._gathering: dict[int, bytes] = {}
        self._gathering_stamp: int | None = None
        self._next_link = 0

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

    def decode(self, raw: bytes) -> ImuSample | None:
        """Take one message. A sample comes once all links have reported, or a newer sample has
        begun; what is missing then is NaN.

        Raises:
            MessageError: not an Imu message, or of no link of this robot.
        """
        stamp, link, numbers = self._read(raw)
        sample = None
        if stamp != self._gathering_stamp:
            sample = self._release()
            self._gathering_stamp = stamp
        self._gathering[link] = numbers
        self._next_link = (link + 1) % len(self._links)
        if len(self._gathering) == len(self._links):
            sample = self._release()
        return sample

    def _release(self) -> ImuSample | None:
        """The sample from what has been gathered; None where nothing has."""
        if self._gathering_stamp is None:
            return None
        stamp, gathered = self._gathering_stamp, self._gathering
        self._gathering, self._gathering_stamp = {}, None
        reported = [gathered.get(link, SILENT) for link in range(len(self._links))]
        numbers = np.frombuffer(b"".join(reported), "<f8").reshape(-1, IMU_NUMBERS)
        turn = numbers[:, TURN].copy()
        rate, push = numbers[:, RATE].copy(), numbers[:, PUSH].copy()
        return ImuSample(stamp, turn, rate, push, yaw_of(turn))

    def _read(self, raw: bytes) -> tuple[int, int, bytes]:
        """Stamp (ns), index of the link, and the numbers of a message."""
        guess = self._next_link  # a right guess saves time
        template = self._templates[guess]
        if template.fits(raw):
            return stamp_of(raw), guess, template.cut(raw, "imu")
        content = deserialize(raw, IMU.msgtype)
        link = self._index.get(content.header.frame_id)
        if link is None:
            raise MessageError(
                f"{IMU.name}: frame_id '{content.header.frame_id}' is no IMU; "
                f"expected {self._frames[0]} to {self._frames[-1]}"
            )
        turn = content.orientation
        rate = content.angular_velocity
        push = content.linear_acceleration
        numbers = np.full(IMU_NUMBERS, np.nan)
        numbers[TURN] = turn.x, turn.y, turn.z, turn.w
        numbers[RATE] = rate.x, rate.y, rate.z
        numbers[PUSH] = push.x, push.y, push.z
        return nanoseconds(content.header.stamp), link, numbers.tobytes()


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
