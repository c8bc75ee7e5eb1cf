# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contacts, estimated and true, as sensor_msgs/MultiDOFJointState.

Entry i is one contact: `joint_names[i]` is the link, followed by the obstacle where it is known
(`link_05/obstacle_07`, links from 1, obstacles from 0 as in the map); `transforms[i]` is the
contact point, turned so that its x axis is the normal from the obstacle to the link;
`wrenches[i].force` is the force on the link. Estimates are given in the frame of the link
(`link_05`), true contacts in the world frame.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from boa_control.controller import EstimateColumns
from boa_control.messages.cdr import (
    MOST_LAYOUTS,
    Mark,
    MessageError,
    Template,
    deserialize,
    header,
    message,
    same_layout,
    stamp_of,
    transform,
    wrench,
)
from boa_control.messages.message_columns import contact_runs
from boa_control.messages.topics import CONTACTS, SIM_CONTACTS
from boa_control.plant import FLOOR, ContactTruth, TruthColumns
from boa_description.arrays import Array, Indices
from boa_description.frames import WORLD
from boa_description.quaternion import from_x_axis, rotated, yaw_quaternion
from boa_description.robot import Robot

MULTI_DOF = "sensor_msgs/msg/MultiDOFJointState"
Key = tuple[int, int | None]  # link and obstacle, counted from 0
UNKNOWN = -1  # an obstacle that is not known, in columns
MOST_DIGITS = 9  # of the number of an obstacle


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

    def __init__(self, robot: Robot, frame: str, topic: str) -> None:
        self._links = robot.link_names
        self._frame = frame
        self._topic = topic
        self._template = lru_cache(MOST_LAYOUTS)(self._new_template)
        self._newest: tuple[Template, tuple[Key, ...]] | None = None  # of the last message read

    def name(self, key: Key) -> str:
        """How a contact is called, e.g. `link_05/obstacle_07`."""
        link, obstacle = key
        if obstacle is None:
            return self._links[link]
        return f"{self._links[link]}/" + (
            "floor" if obstacle == FLOOR else f"obstacle_{obstacle:02d}"
        )

    def encode_many(
        self, stamps_ns: Sequence[int], keys: Keys, point: Array, turn: Array, force: Array
    ) -> list[bytes]:
        """Serialise the contacts of many ticks.

        Args:
            keys: of all contacts (R,), in order of the ticks.
            point: shape (R, 3), m. turn: (R, 4), from the x axis to the normal. force: (R, 3), N.
        """
        pose, push = np.zeros((len(point), 7)), np.zeros((len(point), 6))
        pose[:, :3], pose[:, 3:], push[:, :3] = point, turn, force
        raws: list[bytes] = []
        for ticks, rows, size in contact_runs(len(stamps_ns), keys.tick, keys[1:]):
            alike = keys.of(slice(rows.start, rows.start + size))
            stamps = stamps_ns[ticks]
            raws += self._template(alike).write_many(
                stamps,
                pose=pose[rows].reshape(len(stamps), size, 7),
                wrench=push[rows].reshape(len(stamps), size, 6),
            )
        return raws

    def decode_many(self, raws: Sequence[bytes]) -> tuple[Keys, Array, Array, Array]:
        """Names, points (R, 3), turns (R, 4) and forces (R, 3) of the contacts of many messages, as
        given to `encode_many`; a contact's tick is the place of its message among them.

        Raises:
            MessageError: not such a message, or a name that is no link of this robot.
        """
        keys = np.zeros((0, 3), np.intp)
        pose, push = np.zeros((0, 7)), np.zeros((0, 3))
        parts = [(keys, pose, push)]
        tick = 0
        for names, run, known in same_layout(raws, self._layout_of):
            if known is not None:
                pose, push = known[1]["pose"], known[1]["wrench"][..., :3]
            else:
                pose, push = self._read(run[0])
            keys = np.empty((len(run), len(names), 3), np.intp)
            keys[..., 0] = tick + np.arange(len(run))[:, None]
            keys[..., 1] = [link for link, _ in names]
            keys[..., 2] = [UNKNOWN if obstacle is None else obstacle for _, obstacle in names]
            parts.append((keys.reshape(-1, 3), pose.reshape(-1, 7), push.reshape(-1, 3)))
            tick += len(run)
        keys, pose, push = map(np.concatenate, zip(*parts, strict=True))
        return Keys(*keys.T), pose[:, :3], pose[:, 3:], push

    def _layout_of(self, raw: bytes) -> tuple[Template, tuple[Key, ...]]:
        """Template and names of a message, most often those of the one before."""
        if self._newest is None or not self._newest[0].fits(raw):
            keys = tuple(map(self._key, deserialize(raw, MULTI_DOF).joint_names))
            self._newest = self._template(keys), keys
        return self._newest

    def _read(self, raw: bytes) -> tuple[Array, Array]:
        """Poses (n, 7) and forces (n, 3) field by field: somebody else's way of writing."""
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
        pose = np.hstack((np.array(shift).reshape(count, 3), np.array(turn).reshape(count, 4)))
        return pose, np.array(push).reshape(count, 3)

    def _key(self, name: str) -> Key:
        link, _, obstacle = name.partition("/")
        if link in self._links and obstacle == "floor":
            return self._links.index(link), FLOOR
        number = obstacle.removeprefix("obstacle_")
        known = not obstacle or (number.isdecimal() and len(number) <= MOST_DIGITS)
        if link not in self._links or not known:
            raise MessageError(
                f"{self._topic}: '{name}' is no contact of this robot; expected {self._links[0]} "
                f"to {self._links[-1]}, or e.g. {self._links[0]}/obstacle_07"
            )
        return self._links.index(link), int(number) if obstacle else None

    def _new_template(self, keys: tuple[Key, ...]) -> Template:
        names = [self.name(key) for key in keys]
        return Template(lambda mark: _build(mark, names, self._frame))


def _build(mark: Mark, names: list[str], frame: str) -> Any:
    transforms = [transform(row) for row in mark("pose", len(names), 7)]
    wrenches = [wrench(row) for row in mark("wrench", len(names), 6)]
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

    def __init__(self, robot: Robot) -> None:
        self._contacts = ContactsCodec(robot, "", CONTACTS.name)
        self._radius = robot.link.radius

    def name(self, key: Key) -> str:
        """As of `ContactsCodec`."""
        return self._contacts.name(key)

    def encode_many(self, stamps_ns: Sequence[int], contacts: EstimateColumns) -> list[bytes]:
        """Serialise the estimates of many ticks at once."""
        point, force = np.zeros((2, contacts.side.size, 3))
        point[:, 0], point[:, 1] = contacts.offset, contacts.side * self._radius
        force[:, 1] = -contacts.side * contacts.force
        keys = Keys(contacts.report, contacts.link, contacts.obstacle)
        turn = yaw_quaternion(-contacts.side * np.pi / 2)
        return self._contacts.encode_many(stamps_ns, keys, point, turn, force)

    def decode_many(self, raws: Sequence[bytes]) -> EstimateColumns:
        """The estimates of many messages. Raises MessageError."""
        keys, point, _, force = self._contacts.decode_many(raws)
        side = np.where(point[:, 1] < 0, -1, 1)
        unknown = np.full(len(side), np.nan)
        return EstimateColumns(
            report=keys.tick,
            obstacle=keys.obstacle,
            link=keys.link,
            offset=point[:, 0],
            side=side,
            force=-side * force[:, 1],
            force_std=unknown,
            reference=unknown,
            established=np.ones(len(side), bool),
        )


class TrueContactsCodec:
    """Topic sim/contacts: true contacts."""

    def __init__(self, robot: Robot) -> None:
        self._contacts = ContactsCodec(robot, WORLD, SIM_CONTACTS.name)

    def encode_many(self, stamps_ns: Sequence[int], contacts: TruthColumns) -> list[bytes]:
        """Serialise the true contacts of many ticks at once."""
        keys = Keys(contacts.report, contacts.link, contacts.obstacle)
        turn = from_x_axis(contacts.normal)
        return self._contacts.encode_many(stamps_ns, keys, contacts.point, turn, contacts.force)

    def decode(self, raw: bytes) -> tuple[int, tuple[ContactTruth, ...]]:
        """Return stamp (ns) and true contacts. Raises MessageError."""
        return stamp_of(raw), tuple(self.decode_many((raw,)).singles())

    def decode_many(self, raws: Sequence[bytes]) -> TruthColumns:
        """The true contacts of many messages."""
        keys, point, turn, force = self._contacts.decode_many(raws)
        if nameless := keys.link[keys.obstacle == UNKNOWN].tolist():
            raise MessageError(
                f"a true contact of link {nameless[0] + 1} does not name its obstacle"
            )
        normal = rotated(turn, np.array([1.0, 0.0, 0.0]))
        along = np.sum(force * normal, axis=1)
        friction = force - along[:, None] * normal
        return TruthColumns(*keys, point, normal, along, friction)
