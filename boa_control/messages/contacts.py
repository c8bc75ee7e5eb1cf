"""Contacts, estimated and true, as sensor_msgs/MultiDOFJointState.

Entry i is one contact: `joint_names[i]` is the link, followed by the obstacle where it is known
(`link_05/obstacle_07`, links from 1, obstacles from 0 as in the map); `transforms[i]` is the
contact point, turned so that its x axis is the normal from the obstacle to the link;
`wrenches[i].force` is the force on the link. Estimates are given in the frame of the link
(`link_05`), true contacts in the world frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.controller import ContactEstimate
from boa_control.messages.cdr import (
    Mark,
    MessageError,
    Template,
    deserialize,
    header,
    message,
    nanoseconds,
    quaternion,
    vector,
    yaw_of,
    yaw_quaternion,
)
from boa_control.plant import ContactTruth
from boa_description.arrays import Array
from boa_description.frames import WORLD
from boa_description.robot import Robot

MULTI_DOF = "sensor_msgs/msg/MultiDOFJointState"
Key = tuple[int, int | None]  # link and obstacle, counted from 0


class ContactsCodec:
    """MultiDOFJointState of a varying set of contacts; a template is kept for every set that
    occurs.
    """

    MAX_TEMPLATES = 500

    def __init__(self, robot: Robot, frame: str, topic: str) -> None:
        self._links = robot.link_names
        self._frame = frame
        self._topic = topic
        self._templates: dict[tuple[Key, ...], Template] = {}

    def name(self, key: Key) -> str:
        """How a contact is called, e.g. `link_05/obstacle_07`."""
        link, obstacle = key
        return self._links[link] + ("" if obstacle is None else f"/obstacle_{obstacle:02d}")

    def encode(
        self, stamp_ns: int, keys: tuple[Key, ...], point: Array, yaw: Array, force: Array
    ) -> bytes:
        """Serialise contacts: point (n, 2) m, yaw (n,) of the normal, force (n, 2) N."""
        pose, wrench = np.zeros((len(keys), 7)), np.zeros((len(keys), 6))
        pose[:, :2], pose[:, 3:], wrench[:, :2] = point, yaw_quaternion(yaw), force
        return self._template(keys).write(stamp_ns, pose=pose, wrench=wrench)

    def decode(self, raw: bytes) -> tuple[int, tuple[Key, ...], Array, Array, Array]:
        """Return stamp (ns), keys, points, yaws and forces as given to `encode`.

        Raises:
            MessageError: not such a message, or a name that is no link of this robot.
        """
        content = deserialize(raw, MULTI_DOF)
        count = len(content.joint_names)
        if len(content.transforms) != count or len(content.wrench) != count:
            raise MessageError(
                f"{self._topic}: {count} names, {len(content.transforms)} transforms and "
                f"{len(content.wrench)} wrenches"
            )
        shift = [(t.translation.x, t.translation.y) for t in content.transforms]
        turn = [
            (t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w) for t in content.transforms
        ]
        push = [(w.force.x, w.force.y) for w in content.wrench]
        return (
            nanoseconds(content.header.stamp),
            tuple(map(self._key, content.joint_names)),
            np.array(shift).reshape(count, 2),
            yaw_of(np.array(turn).reshape(count, 4)),
            np.array(push).reshape(count, 2),
        )

    def _key(self, name: str) -> Key:
        link, _, obstacle = name.partition("/")
        number = obstacle.removeprefix("obstacle_")
        if link not in self._links or (obstacle and not number.isdecimal()):
            raise MessageError(
                f"{self._topic}: '{name}' is no contact of this robot; "
                f"expected {self._links[0]} to {self._links[-1]}, or e.g. "
                f"{self._links[0]}/obstacle_07"
            )
        return self._links.index(link), int(number) if obstacle else None

    def _template(self, keys: tuple[Key, ...]) -> Template:
        template = self._templates.get(keys)
        if template is None:
            if len(self._templates) >= self.MAX_TEMPLATES:
                self._templates.clear()
            names = [self.name(key) for key in keys]
            template = self._templates[keys] = Template(
                lambda mark: _build(mark, names, self._frame)
            )
        return template


def _build(mark: Mark, names: list[str], frame: str) -> Any:
    pose, wrench = mark("pose", len(names), 7), mark("wrench", len(names), 6)
    transforms = [
        message(
            "geometry_msgs/msg/Transform", translation=vector(row[:3]), rotation=quaternion(row[3:])
        )
        for row in pose
    ]
    wrenches = [
        message("geometry_msgs/msg/Wrench", force=vector(row[:3]), torque=vector(row[3:]))
        for row in wrench
    ]
    return message(
        MULTI_DOF,
        header=header(frame=frame),
        joint_names=names,
        transforms=transforms,
        twist=[],
        wrench=wrenches,
    )


class EstimatedContactsCodec:
    """contacts: `ContactEstimate`s, except for deviation, reference and established:
    controller/debug carries them.
    """

    def __init__(self, robot: Robot, topic: str) -> None:
        self._contacts = ContactsCodec(robot, "", topic)
        self._radius = robot.link.radius

    def name(self, contact: ContactEstimate) -> str:
        """How the contact is called, e.g. `link_05/obstacle_07`."""
        return self._contacts.name((contact.link, contact.obstacle))

    def encode(self, stamp_ns: int, contacts: Sequence[ContactEstimate]) -> bytes:
        """Serialise estimates."""
        count = len(contacts)
        return self._contacts.encode(
            stamp_ns,
            tuple((contact.link, contact.obstacle) for contact in contacts),
            point=np.array([(c.offset, c.side * self._radius) for c in contacts]).reshape(count, 2),
            yaw=np.array([-c.side * np.pi / 2 for c in contacts]),
            force=np.array([(0.0, -c.side * c.force) for c in contacts]).reshape(count, 2),
        )

    def decode(self, raw: bytes) -> tuple[int, tuple[ContactEstimate, ...]]:
        """Return stamp (ns) and estimates. Raises MessageError."""
        stamp, keys, point, _, force = self._contacts.decode(raw)
        side = np.where(point[:, 1] < 0, -1, 1)
        contacts = tuple(
            ContactEstimate(
                obstacle, link, float(point[i, 0]), int(side[i]), float(-side[i] * force[i, 1])
            )
            for i, (link, obstacle) in enumerate(keys)
        )
        return stamp, contacts


class TrueContactsCodec:
    """sim/contacts: `ContactTruth`s."""

    def __init__(self, robot: Robot, topic: str) -> None:
        self._contacts = ContactsCodec(robot, WORLD, topic)

    def encode(self, stamp_ns: int, contacts: Sequence[ContactTruth]) -> bytes:
        """Serialise true contacts."""
        count = len(contacts)
        point = np.array([contact.point for contact in contacts]).reshape(count, 2)
        normal = np.array([contact.normal for contact in contacts]).reshape(count, 2)
        along = np.array([contact.normal_force for contact in contacts])
        across = np.array([contact.tangential_force for contact in contacts])
        force = along[:, None] * normal + across[:, None] * _tangent(normal)
        keys: tuple[Key, ...] = tuple((contact.link, contact.obstacle) for contact in contacts)
        return self._contacts.encode(
            stamp_ns, keys, point, np.arctan2(normal[:, 1], normal[:, 0]), force
        )

    def decode(self, raw: bytes) -> tuple[int, tuple[ContactTruth, ...]]:
        """Return stamp (ns) and true contacts. Raises MessageError."""
        stamp, keys, point, yaw, force = self._contacts.decode(raw)
        normal = np.column_stack((np.cos(yaw), np.sin(yaw)))
        along, across = np.sum(force * normal, axis=1), np.sum(force * _tangent(normal), axis=1)
        contacts = []
        for i, (link, obstacle) in enumerate(keys):
            if obstacle is None:
                raise MessageError(f"a true contact of link {link + 1} does not name its obstacle")
            contacts.append(
                ContactTruth(link, obstacle, point[i], normal[i], float(along[i]), float(across[i]))
            )
        return stamp, tuple(contacts)


def _tangent(normal: Array) -> Array:
    """Normals turned by -90 degrees."""
    return np.column_stack((normal[:, 1], -normal[:, 0]))
