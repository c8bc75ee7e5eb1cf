# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a chain of capsules touches obstacles: gaps, points, normals and gap Jacobians (planar,
vectorised).

A capsule is its spine (the segment from joint axis to joint axis) widened by the link radius, so
every distance is that between the spine and the obstacle minus the radius. Generalised coordinates
are q = [x, y, theta_1, phi_1 .. phi_{n-1}] (docs/architecture.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boa_description.arrays import Array, Flags
from boa_description.chain import link_headings, spine_points
from boa_description.robot import Robot
from boa_description.scene import Box, Circle, Obstacle, Wall

Indices = NDArray[np.int_]
Pair = tuple[int, int]  # obstacle, link

CORNERS = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])


@dataclass(frozen=True, slots=True)
class ChainPose:
    """Where all links are.

    Attributes:
        cos, sin: shape (n,), of the link headings.
        axes: shape (n + 1, 2), ends of the link spines from tail to head, m; row i is the tail-side
            end of link i.
        pitch, radius: of the links, m.
    """

    cos: Array
    sin: Array
    axes: Array
    pitch: float
    radius: float


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Area of a box or a wall: its index among the obstacles, centre and half sizes (2,), m,
    heading, rad.
    """

    index: int
    centre: Array
    half: Array
    heading: float

    def gaps(self, points: Array) -> Array:
        """From points (n, 2) to its edge, shape (n,), m; negative inside."""
        local = _turned(points - self.centre, np.cos(self.heading), -np.sin(self.heading))
        return _outside_box(local, self.half)[1]


@dataclass(frozen=True, slots=True)
class ObstacleMap:
    """Obstacles, sorted for fast distance computation.

    Attributes:
        round: shape (k,), which obstacles are circles; centre: shape (k, 2), m; radius: shape (k,),
            m.
        flat: boxes and walls.
    """

    round: Indices
    centre: Array
    radius: Array
    flat: tuple[Rectangle, ...]

    @classmethod
    def of(cls, obstacles: Sequence[Obstacle]) -> ObstacleMap:
        """Sort `obstacles`; their order gives the index."""
        circles = [
            (index, shape) for index, shape in enumerate(obstacles) if isinstance(shape, Circle)
        ]
        return cls(
            np.array([index for index, _ in circles], dtype=int),
            np.array([(shape.x, shape.y) for _, shape in circles], float).reshape(-1, 2),
            np.array([shape.radius for _, shape in circles], float),
            tuple(
                Rectangle(index, *box_frame(shape))
                for index, shape in enumerate(obstacles)
                if not isinstance(shape, Circle)
            ),
        )

    def gaps(self, points: Array) -> Array:
        """From points (n, 2) to the nearest obstacle, shape (n,), m; negative inside, infinite
        without any.
        """
        apart = np.linalg.norm(points[:, None] - self.centre, axis=2) - self.radius
        flat = [box.gaps(points) for box in self.flat]
        smallest: Array = np.min([apart.min(axis=1, initial=np.inf), *flat], axis=0)
        return smallest


@dataclass(frozen=True, slots=True)
class LinkContacts:
    """Pairs of link and obstacle, described in the frame of the link, so independent of where the
    robot is.

    The link frame starts at the tail-side joint axis of the link, x to the head, y left.

    Attributes:
        link: shape (nc,), index of the link, 0 = tail.
        obstacle: shape (nc,), index in the map.
        offset: shape (nc,), where the spine comes closest, from the tail-side joint, m.
        normal: shape (nc, 2), unit, from the obstacle to the link.
        gap: shape (nc,), distance between the surfaces, m; negative when they overlap.
        radius: radius of the links, m.
    """

    link: Indices
    obstacle: Indices
    offset: Array
    normal: Array
    gap: Array
    radius: float

    def __len__(self) -> int:
        return self.link.size

    @property
    def point(self) -> Array:
        """Contact points on the link surface, link frame, shape (nc, 2), m."""
        point: Array = -self.radius * self.normal
        point[:, 0] += self.offset
        return point

    @property
    def side(self) -> Indices:
        """+1 where the obstacle is on the left of the link, -1 on the right, shape (nc,)."""
        return np.where(self.normal[:, 1] <= 0, 1, -1)

    @property
    def pairs(self) -> list[Pair]:
        """Obstacle and link of every contact."""
        return list(zip(self.obstacle.tolist(), self.link.tolist(), strict=True))

    def select(self, index: Indices | Flags) -> LinkContacts:
        """The contacts at `index`, in that order."""
        return LinkContacts(
            self.link[index],
            self.obstacle[index],
            self.offset[index],
            self.normal[index],
            self.gap[index],
            self.radius,
        )


def chain_pose(robot: Robot, base: Array, joints: Array) -> ChainPose:
    """Pose of all links.

    Args:
        base: shape (3,), x, y of the tail-side end of link 1 and its heading, m and rad.
        joints: shape (n_joints,), rad.
    """
    theta = link_headings(base, joints)
    cos = np.cos(theta)
    sin = np.sin(theta)
    axes = spine_points(robot.link.pitch, base[:2], cos, sin)
    return ChainPose(cos, sin, axes, robot.link.pitch, robot.link.radius)


def find_contacts(chain: ChainPose, obstacles: ObstacleMap, within: float) -> LinkContacts:
    """All pairs of link and obstacle that are closer than `within` (m), ordered by obstacle, then
    link.

    Where an obstacle touches the end sphere that two neighbouring links share, only the tail-side
    link counts.
    """
    n = chain.cos.size
    link = np.tile(np.arange(n), obstacles.round.size)
    contacts = _round_contacts(
        chain, obstacles, link, np.repeat(np.arange(obstacles.round.size), n)
    )
    parts = [contacts.select(contacts.gap < within)]
    for rectangle in obstacles.flat:
        part = _flat_contacts(chain, rectangle, np.arange(n))
        parts.append(part.select(part.gap < within))
    found = parts[0] if len(parts) == 1 else _in_order(parts)
    repeats = _shared_sphere(found, chain.pitch)
    return found.select(~repeats) if repeats.any() else found


def measure_contacts(chain: ChainPose, obstacles: ObstacleMap, pairs: LinkContacts) -> LinkContacts:
    """The same pairs of link and obstacle as in `pairs`, in the same order, measured anew at
    another pose.
    """
    position = np.searchsorted(obstacles.round, pairs.obstacle)
    if not obstacles.flat:
        return _round_contacts(chain, obstacles, pairs.link, position)
    gap, offset, normal = np.zeros(len(pairs)), np.zeros(len(pairs)), np.zeros((len(pairs), 2))
    is_round = np.isin(pairs.obstacle, obstacles.round)
    parts = [
        (is_round, _round_contacts(chain, obstacles, pairs.link[is_round], position[is_round]))
    ]
    for rectangle in obstacles.flat:
        chosen = pairs.obstacle == rectangle.index
        parts.append((chosen, _flat_contacts(chain, rectangle, pairs.link[chosen])))
    for chosen, part in parts:
        gap[chosen], offset[chosen], normal[chosen] = part.gap, part.offset, part.normal
    return LinkContacts(pairs.link, pairs.obstacle, offset, normal, gap, pairs.radius)


def gap_jacobian(chain: ChainPose, contacts: LinkContacts) -> Array:
    """Derivative of the gaps with respect to q, shape (nc, n + 2).

    A normal force lam >= 0 on the links acts on the generalised coordinates as +J' lam.
    """
    n, link = chain.cos.size, contacts.link
    cos, sin = chain.cos[link], chain.sin[link]
    local_x, local_y = contacts.normal[:, 0], contacts.normal[:, 1]
    jacobian = np.empty((len(contacts), n + 2))
    jacobian[:, 0] = normal_x = cos * local_x - sin * local_y
    jacobian[:, 1] = normal_y = sin * local_x + cos * local_y
    # the line of the force passes through the spine; turning link i turns everything beyond its
    # tail-side axis
    spine_x = chain.axes[link, 0] + contacts.offset * cos
    spine_y = chain.axes[link, 1] + contacts.offset * sin
    moment = spine_x * normal_y - spine_y * normal_x
    jacobian[:, 2:] = (
        moment[:, None]
        - np.outer(normal_y, chain.axes[:-1, 0])
        + np.outer(normal_x, chain.axes[:-1, 1])
    )
    jacobian[:, 2:][np.arange(n) > link[:, None]] = 0.0
    return jacobian


def _round_contacts(
    chain: ChainPose, obstacles: ObstacleMap, link: Indices, position: Indices
) -> LinkContacts:
    """Links against circles, pair by pair; `position` counts the circles only."""
    cos, sin = chain.cos[link], chain.sin[link]
    towards = obstacles.centre[position] - chain.axes[link]
    along = cos * towards[:, 0] + sin * towards[:, 1]
    across = cos * towards[:, 1] - sin * towards[:, 0]
    offset = np.minimum(np.maximum(along, 0.0), chain.pitch)
    normal = np.empty((link.size, 2))
    normal[:, 0], normal[:, 1] = offset - along, -across
    distance = np.hypot(normal[:, 0], normal[:, 1])
    normal /= np.maximum(distance, 1e-12)[:, None]
    gap = distance - (obstacles.radius[position] + chain.radius)
    return LinkContacts(link, obstacles.round[position], offset, normal, gap, chain.radius)


def _flat_contacts(chain: ChainPose, box: Rectangle, link: Indices) -> LinkContacts:
    """Links against a rectangle: closest is a spine end against the rectangle, a corner against a
    spine, or, where a spine runs through it, the middle of the piece inside.
    """
    cos, sin = chain.cos[link], chain.sin[link]
    box_cos, box_sin = np.cos(box.heading), np.sin(box.heading)
    ends = np.stack((chain.axes[link], chain.axes[link + 1])) - box.centre
    ends = _turned(ends, box_cos, -box_sin)
    share, through = _middle_inside(ends, box.half)
    points = np.concatenate((ends, ends[:1] + share[:, None] * (ends[1:] - ends[:1])))
    outward, end_distance = _outside_box(points, box.half)
    end_distance[2, ~through] = np.inf
    corners = box.centre + _turned(box.half * CORNERS, box_cos, box_sin)
    seen = _turned(corners[:, None, :] - chain.axes[link], cos, -sin)
    foot = np.clip(seen[..., 0], 0.0, chain.pitch)
    towards = np.stack((foot - seen[..., 0], -seen[..., 1]), axis=-1)
    corner_distance = np.hypot(towards[..., 0], towards[..., 1])
    # seven candidates for every link
    tail = np.zeros((1, link.size))
    offset = np.concatenate((tail, tail + chain.pitch, share[None] * chain.pitch, foot))
    distance = np.concatenate((end_distance, corner_distance))
    end_normal = _turned(_turned(outward, box_cos, box_sin), cos, -sin)
    normal = np.concatenate((end_normal, towards / np.maximum(corner_distance, 1e-12)[..., None]))
    best = distance.argmin(axis=0), np.arange(link.size)
    gap = distance[best] - chain.radius
    return LinkContacts(
        link, np.full(link.size, box.index), offset[best], normal[best], gap, chain.radius
    )


def _middle_inside(ends: Array, half: Array) -> tuple[Array, Flags]:
    """Where segments run through a rectangle of half sizes `half` around the origin.

    Args:
        ends: shape (2, n, 2), first and second ends.

    Returns:
        share of the length at which the middle of the piece inside lies, shape (n,); whether there
        is one.
    """
    step = ends[1] - ends[0]
    step = np.where(step == 0.0, 1e-300, step)  # along a face: enters and leaves it at infinity
    faces = (np.stack((-half, half))[:, None, :] - ends[0]) / step
    enter = np.maximum(faces.min(axis=0).max(axis=-1), 0.0)
    leave = np.minimum(faces.max(axis=0).min(axis=-1), 1.0)
    through: Flags = enter < leave
    return np.where(through, (enter + leave) / 2, 0.0), through


def _turned(vectors: Array, cos: Array | float, sin: Array | float) -> Array:
    """Vectors, shape (..., 2), turned counter-clockwise by the angle with this cosine and sine."""
    x, y = vectors[..., 0], vectors[..., 1]
    turned: Array = np.stack((cos * x - sin * y, sin * x + cos * y), axis=-1)
    return turned


def _outside_box(point: Array, half: Array) -> tuple[Array, Array]:
    """Outward direction and signed distance of points (..., 2) in the frame of a rectangle of half
    sizes `half`.
    """
    beyond = np.abs(point) - half
    sign = np.where(point < 0, -1.0, 1.0)
    outside = np.maximum(beyond, 0.0)
    length = np.hypot(outside[..., 0], outside[..., 1])
    deepest = beyond.max(axis=-1)
    face = (beyond == deepest[..., None]).astype(float)  # inside: the nearest face
    inside = length == 0.0
    direction = (
        np.where(inside[..., None], face, outside / np.where(inside, 1.0, length)[..., None]) * sign
    )
    return direction, np.where(inside, deepest, length)


def box_frame(box: Box | Wall) -> tuple[Array, Array, float]:
    """Centre (m), half sizes (m) and heading (rad) of the rectangle that a box or a wall
    occupies.
    """
    if isinstance(box, Box):
        return np.array([box.x, box.y]), np.array([box.length, box.width]) / 2, box.heading
    along = np.array([box.x2 - box.x1, box.y2 - box.y1])
    length = float(np.hypot(*along))
    centre = np.array([box.x1 + box.x2, box.y1 + box.y2]) / 2
    return centre, np.array([length, box.thickness]) / 2, float(np.arctan2(along[1], along[0]))


def _in_order(parts: Sequence[LinkContacts]) -> LinkContacts:
    """All parts together, ordered by obstacle, then link."""
    link = np.concatenate([part.link for part in parts])
    obstacle = np.concatenate([part.obstacle for part in parts])
    together = LinkContacts(
        link,
        obstacle,
        np.concatenate([part.offset for part in parts]),
        np.vstack([part.normal for part in parts]),
        np.concatenate([part.gap for part in parts]),
        parts[0].radius,
    )
    return together.select(np.lexsort((link, obstacle)))


def _shared_sphere(contacts: LinkContacts, pitch: float) -> Flags:
    """Which pairs repeat the pair before them: same obstacle, end sphere of one link = start sphere
    of the next.
    """
    repeats = np.zeros(len(contacts), dtype=bool)
    repeats[1:] = (
        (contacts.obstacle[1:] == contacts.obstacle[:-1])
        & (contacts.link[1:] == contacts.link[:-1] + 1)
        & (contacts.offset[:-1] >= pitch)
        & (contacts.offset[1:] <= 0.0)
    )
    return repeats
