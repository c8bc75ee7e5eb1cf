# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forces on the links as arrows: visualization_msgs/MarkerArray.

An arrow begins where the force acts and is lifted above robot and posts, which would hide it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from boa_control.controller import ContactEstimate
from boa_control.messages.cdr import MARKED_NS, MOST_LAYOUTS, Mark, Template, message, point
from boa_control.messages.markers import ARROW, DELETE_ALL, OBSTACLE_HEIGHT, Colour, marker
from boa_control.messages.topics import CONTACT_FORCE_MARKERS
from boa_control.plant import ContactTruth
from boa_description.arrays import Array
from boa_description.colours import ESTIMATED_FORCE, JOINT_FORCE, TRUE_FORCE, rgb
from boa_description.frames import WORLD, force_frame
from boa_description.robot import Robot

Told = TypeVar("Told")
FORCE_SCALE = 0.01  # m/N; an arrow of 100 mm is a force of 10 N
HEIGHT = OBSTACLE_HEIGHT + 0.01  # m in the world
SIZE = (0.008, 0.02, 0.03)  # m; diameters of shaft and head, length of the head

ESTIMATED: Colour = (*rgb(ESTIMATED_FORCE), 1.0)
TRUE: Colour = (*rgb(TRUE_FORCE), 1.0)
MEASURED: Colour = (*rgb(JOINT_FORCE), 1.0)


class Arrows(NamedTuple):
    """The arrows of one instant.

    Attributes:
        frames: the frame in which each is given, n of them.
        at: shape (n, 3), where the forces act, m.
        force: shape (n, 3), N.
    """

    frames: tuple[str, ...]
    at: Array
    force: Array


class ForceArrows(ABC, Generic[Told]):
    """What is told of an instant as arrows; a template is kept for every set of them that occurs.

    Args:
        namespace: of the markers.
    """

    def __init__(self, namespace: str, colour: Colour) -> None:
        self._namespace = namespace
        self._colour = colour
        self._template = lru_cache(MOST_LAYOUTS)(
            lambda frames: Template(lambda mark: self._build(mark, frames))
        )

    @abstractmethod
    def arrows(self, told: Told) -> Arrows:
        """Of one instant; a force that is not known has none."""

    def encode(self, stamp_ns: int, told: Told) -> bytes:
        """Serialise the arrows of one instant; they replace those of the one before."""
        return self.encode_many((stamp_ns,), (told,))[0]

    def encode_many(self, stamps_ns: Sequence[int], told: Iterable[Told]) -> list[bytes]:
        """The same of some instants."""
        raws: list[bytes] = []
        given = zip(stamps_ns, map(self.arrows, told), strict=True)
        for frames, run in groupby(given, key=lambda one: one[1].frames):
            stamps, alike = zip(*run, strict=True)
            at = np.array([one.at for one in alike])
            force = np.array([one.force for one in alike])
            ends = np.stack((at, at + FORCE_SCALE * force), axis=2)
            numbers = {str(index): ends[:, index] for index in range(len(frames))}
            raws += self._template(frames).write_many(stamps, **numbers)
        return raws

    def _build(self, mark: Mark, frames: tuple[str, ...]) -> Any:
        markers = [marker(MARKED_NS, WORLD, self._namespace, action=DELETE_ALL)]
        for index, frame in enumerate(frames):
            ends = [point(end) for end in mark(str(index), 2, 3)]
            markers.append(
                marker(
                    MARKED_NS,
                    frame,
                    self._namespace,
                    index,
                    type=ARROW,
                    scale=SIZE,
                    colour=self._colour,
                    points=ends,
                )
            )
        return message(CONTACT_FORCE_MARKERS.msgtype, markers=markers)


class ContactForceArrows(ForceArrows[Sequence[ContactEstimate]]):
    """contact_force_markers: estimated forces of the obstacles, in the frames of the links."""

    def __init__(self, robot: Robot) -> None:
        super().__init__("contact_forces", ESTIMATED)
        self._frames = tuple(map(robot.frame, robot.link_names))
        self._radius = robot.link.radius

    def arrows(self, told: Sequence[ContactEstimate]) -> Arrows:
        known = [contact for contact in told if np.isfinite(contact.force)]
        height = HEIGHT - self._radius
        at = [(contact.offset, contact.side * self._radius, height) for contact in known]
        force = [(0.0, -contact.side * contact.force, 0.0) for contact in known]
        frames = tuple(self._frames[contact.link] for contact in known)
        return Arrows(frames, _rows(at), _rows(force))


class TrueContactForceArrows(ForceArrows[Sequence[ContactTruth]]):
    """sim/contact_force_markers: true forces of the obstacles, in the world frame."""

    def __init__(self) -> None:
        super().__init__("true_contact_forces", TRUE)

    def arrows(self, told: Sequence[ContactTruth]) -> Arrows:
        at = [(*contact.point[:2], HEIGHT) for contact in told]
        force = [contact.force for contact in told]
        return Arrows((WORLD,) * len(told), _rows(at), _rows(force))


class JointForceArrows(ForceArrows[Array]):
    """joint_force_markers: force of link i + 1 on link i at joint i, shape (n_joints, 3), N, in the
    sensors' frames.
    """

    def __init__(self, robot: Robot) -> None:
        super().__init__("joint_forces", MEASURED)
        self._frames = tuple(robot.frame(force_frame(joint)) for joint in robot.joint_names)
        self._height = HEIGHT - robot.link.radius

    def arrows(self, told: Array) -> Arrows:
        force = told.copy()
        force[:, 2] = np.nan_to_num(force[:, 2])  # boards of the robot send none along z
        known = np.flatnonzero(np.all(np.isfinite(force), axis=1))
        at = np.tile((0.0, 0.0, self._height), (len(known), 1))
        frames = tuple(self._frames[joint] for joint in known)
        return Arrows(frames, at, force[known])


def _rows(values: Sequence[tuple[float, ...] | Array]) -> Array:
    return np.array(values, dtype=np.float64).reshape(-1, 3)
