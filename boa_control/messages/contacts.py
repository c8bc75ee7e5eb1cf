"""Contacts, estimated and true, as sensor_msgs/MultiDOFJointState.

Entry i is one contact: `joint_names[i]` is the link, followed by the obstacle where it is known
(`link_05/obstacle_07`, links from 1, obstacles from 0 as in the map); `transforms[i]` is the
contact point, turned so that its x axis is the normal from the obstacle to the link;
`wrenches[i].force` is the force on the link. Estimates are given in the frame of the link
(`link_05`), true contacts in the world frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from boa_control.controller import ContactEstimate, EstimateColumns
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
)
from boa_control.messages.contact_runs import contact_runs
from boa_control.plant import FLOOR, ContactTruth, TruthColumns, truth_columns
from boa_description.arrays import Array, Indices
from boa_description.frames import WORLD
from boa_description.quaternion import from_x_axis, rotated, yaw_quaternion
from boa_description.robot import Robot

MULTI_DOF = "sensor_msgs/msg/MultiDOFJointState"
Key = tuple[int, int | None]  # link and obstacle, counted from 0
UNKNOWN = -1  # an obstacle that is not known, in columns


class Keys(NamedTuple):
    """Names of the contacts of many ticks, shape (R,) each; an obstacle that is not known is -1."""

    tick: Indices
    link: Indices
    obstacle: Indices

    def of(self, rows: slice) -> tuple[Key, ...]:
        """The keys of some contacts."""
        links, obstacles = self.link[rows].tolist(), self.obstacle[rows].tolist()
        return tuple(
            (link, None if obstacle == UNKNOWN else obstacle)
            for link, obstacle in zip(links, obstacles, strict=True)
        )


class ContactsCodec:
    """MultiDOFJointState of a varying set of contacts; a template is kept for every set that
    occurs. Most messages have the set of the one before, and are read with its template.
    """

    MAX_TEMPLATES = 500

    def __init__(self, robot: Robot, frame: str, topic: str) -> None:
        self._links = robot.link_names
        self._frame = frame
        self._topic = topic
        self._templates: dict[tuple[Key, ...], Template] = {}
        self._newest: tuple[Key, ...] | None = None  # set of the message that was read last
        self._repeated: Template | None = None  # of a set that was read twice in a row

    def name(self, key: Key) -> str:
        """How a contact is called, e.g. `link_05/obstacle_07`."""
        link, obstacle = key
        if obstacle is None:
            return self._links[link]
        return f"{self._links[link]}/" + (
            "floor" if obstacle == FLOOR else f"obstacle_{obstacle:02d}"
        )

    def encode(
        self, stamp_ns: int, keys: tuple[Key, ...], point: Array, turn: Array, force: Array
    ) -> bytes:
        """Serialise contacts: point (n, 3) m, turn (n, 4) from the x axis to the normal, force
        (n, 3) N.
        """
        pose, wrench = np.zeros((len(keys), 7)), np.zeros((len(keys), 6))
        pose[:, :3], pose[:, 3:], wrench[:, :3] = point, turn, force
        return self._template(keys).write(stamp_ns, pose=pose, wrench=wrench)

    def encode_many(
        self, stamps_ns: Sequence[int], keys: Keys, point: Array, turn: Array, force: Array
    ) -> list[bytes]:
        """Serialise the contacts of many ticks: the messages of `encode`, made together.

        Args:
            keys: of all contacts (R,), in order of the ticks.
            point, turn, force: as for `encode`, one row per contact.
        """
        pose, wrench = np.zeros((len(point), 7)), np.zeros((len(point), 6))
        pose[:, :3], pose[:, 3:], wrench[:, :3] = point, turn, force
        raws: list[bytes] = []
        for ticks, rows, size in contact_runs(len(stamps_ns), keys.tick, keys[1:]):
            alike = keys.of(slice(rows.start, rows.start + size))
            stamps = stamps_ns[ticks]
            raws += self._template(alike).write_many(
                stamps,
                pose=pose[rows].reshape(len(stamps), size, 7),
                wrench=wrench[rows].reshape(len(stamps), size, 6),
            )
        return raws

    def decode(self, raw: bytes) -> tuple[int, tuple[Key, ...], Array, Array, Array]:
        """Return stamp (ns), keys, points, turns and forces as given to `encode`.

        Raises:
            MessageError: not such a message, or a name that is no link of this robot.
        """
        known = None if self._repeated is None else self._repeated.read(raw)
        if known is None or self._newest is None:
            return self._read_first(raw)
        stamp, numbers = known
        pose, wrench = numbers["pose"], numbers["wrench"]
        return stamp, self._newest, pose[:, :3], pose[:, 3:], wrench[:, :3]

    def _read_first(self, raw: bytes) -> tuple[int, tuple[Key, ...], Array, Array, Array]:
        """The same field by field: a set that may be new, or somebody else's way of writing."""
        content = deserialize(raw, MULTI_DOF)
        count = len(content.joint_names)
        if len(content.transforms) != count or len(content.wrench) != count:
            raise MessageError(
                f"{self._topic}: {count} names, {len(content.transforms)} transforms and "
                f"{len(content.wrench)} wrenches"
            )
        shift = [(t.translation.x, t.translation.y, t.translation.z) for t in content.transforms]
        turn = [
            (t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w) for t in content.transforms
        ]
        push = [(w.force.x, w.force.y, w.force.z) for w in content.wrench]
        keys = tuple(map(self._key, content.joint_names))
        self._repeated = self._template(keys) if keys == self._newest else None
        self._newest = keys
        return (
            nanoseconds(content.header.stamp),
            keys,
            np.array(shift).reshape(count, 3),
            np.array(turn).reshape(count, 4),
            np.array(push).reshape(count, 3),
        )

    def _key(self, name: str) -> Key:
        link, _, obstacle = name.partition("/")
        if link in self._links and obstacle == "floor":
            return self._links.index(link), FLOOR
        number = obstacle.removeprefix("obstacle_")
        if link not in self._links or (obstacle and not number.isdecimal()):
            raise MessageError(
                f"{self._topic}: '{name}' is no contact of this robot; expected {self._links[0]} "
                f"to {self._links[-1]}, or e.g. {self._links[0]}/obstacle_07"
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
    """Topic contacts: estimates of contacts except for deviation, reference and established, which
    controller/debug carries.
    """

    def __init__(self, robot: Robot, topic: str) -> None:
        self._contacts = ContactsCodec(robot, "", topic)
        self._radius = robot.link.radius

    def name(self, contact: ContactEstimate) -> str:
        """How the contact is called, e.g. `link_05/obstacle_07`."""
        return self.named((contact.link, contact.obstacle))

    def named(self, key: Key) -> str:
        """The same from link and obstacle."""
        return self._contacts.name(key)

    def encode(self, stamp_ns: int, contacts: Sequence[ContactEstimate]) -> bytes:
        """Serialise estimates."""
        count = len(contacts)
        return self._contacts.encode(
            stamp_ns,
            tuple((contact.link, contact.obstacle) for contact in contacts),
            point=np.array([(c.offset, c.side * self._radius, 0.0) for c in contacts]).reshape(
                count, 3
            ),
            turn=yaw_quaternion(np.array([-c.side * np.pi / 2 for c in contacts])),
            force=np.array([(0.0, -c.side * c.force, 0.0) for c in contacts]).reshape(count, 3),
        )

    def encode_many(self, stamps_ns: Sequence[int], contacts: EstimateColumns) -> list[bytes]:
        """Serialise the estimates of many ticks at once."""
        point, force = np.zeros((2, contacts.side.size, 3))
        point[:, 0], point[:, 1] = contacts.offset, contacts.side * self._radius
        force[:, 1] = -contacts.side * contacts.force
        keys = Keys(contacts.report, contacts.link, contacts.obstacle)
        turn = yaw_quaternion(-contacts.side * np.pi / 2)
        return self._contacts.encode_many(stamps_ns, keys, point, turn, force)

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
    """Topic sim/contacts: true contacts."""

    def __init__(self, robot: Robot, topic: str) -> None:
        self._contacts = ContactsCodec(robot, WORLD, topic)

    def encode(self, stamp_ns: int, contacts: Sequence[ContactTruth]) -> bytes:
        """Serialise true contacts."""
        columns = truth_columns((contacts,))
        keys = tuple(zip(columns.link.tolist(), columns.obstacle.tolist(), strict=True))
        return self._contacts.encode(
            stamp_ns, keys, columns.point, from_x_axis(columns.normal), columns.force
        )

    def encode_many(self, stamps_ns: Sequence[int], contacts: TruthColumns) -> list[bytes]:
        """Serialise the true contacts of many ticks at once."""
        keys = Keys(contacts.report, contacts.link, contacts.obstacle)
        turn = from_x_axis(contacts.normal)
        return self._contacts.encode_many(stamps_ns, keys, contacts.point, turn, contacts.force)

    def decode(self, raw: bytes) -> tuple[int, tuple[ContactTruth, ...]]:
        """Return stamp (ns) and true contacts. Raises MessageError."""
        stamp, keys, point, turn, force = self._contacts.decode(raw)
        normal = rotated(turn, np.array([1.0, 0.0, 0.0]))
        along = np.sum(force * normal, axis=1)
        friction = force - along[:, None] * normal
        contacts = []
        for i, (link, obstacle) in enumerate(keys):
            if obstacle is None:
                raise MessageError(f"a true contact of link {link + 1} does not name its obstacle")
            contacts.append(
                ContactTruth(link, obstacle, point[i], normal[i], float(along[i]), friction[i])
            )
        return stamp, tuple(contacts)
