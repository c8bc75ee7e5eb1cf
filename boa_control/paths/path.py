# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planned path: a curve for the joints to follow, and the obstacles that carry the robot."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np

from boa_description.arrays import Array
from boa_description.scene import Circle


@dataclass(frozen=True, slots=True)
class Repeat:
    """The symmetry of a curve: p(s + length) = R(rotation) p(s) + translation.

    Either `rotation` is about the origin (circular paths; a multiple of 2 pi for any closed curve)
    and `translation` is zero, or the other way round. phi_ref(s) is therefore periodic in `length`.
    """

    length: float
    rotation: float = 0.0
    translation: tuple[float, float] = (0.0, 0.0)


class Curve(Protocol):
    """A plane curve in arc length. On a closed curve any real `s` is valid (wrapped by `length`).

    An open curve continues beyond its ends (by its own pattern or straight on), so that a chain can
    be placed there; nothing stands along that part.
    """

    @property
    def length(self) -> float:
        """Length of the curve (one lap when closed), m."""

    @property
    def closed(self) -> bool:
        """Whether the end meets the start."""

    @property
    def repeat(self) -> Repeat | None:
        """The symmetry of the curve; None when it has none."""

    def position(self, s: Array) -> Array:
        """Points, shape (..., 2), m, for arc lengths s, shape (...)."""

    def heading(self, s: Array) -> Array:
        """Direction of travel, rad, continuous in s (not wrapped)."""

    def curvature(self, s: Array) -> Array:
        """Signed curvature, 1/m, left turn positive."""


def point_at(curve: Curve, s: float) -> tuple[float, float]:
    """The point of a curve at an arc length s, m."""
    x, y = curve.position(np.array([s]))[0].tolist()
    return x, y


@dataclass(frozen=True, slots=True)
class PathContact:
    """A contact of a path: a post, and where and on which side the path touches it.

    Attributes:
        x, y, radius: of the post, m.
        s: arc length of the path point it touches, m.
        side: +1 left of the path, -1 right.
        name: of the post, as on the map of its user.
        std: standard deviation of the post's place per axis, m; None: the map does not say.
    """

    x: float
    y: float
    radius: float
    s: float
    side: int
    name: str | None = None
    std: float | None = None


NO_NAMES: Mapping[int, str] = MappingProxyType({})  # of posts by number: they have none


@dataclass(frozen=True, slots=True)
class PlannedPath:
    """A curve with its contacts in order of s. On a closed path s is in [0, length).

    A path may touch one post several times: contacts at the same x and y are contacts with one
    post.

    Attributes:
        contacts: with the posts, which carry.
        bystanders: posts of the map that the robot passes without touching.
        numbers: of each of `posts` in the map of a run that began on another path; empty: their
            own order.
    """

    curve: Curve
    contacts: tuple[PathContact, ...]
    bystanders: tuple[Circle, ...] = ()
    numbers: tuple[int, ...] = ()

    @property
    def posts(self) -> tuple[Circle, ...]:
        """Every post once: those that carry in order of their first contact, then the
        bystanders.
        """
        carrying = {(at.x, at.y): at for at in self.contacts}
        circles = (
            Circle(x=x, y=y, radius=at.radius, name=at.name, std=at.std)
            for (x, y), at in carrying.items()
        )
        return (*circles, *self.bystanders)

    @property
    def post_of(self) -> tuple[int, ...]:
        """Index of each contact's post in `posts`, or in the map that gave the `numbers`."""
        index: dict[tuple[float, float], int] = {}
        own = tuple(index.setdefault((at.x, at.y), len(index)) for at in self.contacts)
        return tuple(self.numbers[post] for post in own) if self.numbers else own

    @property
    def names(self) -> dict[int, str]:
        """Of the posts that have one, by their numbers on the map."""
        posts = self.posts
        return {
            number: post.name
            for number, post in zip(self.numbers or range(len(posts)), posts, strict=True)
            if post.name is not None
        }
