# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether contacts hold bodies on a path and carry them at rest and in slow motion, link by link.

It is what the check of paths asks as well (`planning.checks.limits`), with the normals that
contacts have at the links as they lie: where a straight piece of path is shorter than a link, they
turn while a joint passes the post. A joint is round, and its normal points away from the post.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from boa_control.optimisation.balance import TorqueRange, balanced_forces
from boa_control.planning.checks.displaced import SLIDE, most_over_least
from boa_control.planning.checks.first_order import is_closed
from boa_control.planning.checks.friction import Rubbing
from boa_control.planning.search.track import Poses
from boa_control.planning.search.windows import contact_wrenches
from boa_description.arrays import Array, Flags
from boa_description.robot import Robot
from boa_description.scene import GRAVITY

TORQUE_SHARE = 0.9  # of the servos' torque, which contacts need at rest
LEAST = 1.0  # N on every contact; the check demands half of it
LEAST_SHARE = 1e-3  # of the mean force on every contact that a projection of equal ones must leave
SOFT = 1e-9  # keeps three equations apart that depend on each other
FEWEST = 4  # contacts that can close a planar body


class Touched(NamedTuple):
    """Contacts along a path.

    Attributes:
        at: arc lengths, shape (c,), m.
        centres: of the posts, shape (c, 2), m.
        sides: +1 post on the left, -1 right, shape (c,).
        std: standard deviations of the posts' places per axis, shape (c,), m.
    """

    at: Array
    centres: Array
    sides: Array
    std: Array


@dataclass(frozen=True, slots=True)
class Balance:
    """Limits of forces.

    Attributes:
        torque: of every joint, N m.
        most: of a contact, N.
        rubbing: frictions, with each of which contacts must carry the body.
        weight: of one link, N.
        radius: half width of the body, m.
        least: of a contact, N.
        unsure: some posts may stand elsewhere: contacts carry more alike, and a body does not slide
            far along itself while its shape hardly changes.
    """

    torque: float
    most: float
    rubbing: tuple[Rubbing, ...]
    weight: float
    radius: float
    least: float = LEAST
    unsure: bool = False

    @classmethod
    def of(cls, robot: Robot, rubbing: Sequence[Rubbing], unsure: bool = False) -> Self:
        """For a robot, with each of these frictions of posts and floor; `unsure` as above."""
        return cls(
            TORQUE_SHARE * robot.limits.torque,
            robot.limits.joint_force_fault,
            tuple(rubbing),
            robot.link.mass * GRAVITY,
            robot.link.radius,
            unsure=unsure,
        )

    def _most(self, std: Array) -> Array:
        """That contacts of posts with these standard deviations may carry, N."""
        if not self.unsure:
            return np.full(std.shape, self.most)
        return np.minimum(self.most, self.least * most_over_least(std))

    def holds(self, poses: Poses, touched: Touched) -> bool:
        """Whether the contacts close all bodies, and forces exist that move them slowly."""
        inside = poses.inside(touched.at)
        if (inside.sum(axis=1) < FEWEST).any():
            return False
        axes = poses.axes - poses.axes.mean(axis=1, keepdims=True)
        centres = touched.centres - poses.axes.mean(axis=1)[:, None]
        link = poses.links_at(touched.at)
        base = np.take_along_axis(axes, link[..., None], axis=1)
        along = np.take_along_axis(axes, link[..., None] + 1, axis=1) - base
        length = np.hypot(along[..., 0], along[..., 1])
        along /= length[..., None]
        offset = np.clip(np.einsum("kci,kci->kc", centres - base, along), 0.0, length)
        place = base + offset[..., None] * along
        normal = place - centres
        normal /= np.hypot(normal[..., 0], normal[..., 1])[..., None]
        smooth = all(one == Rubbing() for one in self.rubbing)
        if not smooth and not is_closed(place, normal, inside).all():
            return False
        surface = place - self.radius * normal
        sliding = np.stack([-normal[..., 1], normal[..., 0]], axis=-1)
        sliding *= touched.sides[:, None]
        pressed, rubbed = contact_wrenches(place, normal), contact_wrenches(surface, sliding)
        headward = link[:, None] > np.arange(axes.shape[1] - 2)[:, None]
        pull, most = _pull(axes), self._most(touched.std)
        # what rubs most is the most doubtful
        return all(
            self._carried(pressed - friction * rubbed, axes, headward, inside, pull, floor, most)
            for friction, floor in reversed(self.rubbing)
        )

    def _carried(
        self,
        push: Array,
        axes: Array,
        headward: Flags,
        inside: Flags,
        pull: tuple[Array, Array],
        floor: float,
        most: Array,
    ) -> bool:
        """Whether forces up to `most`, N, with these wrenches of unit contact forces carry all
        bodies on a floor.
        """
        moment = headward * _about(push, axes[:, 1:-1])
        if self.unsure:
            held = push * inside[..., None], moment * inside[:, None]
            if (slide_per_shape(*held, *pull) > SLIDE).any():
                return False
        drag, drag_moment = (floor * self.weight * one for one in pull)
        least, enough = self._evenly(push, inside, moment, drag, drag_moment, most)
        return all(
            self._carries(
                push[k, inside[k]],
                moment[k][:, inside[k]],
                drag[k],
                drag_moment[k],
                most[inside[k]],
            )
            for k in np.argsort(least)  # the most doubtful first
            if not enough[k]
        )

    def _evenly(
        self,
        push: Array,
        inside: Flags,
        moment: Array,
        drag: Array,
        drag_moment: Array,
        most: Array,
    ) -> tuple[Array, Flags]:
        """Least share of the forces that come from equal ones by projection, and where they do:
        for most bodies, without a QP; shape (k,) each.
        """
        ones = inside.astype(float)
        push = push * ones[..., None]
        square = np.einsum("kci,kcj->kij", push, push) + SOFT * np.eye(3)
        rest = np.stack([np.einsum("kci->ki", push), drag], axis=-1)
        equal, against = np.moveaxis(push @ np.linalg.solve(square, rest), -1, 0)
        equal = ones - equal
        share = np.where(equal > LEAST_SHARE, equal, 1.0)
        size = np.where(inside, (self.least - against) / share, 0.0).max(axis=1)
        force = against + np.maximum(size, 0.0)[:, None] * equal
        bending = np.einsum("kjc,kc->kj", moment, force) - drag_moment
        least = np.where(inside, equal, 1.0).min(axis=1)
        enough: Flags = (
            (least > LEAST_SHARE)
            & (force <= most).all(axis=1)
            & (np.abs(bending) <= self.torque).all(axis=1)
        )
        return least, enough

    def _carries(
        self, push: Array, moment: Array, drag: Array, drag_moment: Array, most: Array
    ) -> bool:
        """Whether forces of these contacts carry one body."""
        torque = np.full(drag_moment.size, self.torque)
        forces = balanced_forces(
            np.hstack([push, moment.T]),
            np.concatenate([drag, drag_moment]),
            TorqueRange(-torque, torque),
            self.least,
            most,
        )
        return forces is not None


def slide_per_shape(push: Array, moment: Array, pull: Array, pull_moment: Array) -> Array:
    """By how much bodies slide along themselves at most, mean over their links, while their joints
    change by one radian in all (norm) and no gap opens or closes; shape (k,), m/rad.

    It is as well the least norm of joint torques with which contacts hold a body that is pulled
    along with one newton, spread over its links: where it is large, neither torques nor the shape
    tell, or decide, how far the body is.

    Args:
        push, moment: wrenches of unit contact forces, shape (k, c, 3), and their moments about the
            joints on what lies headward, shape (k, n - 1, c); 0 where there is no contact.
        pull, pull_moment: the same of one newton along every link, (k, 3) and (k, n - 1).
    """
    count, links = push.shape[1], pull_moment.shape[1] + 1
    pull, pull_moment = pull / links, pull_moment / links
    matrix = np.zeros((push.shape[0], count + 3, count + 3))
    matrix[:, :count, :count] = np.einsum("kjc,kjd->kcd", moment, moment) + SOFT * np.eye(count)
    matrix[:, :count, count:] = push
    matrix[:, count:, :count] = np.swapaxes(push, 1, 2)
    matrix[:, count:, count:] = -SOFT * np.eye(3)
    right = np.concatenate([np.einsum("kjc,kj->kc", moment, pull_moment), pull], axis=1)
    force = np.linalg.solve(matrix, right[..., None])[:, :count, 0]
    torque = pull_moment - np.einsum("kjc,kc->kj", moment, force)
    slide: Array = np.linalg.norm(torque, axis=1)
    return slide


def _pull(axes: Array) -> tuple[Array, Array]:
    """One newton along every link of bodies: wrenches, shape (k, 3), and moments about the joints
    on all that lies headward of them, shape (k, n - 1).
    """
    links = np.diff(axes, axis=1)
    along = links / np.hypot(links[..., 0], links[..., 1])[..., None]
    wrench = contact_wrenches(0.5 * (axes[:, 1:] + axes[:, :-1]), along)
    headward = np.cumsum(wrench[:, ::-1], axis=1)[:, ::-1]
    about = _about(headward[:, 1:], axes[:, 1:-1])
    return headward[:, 0], np.einsum("kjj->kj", about)


def _about(wrenches: Array, points: Array) -> Array:
    """Moments of wrenches (k, c, 3) about points (k, j, 2); shape (k, j, c)."""
    x, y = points[..., 0, None], points[..., 1, None]
    fx, fy, moment = np.moveaxis(wrenches[:, None], -1, 0)
    return np.asarray(moment - x * fy + y * fx)
