# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tracker: the pose of one link in the world as a camera or motion-capture system sees it;
`TrackerSample` as tracker, and back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
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
    pose,
)
from boa_control.messages.sample_codec import SampleCodec
from boa_control.messages.topics import TRACKER, Topic
from boa_description.arrays import Array
from boa_description.frames import WORLD
from boa_description.quaternion import no_rotation


@dataclass(frozen=True, slots=True)
class TrackerSample:
    """Pose of the tracked link's frame (at its tail-side joint axis) in the world.

    Attributes:
        stamp_ns: when the picture was taken, ns.
        position: shape (3,), m; NaN when the link was not seen.
        orientation: shape (4,), unit quaternion x, y, z, w; NaN when it was not seen.
    """

    stamp_ns: int
    position: Array
    orientation: Array

    @property
    def seen(self) -> bool:
        """Whether the tracker saw the link."""
        return bool(np.isfinite(self.position).all())


class TrackerCodec(SampleCodec):
    """tracker: `TrackerSample` as a PoseStamped in the world."""

    def __init__(self, topic: Topic = TRACKER) -> None:
        self._topic = topic
        self._template = Template(self._build)

    def _build(self, mark: Mark) -> Any:
        there = pose(mark("pose", 7))
        return message(self._topic.msgtype, header=header(frame=WORLD), pose=there)

    def encode(self, sample: TrackerSample) -> list[bytes]:
        """Serialise one sample: one message."""
        numbers = np.concatenate((sample.position, sample.orientation))
        return [self._template.write(sample.stamp_ns, pose=numbers)]

    def encode_many(self, samples: Sequence[TrackerSample]) -> list[list[bytes]]:
        """Serialise many samples at once: one message each."""
        numbers = np.array([[*sample.position, *sample.orientation] for sample in samples])
        stamps = [sample.stamp_ns for sample in samples]
        return [[raw] for raw in self._template.write_many(stamps, pose=numbers.reshape(-1, 7))]

    def decode(self, raw: bytes) -> TrackerSample:
        """Read one sample.

        Raises:
            MessageError: not a PoseStamped, one in another frame than the world, or a place without
                a rotation.
        """
        sample = self._read(raw)
        if sample.seen and (wrong := no_rotation(sample.orientation)):
            raise MessageError(f"{self._topic.name}: {wrong}")
        return sample

    def _read(self, raw: bytes) -> TrackerSample:
        known = self._template.read(raw)
        if known is not None:
            return TrackerSample(known[0], known[1]["pose"][:3], known[1]["pose"][3:])
        content = deserialize(raw, self._topic.msgtype)
        if content.header.frame_id != WORLD:
            raise MessageError(
                f"{self._topic.name}: a pose in frame '{content.header.frame_id}'; send it in "
                f"{WORLD}"
            )
        at, turn = content.pose.position, content.pose.orientation
        return TrackerSample(
            nanoseconds(content.header.stamp),
            np.array([at.x, at.y, at.z]),
            np.array([turn.x, turn.y, turn.z, turn.w]),
        )
