# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The contact-implicit programme: the motion of a chain over one period that needs the least
effort, where which spheres touch, stick and slide is part of the answer (Salagame, Sihite and
Ramezani, equations 13 to 19, over a whole period instead of one step).

At knot k of N, a step h apart, and all of it periodic but for the way that the chain has gone:

    M (q_k - 2 q_{k-1} + q_{k-2}) / h = h (gravity, damping, joint forces, contact forces, S u)
    ends of neighbouring bodies meet at q_k
    0 <= gap of a sphere at q_k   orthogonal to   f_n >= 0
    0 <= s+                       orthogonal to   a = mu f_n + f_t >= 0
    0 <= s-                       orthogonal to   b = mu f_n - f_t >= 0
    joint angles and their rates within limits
    minimise   h sum u' u

Lever arms are those of q_{k-1}, gaps those of q_k, as in the paper's equations 7 to 12. s+ - s- is
the way that a sphere slid from q_{k-1} to q_k, so that the lines with a and b are Coulomb's law in
the plane: the cone, and friction that opposes sliding. They take the place of f_n = (a + b) / 2 mu
and f_t = (a - b) / 2. Products of orthogonal pairs may be as large as a slack, J, which `solve`
brings to zero.
"""

import numpy as np
from numpy.typing import NDArray

from boa_description.arrays import Array, Indices
from boa_tools.contact_implicit.blocks import Entries
from boa_tools.contact_implicit.chain import VerticalChain
from boa_tools.contact_implicit.motion import Motion, Scalar, Task

GRAVITY = 9.81  # m/s2


class Programme:
    """Values and derivatives of the programme as a solver wants them; z is one vector of unknowns.

    Attributes:
        size, rows: numbers of unknowns and of constraints.
        lower, upper: of the unknowns. row_lower, row_upper: of the constraints.
    """

    def __init__(self, chain: VerticalChain, task: Task) -> None:
        self.chain = chain
        self.task = task
        bodies, joints, spheres = chain.bodies, chain.joints, chain.body.size
        efforts = chain.actuation.shape[1]
        self._widths = (*(bodies,) * 3, *(joints,) * 2, efforts, *(spheres,) * 5)
        self.size = task.knots * sum(self._widths)
        self._at = self.motion(np.arange(self.size))
        self.lower, self.upper = self._bounds()
        self._number_rows()
        turning = np.diag(chain.inertia)
        difference = chain.difference
        self._coupling = difference.T @ difference
        self._turning = (turning + chain.armature * self._coupling) / task.step
        self._weight = chain.mass * GRAVITY * task.step

    def motion(self, z: NDArray[Scalar]) -> Motion[Scalar]:
        """The unknowns by name."""
        rows = z.reshape(self.task.knots, -1)
        return Motion(*np.split(rows, np.cumsum(self._widths)[:-1], axis=1))

    def vector(self, motion: Motion[np.float64]) -> Array:
        """The unknowns as one vector."""
        return np.hstack(motion.parts).ravel()

    def _bounds(self) -> tuple[Array, Array]:
        lower, at = np.full(self.size, -np.inf), self._at
        for positive in (at.gap, at.ahead, at.behind, at.forward, at.back):
            lower[positive] = 0.0
        upper = np.full(self.size, np.inf)
        lower[at.effort], upper[at.effort] = -self.task.effort_limit, self.task.effort_limit
        lower[at.x[-1, 0]] = upper[at.x[-1, 0]] = 0.0  # the place on the floor is free otherwise
        return lower, upper

    def _number_rows(self) -> None:
        task, chain = self.task, self.chain
        bodies, joints, spheres = chain.bodies, chain.joints, chain.body.size
        widths = (*(bodies,) * 3, *(joints,) * 2, *(spheres,) * 5, joints, joints)
        self.rows = task.knots * sum(widths)
        numbers = np.arange(self.rows).reshape(task.knots, -1)
        self._row = np.split(numbers, np.cumsum(widths)[:-1], axis=1)
        self.row_lower, self.row_upper = np.zeros((2, self.rows))
        for row, limit in (
            (self._row[10], task.joint_limit),
            (self._row[11], task.speed_limit * task.step),
        ):
            self.row_lower[row], self.row_upper[row] = -limit, limit
        for row in self._row[7:10]:
            self.row_lower[row] = -np.inf

    def allow(self, slack: float) -> None:
        """Let the products of orthogonal pairs be at most `slack`, J."""
        for row in self._row[7:10]:
            self.row_upper[row] = slack

    def _before(self, x: Array, knots: int = 1) -> Array:
        """What the array of places was so many knots earlier."""
        earlier = np.roll(x, knots, axis=0)
        earlier[:knots] -= self.task.distance
        return earlier

    def constraints(self, z: Array) -> Array:
        """Values of all constraints."""
        m, chain, h = self.motion(z), self.chain, self.task.step
        mu, body, offset, radius = chain.friction, chain.body, chain.offset, chain.radius
        theta1 = np.roll(m.theta, 1, axis=0)
        s1, c1 = np.sin(theta1), np.cos(theta1)
        normal, tangential = (m.ahead + m.behind) / (2 * mu), (m.ahead - m.behind) / 2
        second_x = m.x - 2 * self._before(m.x) + self._before(m.x, 2)
        second_z = m.z - 2 * np.roll(m.z, 1, axis=0) + np.roll(m.z, 2, axis=0)
        second_theta = m.theta - 2 * theta1 + np.roll(m.theta, 2, axis=0)
        carried_x, carried_z = through(m.force_x), through(m.force_z)
        on_x, on_z = self._on_bodies(tangential), self._on_bodies(normal)
        arm_t = -offset * s1[:, body] - radius
        arm_n = -offset * c1[:, body]
        turned = 0.5 * chain.length * (s1 * both(m.force_x) + c1 * both(m.force_z))
        turned += self._on_bodies(arm_t * tangential + arm_n * normal)
        push_x, push_z, push_theta = np.split(m.effort @ chain.actuation.T, 3, axis=1)
        s, c = np.sin(m.theta), np.cos(m.theta)
        half = 0.5 * chain.length
        slid = m.x[:, body] - self._before(m.x)[:, body] + offset * (c - c1)[:, body]
        slid -= radius * (m.theta - theta1)[:, body]
        angle = np.diff(m.theta, axis=1)
        values = (
            chain.mass / h * second_x - h * (carried_x + on_x + push_x),
            chain.mass / h * second_z - h * (carried_z + on_z + push_z) + self._weight,
            second_theta @ self._turning
            + chain.damping * (m.theta - theta1) @ self._coupling
            - h * (turned + push_theta),
            np.diff(m.x, axis=1) - both_inner(half * c),
            np.diff(m.z, axis=1) + both_inner(half * s),
            m.gap - m.z[:, body] + offset * s[:, body] + radius,
            m.forward - m.back - slid,
            m.gap * normal,
            m.forward * m.ahead,
            m.back * m.behind,
            angle,
            angle - np.roll(angle, 1, axis=0),
        )
        return np.hstack(values).ravel()

    def _on_bodies(self, of_spheres: Array) -> Array:
        """Sums over the spheres of each body, (N, B)."""
        return of_spheres @ (self.chain.body[:, None] == np.arange(self.chain.bodies))

    def jacobian(self, z: Array) -> Entries:
        """Derivatives of all constraints."""
        m, at, chain, h = self.motion(z), self._at, self.chain, self.task.step
        mu, body, offset, radius = chain.friction, chain.body, chain.offset, chain.radius
        row, entries = self._row, Entries()
        back = at.rolled(1)
        back2 = at.rolled(2)
        theta1 = np.roll(m.theta, 1, axis=0)
        s1, c1 = np.sin(theta1), np.cos(theta1)
        normal, tangential = (m.ahead + m.behind) / (2 * mu), (m.ahead - m.behind) / 2
        for rows, now, one, two in (
            (row[0], at.x, back.x, back2.x),
            (row[1], at.z, back.z, back2.z),
        ):
            entries.add(rows, now, chain.mass / h)
            entries.add(rows, one, -2 * chain.mass / h)
            entries.add(rows, two, chain.mass / h)
        damping = chain.damping * self._coupling
        for columns, factor in (
            (at.theta, self._turning + damping),
            (back.theta, -2 * self._turning - damping),
            (back2.theta, self._turning),
        ):
            entries.add(row[2][:, :, None], columns[:, None, :], factor)
        for rows, force in ((row[0], at.force_x), (row[1], at.force_z)):
            entries.add(rows[:, 1:], force, -h)
            entries.add(rows[:, :-1], force, h)
        half = 0.5 * chain.length
        for force, arm in ((at.force_x, half * s1), (at.force_z, half * c1)):
            entries.add(row[2][:, 1:], force, -h * arm[:, 1:])
            entries.add(row[2][:, :-1], force, -h * arm[:, :-1])
        bend = half * (c1 * both(m.force_x) - s1 * both(m.force_z))
        bend += self._on_bodies(offset * (s1[:, body] * normal - c1[:, body] * tangential))
        entries.add(row[2], back.theta, -h * bend)
        arm_t = -offset * s1[:, body] - radius
        arm_n = -offset * c1[:, body]
        for force, sign in ((at.ahead, 1.0), (at.behind, -1.0)):
            entries.add(row[0][:, body], force, -h * sign / 2)
            entries.add(row[1][:, body], force, -h / (2 * mu))
            entries.add(row[2][:, body], force, -h * (sign * arm_t / 2 + arm_n / (2 * mu)))
        actuated = np.split(chain.actuation, 3)
        for rows, share in zip(row[:3], actuated, strict=True):
            of, by = np.nonzero(share)
            entries.add(rows[:, of], at.effort[:, by], -h * share[of, by])
        s, c = np.sin(m.theta), np.cos(m.theta)
        for rows, place, arm in ((row[3], at.x, half * s), (row[4], at.z, half * c)):
            entries.add(rows, place[:, 1:], 1.0)
            entries.add(rows, place[:, :-1], -1.0)
            entries.add(rows, at.theta[:, 1:], arm[:, 1:])
            entries.add(rows, at.theta[:, :-1], arm[:, :-1])
        entries.add(row[5], at.gap, 1.0)
        entries.add(row[5], at.z[:, body], -1.0)
        entries.add(row[5], at.theta[:, body], offset * c[:, body])
        entries.add(row[6], at.forward, 1.0)
        entries.add(row[6], at.back, -1.0)
        entries.add(row[6], at.x[:, body], -1.0)
        entries.add(row[6], back.x[:, body], 1.0)
        entries.add(row[6], at.theta[:, body], offset * s[:, body] + radius)
        entries.add(row[6], back.theta[:, body], -offset * s1[:, body] - radius)
        entries.add(row[7], at.gap, normal)
        entries.add(row[7], at.ahead, m.gap / (2 * mu))
        entries.add(row[7], at.behind, m.gap / (2 * mu))
        entries.add(row[8], at.forward, m.ahead)
        entries.add(row[8], at.ahead, m.forward)
        entries.add(row[9], at.back, m.behind)
        entries.add(row[9], at.behind, m.back)
        for columns, sign in ((at.theta, 1.0), (back.theta, -1.0)):
            for rows in (row[10], row[11]) if sign > 0 else (row[11],):
                entries.add(rows, columns[:, 1:], sign)
                entries.add(rows, columns[:, :-1], -sign)
        return entries

    def effort(self, z: Array) -> float:
        """h sum u' u."""
        return float(self.task.step * np.sum(self.motion(z).effort ** 2))

    def gradient(self, z: Array) -> Array:
        """Of the effort."""
        slope = np.zeros(self.size)
        slope[self._at.effort] = 2 * self.task.step * self.motion(z).effort
        return slope

    def hessian(self, z: Array, scale: float, multipliers: Array) -> Entries:
        """Lower triangle of the second derivatives of scale effort + multipliers' constraints."""
        m, at, chain, h = self.motion(z), self._at, self.chain, self.task.step
        mu, body, offset = chain.friction, chain.body, chain.offset
        y = [multipliers[rows] for rows in self._row]
        entries, half = Entries(), 0.5 * chain.length
        entries.add(at.effort, at.effort, 2 * h * scale)
        normal, tangential = (m.ahead + m.behind) / (2 * mu), (m.ahead - m.behind) / 2
        s, c = np.sin(m.theta), np.cos(m.theta)
        # a body's angle is in its own lever arms of the step that follows
        later = [np.roll(each, -1, axis=0) for each in (normal, tangential, m.force_x, m.force_z)]
        columns = at.rolled(-1)
        turning = np.roll(y[2], -1, axis=0)
        curve = half * (s * both(later[2]) + c * both(later[3]))
        curve += self._on_bodies(-offset * (s[:, body] * later[1] + c[:, body] * later[0]))
        bend = h * turning * curve
        bend += half * (c * both(y[3]) - s * both(y[4]))
        bend += self._on_bodies(-offset * s[:, body] * y[5])
        sliding = y[6] - np.roll(y[6], -1, axis=0)
        bend += self._on_bodies(offset * c[:, body] * sliding)
        entries.add(at.theta, at.theta, bend)
        for force, slope in ((columns.force_x, half * c), (columns.force_z, -half * s)):
            mixed = -h * turning * slope
            _symmetric(entries, force, at.theta[:, 1:], mixed[:, 1:])
            _symmetric(entries, force, at.theta[:, :-1], mixed[:, :-1])
        for force, sign in ((columns.ahead, 1.0), (columns.behind, -1.0)):
            slope = offset * (s[:, body] / (2 * mu) - sign * c[:, body] / 2)
            _symmetric(entries, force, at.theta[:, body], -h * turning[:, body] * slope)
        _symmetric(entries, at.gap, at.ahead, y[7] / (2 * mu))
        _symmetric(entries, at.gap, at.behind, y[7] / (2 * mu))
        _symmetric(entries, at.forward, at.ahead, y[8])
        _symmetric(entries, at.back, at.behind, y[9])
        return entries


def through(force: Array) -> Array:
    """What joint forces (N, B - 1) do to the bodies: each drives one and holds back the other."""
    return -np.diff(np.pad(force, ((0, 0), (1, 1))), axis=1)


def both(force: Array) -> Array:
    """Sum of the values at the two joints of every body, (N, B)."""
    padded = np.pad(force, ((0, 0), (1, 1)))
    return padded[:, 1:] + padded[:, :-1]


def both_inner(of_bodies: Array) -> Array:
    """Sum of the values of the two bodies of every joint, (N, B - 1)."""
    return of_bodies[:, 1:] + of_bodies[:, :-1]


def _symmetric(entries: Entries, one: Indices, other: Indices, values: Array) -> None:
    """Add a mixed derivative to the lower triangle."""
    entries.add(np.maximum(one, other), np.minimum(one, other), values)
