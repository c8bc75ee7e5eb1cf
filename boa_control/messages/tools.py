# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The sensors in their usual messages, for tools and controllers that know sensor_msgs/Imu and
geometry_msgs/WrenchStamped.

Our controllers and bags have the same samples on the topics of the sensor table.
"""

from collections.abc import Set
from functools import partial
from typing import Any

import numpy as np

from boa_control.messages.cdr import Mark, Template, header, message, wrench
from boa_control.messages.imu import ImuCodec
from boa_control.messages.topics import IMU, JOINT_FORCES, NAMESPACE, Outgoing, Topic
from boa_control.plant import Sample, SensorFrame
from boa_description.frames import force_frame
from boa_description.robot import Robot


def link_imu(link: str) -> Topic:
    """The IMU of one link, for tools; published while somebody listens."""
    return Topic(f"{NAMESPACE}/{link}/imu", IMU.msgtype, "plant", f"as {IMU.name}, of one link")


def joint_wrench(joint: str) -> Topic:
    """The force sensor of one joint, for tools; published while somebody listens."""
    return Topic(
        f"{NAMESPACE}/{joint}/wrench",
        "geometry_msgs/msg/WrenchStamped",
        "plant",
        f"as {JOINT_FORCES.name}, of one joint",
    )


class ToolTopics:
    """link_05/imu and joint_05/wrench of every link and joint, and imu of all links.

    Attributes:
        imus, wrenches: their topics, from tail to head.
        topics: all of them.
    """

    def __init__(self, robot: Robot) -> None:
        self.imus = tuple(link_imu(link) for link in robot.link_names)
        self.wrenches = tuple(joint_wrench(joint) for joint in robot.joint_names)
        self.topics = (IMU, *self.imus, *self.wrenches)
        self._imu = ImuCodec(robot)
        self._wrenches = [
            Template(partial(_wrench, frame=robot.frame(force_frame(joint))))
            for joint in robot.joint_names
        ]
        self._sent: dict[str, int] = {}

    def encode(self, frame: SensorFrame, chosen: Set[Topic]) -> Outgoing:
        """Serialise the samples of a tick that are new, for the chosen topics."""
        if not chosen:
            return []
        imu, force = frame.imu, frame.joint_force
        outgoing: Outgoing = []
        watched = not chosen.isdisjoint((IMU, *self.imus))
        if imu is not None and self._is_due("imu", imu, watched):
            for topic, raw in zip(self.imus, self._imu.encode(imu), strict=True):
                outgoing += [(IMU, raw), (topic, raw)]
        if force is not None and self._is_due("force", force, not chosen.isdisjoint(self.wrenches)):
            rows = zip(self.wrenches, self._wrenches, force.force, strict=True)
            outgoing += [
                (topic, template.write(force.stamp_ns, force=row)) for topic, template, row in rows
            ]
        return [(topic, raw) for topic, raw in outgoing if topic in chosen]

    def _is_due(self, name: str, sample: Sample, watched: bool) -> bool:
        """Whether the sample goes out: somebody listens, and it has not been sent yet."""
        if not watched or self._sent.get(name) == sample.stamp_ns:
            return False
        self._sent[name] = sample.stamp_ns
        return True


def _wrench(mark: Mark, frame: str) -> Any:
    """The sensors measure no torque: it is zero."""
    return message(
        "geometry_msgs/msg/WrenchStamped",
        header=header(frame=frame),
        wrench=wrench(np.array([*mark("force", 3), 0.0, 0.0, 0.0])),
    )
