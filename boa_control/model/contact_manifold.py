# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The one motion that keeps every contact: the curve q(s) on which all gaps stay zero.

A chain of n links has n + 2 degrees of freedom; n + 1 independent contacts leave exactly one. The
curve is traced from a touching pose by predictor and corrector on the gap equations and kept as a
spline over s, the arc length in joint space (rad). It ends where the contacts stop being able to
press: at rest their forces obey J_b' lam = 0, and once that space holds no positive vector any
more, no torque can keep all of them loaded (docs/mathematics_thesis.md).
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import linprog

from boa_control.model.contact_geometry import (
    LinkContacts,
    ObstacleMap,
    chain_pose,
    find_contacts,
    gap_jacobian,
    measure_contacts,
)
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot

TOUCH = 1e-4  # m; nearer than this counts as touching at the start
STEP = 0.01  # rad along the curve
REACH = 3.0  # rad, how far it is traced either way at most
CONVERGED = 1e-11  # m and rad


@dataclass(frozen=True, slots=True)
class ManifoldPoint:
    """One point of the curve.

    Attributes:
        q, tangent, curvature: shape (n + 2,): q(s), dq/ds, d2q/ds2; the joint part of the tangent
            has length one.
    """

    q: Array
    tangent: Array
    curvature: Array


class ContactManifold:
    """The traced curve, with s = 0 at the start pose."""

    def __init__(
        self, robot: Robot, obstacles: ObstacleMap, pairs: LinkContacts, s: Array, q: Array
    ) -> None:
        """Keep samples `q`, shape (m, n + 2), at `s`, shape (m,), increasing by STEP."""
        self._robot = robot
        self._obstacles = obstacles
        self.pairs = pairs
        self.lower = float(s[0])
        self.upper = float(s[-1])
        self._cubic = CubicSpline(s, q).c  # (4, m - 1, n + 2), highest power first

    def at(self, s: float) -> ManifoldPoint:
        """The point at `s` (rad); beyond the ends, the end."""
        s = min(max(s, self.lower), self.upper)
        piece = min(int((s - self.lower) / STEP), self._cubic.shape[1] - 1)
        a, b, c, d = self._cubic[:, piece]
        x = s - (self.lower + piece * STEP)
        return ManifoldPoint(
            ((a * x + b) * x + c) * x + d, (3 * a * x + 2 * b) * x + c, 6 * a * x + 2 * b
        )

    def contacts(self, q: Array) -> tuple[LinkContacts, Array]:
        """The contacts at a pose of the curve, and their gap Jacobian, shape (nc, n + 2)."""
        chain = chain_pose(self._robot, q[:3], q[3:])
        contacts = measure_contacts(chain, self._obstacles, self.pairs)
        return contacts, gap_jacobian(chain, contacts)

    def nearest(self, joints: Array, guess: float) -> float:
        """The s whose joint angles are nearest to `joints` (rad), by Gauss-Newton from `guess`."""
        s = guess
        for _ in range(2):
            point = self.at(s)
            s = min(
                max(s + float(point.tangent[3:] @ (joints - point.q[3:])), self.lower), self.upper
            )
        return s


def trace_manifold(
    robot: Robot, base: Array, joints: Array, obstacles: ObstacleMap, *, margin: float = 0.1
) -> ContactManifold:
    """Trace the curve through the pose (`base`, `joints`) both ways.

    Args:
        margin: stop where, of all contact forces with mean one that balance at rest, the best has a
            smallest force below this; 1 would be equal forces.

    Raises:
        BoaError: the start does not touch in n + 1 independent places, or cannot press there.
    """
    chain = chain_pose(robot, base, joints)
    pairs = find_contacts(chain, obstacles, TOUCH)
    if len(pairs) != robot.links + 1:
        raise BoaError(
            f"contact manifold: {len(pairs)} contacts at the start, but {robot.links} links "
            f"need {robot.links + 1} "
            "to leave one degree of freedom; move the posts so that they touch the start pose"
        )
    tracer = _Tracer(robot, obstacles, pairs, margin)
    start = tracer.corrected(np.concatenate((base, joints)), np.zeros(robot.links + 2))
    if start is None or not tracer.usable(start):
        raise BoaError(
            f"contact manifold: the {len(pairs)} contacts at the start cannot all press "
            f"(margin {margin})"
        )
    tangent = tracer.tangent(start)
    tangent *= np.sign(tangent[3]) or 1.0
    backward, forward = (
        tracer.follow(start, way * tangent, int(REACH / STEP)) for way in (-1.0, 1.0)
    )
    s = np.concatenate(
        (-STEP * np.arange(len(backward), 0, -1), STEP * np.arange(len(forward) + 1))
    )
    samples = np.array([*reversed(backward), start, *forward])
    if len(samples) < 4:
        raise BoaError(
            f"contact manifold: the contacts allow no motion at margin {margin}; lower it or "
            f"move the posts"
        )
    return ContactManifold(robot, obstacles, pairs, s, samples)


def closure_margin(base_jacobian: Array) -> float:
    """Largest smallest force of all contact forces lam >= 0 with J_b' lam = 0 and mean one;
    negative without closure.

    Args:
        base_jacobian: shape (nc, 3), base columns of the gap Jacobian.
    """
    count = len(base_jacobian)
    # unknowns (lam, t): maximise t with lam >= t
    balance = np.vstack(
        (np.hstack((base_jacobian.T, np.zeros((3, 1)))), np.append(np.full(count, 1 / count), 0.0))
    )
    found = linprog(
        np.append(np.zeros(count), -1.0),
        A_ub=np.hstack((-np.eye(count), np.ones((count, 1)))),
        b_ub=np.zeros(count),
        A_eq=balance,
        b_eq=np.array([0.0, 0.0, 0.0, 1.0]),
        bounds=[(None, None)] * (count + 1),
    )
    return float(found.x[-1]) if found.success and found.x is not None else -1.0


class _Tracer:
    """Predictor and corrector on the gap equations."""

    def __init__(
        self, robot: Robot, obstacles: ObstacleMap, pairs: LinkContacts, margin: float
    ) -> None:
        self._robot = robot
        self._obstacles = obstacles
        self._pairs = pairs
        self._margin = margin

    def _gaps(self, q: Array) -> tuple[Array, Array]:
        chain = chain_pose(self._robot, q[:3], q[3:])
        contacts = measure_contacts(chain, self._obstacles, self._pairs)
        return contacts.gap, gap_jacobian(chain, contacts)

    def tangent(self, q: Array) -> Array:
        """Unit (in joint space) vector in the null space of the gap Jacobian."""
        _, _, rows = np.linalg.svd(self._gaps(q)[1])
        direction: Array = rows[-1] / np.linalg.norm(rows[-1, 3:])
        return direction

    def corrected(self, q: Array, across: Array) -> Array | None:
        """The pose with zero gaps nearest to `q` in the plane through `q` normal to `across`; None
        if none is near.
        """
        point = q.copy()
        for _ in range(20):
            gap, jacobian = self._gaps(point)
            step = np.linalg.lstsq(
                np.vstack((jacobian, across)), -np.append(gap, across @ (point - q)), rcond=None
            )[0]
            point += step
            if np.abs(step).max() < CONVERGED:
                return point
        return None

    def follow(self, start: Array, tangent: Array, steps: int) -> list[Array]:
        """Poses at equal steps of joint arc length from `start`, without it, as far as they are
        usable.
        """
        poses: list[Array] = []
        q, before = start, start - STEP * tangent
        for _ in range(steps):
            tangent = self.tangent(q)
            tangent *= np.sign(tangent @ (q - before))
            following = self._step(q, tangent)
            if following is None or not self.usable(following):
                break
            poses.append(following)
            q, before = following, q
        return poses

    def _step(self, q: Array, tangent: Array) -> Array | None:
        """The next pose, at a distance of STEP in joint space."""
        across = np.concatenate((np.zeros(3), tangent[3:]))
        length, following = STEP, q
        for _ in range(5):
            found = self.corrected(q + length * tangent, across)
            if found is None:
                return None
            following = found
            length *= STEP / float(np.linalg.norm(following[3:] - q[3:]))
        return following

    def usable(self, q: Array) -> bool:
        """All contacts can press, nothing else touches, and the joints are within their range."""
        chain = chain_pose(self._robot, q[:3], q[3:])
        others = find_contacts(chain, self._obstacles, -TOUCH)
        in_range = bool(
            np.all((q[3:] > self._robot.joint.lower) & (q[3:] < self._robot.joint.upper))
        )
        return (
            in_range and not len(others) and closure_margin(self._gaps(q)[1][:, :3]) >= self._margin
        )
