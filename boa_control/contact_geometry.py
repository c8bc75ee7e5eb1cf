"""Where a chain of capsules touches obstacles: gaps, points, normals and gap Jacobians (planar, vectorised).

A capsule is its spine (the segment from joint axis to joint axis) widened by the link radius, so every
distance is that between the spine and the obstacle minus the radius. Generalised coordinates are
q = [x, y, theta_1, phi_1 .. phi_{n-1}] (docs/architecture.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boa_description.robot import Robot
from boa_description.scene import Box, Circle, Wall

Array = NDArray[np.float64]
Indices = NDArray[np.int_]


@dataclass(frozen=True, slots=True)
class LinkContacts:
    """Pairs of link and obstacle, described in the frame of the link, so independent of where the robot is.

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

    def select(self, index: Indices | NDArray[np.bool_]) -> LinkContacts:
        """The contacts at `index`, in that order."""
        return LinkContacts(
            self.link[index],
            self.obstacle[index],
            self.offset[index],
            self.normal[index],
            self.gap[index],
            self.radius,
        )


def headings(base: Array, joints: Array) -> Array:
    """Heading of every link, shape (n,), rad."""
    theta: Array = np.concatenate(([base[2]], base[2] + np.cumsum(joints)))
    return theta


def joint_axes(pitch: float, base: Array, theta: Array) -> Array:
    """Ends of the link spines from tail to head, shape (n + 1, 2), m; row i is the tail-side end of link i."""
    steps = pitch * np.column_stack((np.cos(theta), np.sin(theta)))
    axes: Array = np.vstack((base[:2], base[:2] + np.cumsum(steps, axis=0)))
    return axes


def find_contacts(
    robot: Robot,
    base: Array,
    joints: Array,
    obstacles: Sequence[Circle | Box | Wall],
    within: float,
) -> LinkContacts:
    """All pairs of link and obstacle that are closer than `within` (m), ordered by obstacle, then link.

    Where an obstacle touches the end sphere that two neighbouring links share, only the tail-side link counts.

    Args:
        base: shape (3,), x, y, heading of link 1.
        joints: shape (n_joints,), rad.
    """
    theta = headings(base, joints)
    axes = joint_axes(robot.link.pitch, base, theta)
    every = np.ones((len(obstacles), robot.links), dtype=bool)
    contacts = _measure(robot, axes, theta, obstacles, *np.nonzero(every))
    near = contacts.gap < within
    return contacts.select(near & ~_shared_sphere(contacts, robot.link.pitch))


def measure_contacts(
    robot: Robot,
    base: Array,
    joints: Array,
    obstacles: Sequence[Circle | Box | Wall],
    pairs: LinkContacts,
) -> LinkContacts:
    """The same pairs of link and obstacle as in `pairs`, measured anew at another pose."""
    theta = headings(base, joints)
    axes = joint_axes(robot.link.pitch, base, theta)
    return _measure(robot, axes, theta, obstacles, pairs.obstacle, pairs.link)


def gap_jacobian(pitch: float, base: Array, joints: Array, contacts: LinkContacts) -> Array:
    """Derivative of the gaps with respect to q, shape (nc, n + 2).

    A normal force lam >= 0 on the links acts on the generalised coordinates as +J' lam.
    """
    theta = headings(base, joints)
    axes = joint_axes(pitch, base, theta)
    normal = rotate(contacts.normal, theta[contacts.link])
    point = axes[contacts.link] + rotate(contacts.point, theta[contacts.link])
    # turning link i turns everything beyond its tail-side axis; q has one angle per link
    arm = point[:, None, :] - axes[None, :-1, :]
    turning = arm[..., 0] * normal[:, None, 1] - arm[..., 1] * normal[:, None, 0]
    turning[np.arange(theta.size)[None, :] > contacts.link[:, None]] = 0.0
    jacobian: Array = np.hstack((normal, turning))
    return jacobian


def rotate(vectors: Array, angle: Array) -> Array:
    """Vectors, shape (m, 2), turned by `angle`, shape (m,), counter-clockwise."""
    cos, sin = np.cos(angle), np.sin(angle)
    turned: Array = np.column_stack(
        (cos * vectors[:, 0] - sin * vectors[:, 1], sin * vectors[:, 0] + cos * vectors[:, 1])
    )
    return turned


def _measure(
    robot: Robot,
    axes: Array,
    theta: Array,
    obstacles: Sequence[Circle | Box | Wall],
    obstacle: Indices,
    link: Indices,
) -> LinkContacts:
    """Offset, normal and gap of the given pairs."""
    pitch, size = robot.link.pitch, obstacle.size
    offset, normal, distance = np.zeros(size), np.zeros((size, 2)), np.zeros(size)
    for index, shape in enumerate(obstacles):
        chosen = np.flatnonzero(obstacle == index)
        if not chosen.size:
            continue
        tail, heading = axes[link[chosen]], theta[link[chosen]]
        if isinstance(shape, Circle):
            found = _closest_on_circle(shape, tail, heading, pitch)
        else:
            found = _closest_on_box(shape, tail, heading, pitch)
        offset[chosen], normal[chosen], distance[chosen] = found
    return LinkContacts(link, obstacle, offset, normal, distance - robot.link.radius, robot.link.radius)


def _closest_on_circle(circle: Circle, tail: Array, theta: Array, pitch: float) -> tuple[Array, Array, Array]:
    centre = rotate(np.array([circle.x, circle.y]) - tail, -theta)
    offset = np.clip(centre[:, 0], 0.0, pitch)
    towards = np.column_stack((offset - centre[:, 0], -centre[:, 1]))
    distance = np.hypot(towards[:, 0], towards[:, 1])
    return offset, towards / np.maximum(distance, 1e-12)[:, None], distance - circle.radius


def _closest_on_box(box: Box | Wall, tail: Array, theta: Array, pitch: float) -> tuple[Array, Array, Array]:
    """Closest points of spines and a rectangle: a spine end against the rectangle, or a corner against a spine."""
    centre, half, heading = box_frame(box)
    offset, normal, distance = np.zeros(len(tail)), np.zeros((len(tail), 2)), np.full(len(tail), np.inf)

    def keep(candidate_offset: Array, towards: Array, signed: Array) -> None:
        closer = signed < distance
        offset[closer], distance[closer] = candidate_offset[closer], signed[closer]
        normal[closer] = towards[closer]

    for end in (0.0, pitch):
        at = tail + end * np.column_stack((np.cos(theta), np.sin(theta)))
        outward, signed = _outside_box(rotate(at - centre, np.full(len(tail), -heading)), half)
        keep(np.full(len(tail), end), rotate(outward, heading - theta), signed)
    for corner in half * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]):
        at = centre + rotate(corner[None, :], np.array([heading]))
        seen = rotate(at - tail, -theta)
        foot = np.clip(seen[:, 0], 0.0, pitch)
        towards = np.column_stack((foot - seen[:, 0], -seen[:, 1]))
        length = np.hypot(towards[:, 0], towards[:, 1])
        keep(foot, towards / np.maximum(length, 1e-12)[:, None], length)
    return offset, normal, distance


def _outside_box(point: Array, half: Array) -> tuple[Array, Array]:
    """Outward direction and signed distance of points, given in the frame of a rectangle of half sizes `half`."""
    beyond = np.abs(point) - half
    sign = np.where(point < 0, -1.0, 1.0)
    outside = np.maximum(beyond, 0.0)
    length = np.hypot(outside[:, 0], outside[:, 1])
    face = (beyond == beyond.max(axis=1, keepdims=True)).astype(float)  # inside: the nearest face
    inside = length == 0.0
    direction = np.where(inside[:, None], face, outside / np.where(inside, 1.0, length)[:, None]) * sign
    return direction, np.where(inside, beyond.max(axis=1), length)


def box_frame(box: Box | Wall) -> tuple[Array, Array, float]:
    """Centre (m), half sizes (m) and heading (rad) of the rectangle that a box or a wall occupies."""
    if isinstance(box, Box):
        return np.array([box.x, box.y]), np.array([box.length, box.width]) / 2, box.heading
    along = np.array([box.x2 - box.x1, box.y2 - box.y1])
    length = float(np.hypot(*along))
    centre = np.array([box.x1 + box.x2, box.y1 + box.y2]) / 2
    return centre, np.array([length, box.thickness]) / 2, float(np.arctan2(along[1], along[0]))


def _shared_sphere(contacts: LinkContacts, pitch: float) -> NDArray[np.bool_]:
    """Which pairs repeat the pair before them: same obstacle, end sphere of one link = start sphere of the next."""
    repeats = np.zeros(len(contacts), dtype=bool)
    repeats[1:] = (
        (contacts.obstacle[1:] == contacts.obstacle[:-1])
        & (contacts.link[1:] == contacts.link[:-1] + 1)
        & (contacts.offset[:-1] >= pitch)
        & (contacts.offset[1:] <= 0.0)
    )
    return repeats
