# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The joint force sensors: `ForceSample` as joint_forces, and back."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.messages.cdr import (
    Mark,
    MessageError,
    Template,
    deserialize,
    header,
    in_order,
    message,
    nanoseconds,
    wrench,
)
from boa_control.messages.sample_codec import SampleCodec
from boa_control.messages.topics import JOINT_FORCES
from boa_control.plant import ForceSample
from boa_description.robot import Robot

MULTI_DOF = "sensor_msgs/msg/MultiDOFJointState"


class ForceCodec(SampleCodec):
    """joint_forces: `ForceSample` as a MultiDOFJointState whose wrenches carry the forces; torques
    are zero.
    """

    def __init__(self, robot: Robot) -> None:
        self._names = robot.joint_names
        self._template = Template(self._build)
        self._wrench = np.zeros((robot.joints, 6))

    def _build(self, mark: Mark) -> Any:
        wrenches = [wrench(row) for row in mark("wrench", len(self._names), 6)]
        names = list(self._names)
        return message(
            MULTI_DOF, header=header(), joint_names=names, transforms=[], twist=[], wrench=wrenches
        )

    def encode(self, sample: ForceSample) -> list[bytes]:
        """Serialise one sample: one message."""
        self._wrench[:, :3] = sample.force
        return [self._template.write(sample.stamp_ns, wrench=self._wrench)]

    def encode_many(self, samples: Sequence[ForceSample]) -> list[list[bytes]]:
        """Serialise many samples at once: one message each."""
        numbers = np.zeros((len(samples), len(self._names), 6))
        numbers[..., :3] = [sample.force for sample in samples]
        stamps = [sample.stamp_ns for sample in samples]
        return [[raw] for raw in self._template.write_many(stamps, wrench=numbers)]

    def decode(self, raw: bytes) -> ForceSample:
        """Read one sample. Raises MessageError for other joints or other bytes."""
        known = self._template.read(raw)
        if known is not None:
            return ForceSample(known[0], known[1]["wrench"][:, :3])
        content = deserialize(raw, MULTI_DOF)
        if len(content.wrench) != len(content.joint_names):
            raise MessageError(
                f"{JOINT_FORCES.name}: {len(content.wrench)} wrenches for "
                f"{len(content.joint_names)} names"
            )
        axes = [
            in_order(
                {
                    name: getattr(w.force, axis)
                    for name, w in zip(content.joint_names, content.wrench, strict=True)
                },
                self._names,
                JOINT_FORCES.name,
            )
            for axis in "xyz"
        ]
        return ForceSample(nanoseconds(content.header.stamp), np.column_stack(axes))

    def decode_many(self, raws: Sequence[bytes]) -> list[ForceSample]:
        """Read many samples."""
        known = self._template.read_many(raws)
        if known is None:
            return [self.decode(raw) for raw in raws]
        return list(map(ForceSample, known[0].tolist(), known[1]["wrench"][..., :3]))
