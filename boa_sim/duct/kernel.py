# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One run of the closed form, step by step. Plain loops on arrays: numba compiles them to 600
runs of 20 s a minute and core.

Symbols as in the paper: theta headings, p centre of mass, W and P lever arms of the rods' centres
and of the contact points.
"""

from typing import NamedTuple

import numpy as np

from boa_control.compiled import compiled_when_called
from boa_description.arrays import Array

GRAVITY = 9.81
RAN, FORCE, HEADING = 0, 1, 2  # how a run ended


class Constants(NamedTuple):
    """A `DuctModel` with its lever arms, as numba takes it.

    Attributes:
        W: r_i = p + sum_j W_ij u_j, shape (n, n), m.
        P: the same of tail, joints and head, shape (n + 1, n), m.
        inertia: m W'W, shape (n, n), kg m2.
    """

    W: Array
    P: Array
    inertia: Array
    rod_inertia: float
    link_mass: float
    floor_coulomb: float
    floor_viscous: float
    wall_stiffness: float
    wall_damping: float
    wall_coulomb: float
    wall_viscous: float
    slip_speed: float
    force_limit: float
    heading_limit: float
    summed_power: bool


class Drive(NamedTuple):
    """A `DuctGait` as numba takes it."""

    amplitude: float
    delay: float
    frequency: float
    stiffness: float
    damping: float


class Outcome(NamedTuple):
    """The result of a run.

    Attributes:
        end: RAN, FORCE or HEADING.
        time: at which it ended, s.
        energy: J.
        peak: largest normal force of a wall on a contact point, N.
        log: headings and centre of mass at every `stride` steps, shape (k, n + 2).
    """

    end: int
    time: float
    energy: float
    peak: float
    log: Array


@compiled_when_called
def simulate(
    model: Constants, gait: Drive, half_width: float, duration: float, step: float, stride: int
) -> Outcome:
    """A run from rest, straight, in the middle of the duct.

    Semi-implicit Euler: friction, -c v with c of the old velocity, and the damping of the walls are
    solved with the step: a rod's tip is so light that the damping alone would stop it within 1 ms.
    """
    n = model.W.shape[0]
    steps = round(duration / step)
    v = np.zeros(n + 2)  # rates of the headings, velocity of the centre of mass
    q = np.zeros(n + 2)
    log = np.zeros((steps // stride + 1, n + 2))
    energy = 0.0
    peak = 0.0
    for k in range(steps):
        time = k * step
        cos, sin = np.cos(q[:n]), np.sin(q[:n])
        M, N = chain(model, cos, sin, v)
        drag, floor = floor_friction(model, cos, sin, v)
        torque = joint_torques(gait, time, q, v, M, N - floor)
        energy += step * power(model, torque, v)
        force = floor - N
        for joint in range(n - 1):
            force[joint] -= torque[joint]
            force[joint + 1] += torque[joint]
        largest = walls(model, half_width, cos, sin, q, v, force, drag)
        peak = max(peak, largest)
        v = v + step * solve(M + step * drag, force)
        q = q + step * v
        if largest > model.force_limit:
            return Outcome(FORCE, time, energy, peak, log[: k // stride + 1])
        if not np.abs(q[:n]).max() <= model.heading_limit:  # also where they are no numbers
            return Outcome(HEADING, time, energy, peak, log[: k // stride + 1])
        if (k + 1) % stride == 0:
            log[(k + 1) // stride] = q
    return Outcome(RAN, duration, energy, peak, log)


@compiled_when_called
def chain(model: Constants, cos: Array, sin: Array, v: Array) -> tuple[Array, Array]:
    """Mass matrix, shape (n + 2, n + 2), and centrifugal forces, shape (n + 2,), of headings and
    centre of mass.
    """
    n = cos.size
    M = np.zeros((n + 2, n + 2))
    N = np.zeros(n + 2)
    for i in range(n):
        for j in range(n):
            M[i, j] = model.inertia[i, j] * (cos[i] * cos[j] + sin[i] * sin[j])
            N[i] += model.inertia[i, j] * (sin[i] * cos[j] - cos[i] * sin[j]) * v[j] ** 2
        M[i, i] += model.rod_inertia
    M[n, n] = M[n + 1, n + 1] = n * model.link_mass
    return M, N


@compiled_when_called
def floor_friction(model: Constants, cos: Array, sin: Array, v: Array) -> tuple[Array, Array]:
    """Friction of the rods' centres on the floor, Coulomb and viscous, along and across each rod
    separately (eqs. 16 to 18).

    Returns:
        C, the lower half of shape (n + 2, n + 2), and the generalised force -C v, shape (n + 2,).
    """
    n = cos.size
    drag = np.zeros((n + 2, n + 2))
    force = np.zeros(n + 2)
    row = np.zeros(n + 2)
    weight = model.floor_coulomb * model.link_mass * GRAVITY
    for i in range(n):
        for across in range(2):
            x, y = (-sin[i], cos[i]) if across else (cos[i], sin[i])
            for j in range(n):  # (x, y) . d r_i / d theta_j
                row[j] = model.W[i, j] * (y * cos[j] - x * sin[j])
            row[n], row[n + 1] = x, y
            add_friction(drag, force, row, weight, model.floor_viscous, model.slip_speed, v)
    return drag, force


@compiled_when_called
def add_friction(
    drag: Array,
    force: Array,
    row: Array,
    coulomb: float,
    viscous: float,
    slip_speed: float,
    v: Array,
) -> None:
    """Add the friction of a point that moves with `row` . v to C (lower half) and -C v."""
    speed = 0.0
    for j in range(row.size):
        speed += row[j] * v[j]
    c = coulomb / max(abs(speed), slip_speed) + viscous
    for i in range(row.size):
        scaled = c * row[i]
        force[i] -= scaled * speed
        for j in range(i + 1):
            drag[i, j] += scaled * row[j]


@compiled_when_called
def solve(A: Array, b: Array) -> Array:
    """A^-1 b by Cholesky's method from the lower half of A, in place: LAPACK's preparations for
    twelve equations would take half of the time of a run.
    """
    n = b.size
    for j in range(n):
        for k in range(j):
            A[j, j] -= A[j, k] ** 2
        A[j, j] = np.sqrt(A[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
    x = b.copy()
    for i in range(n):
        for k in range(i):
            x[i] -= A[i, k] * x[k]
        x[i] /= A[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= A[k, i] * x[k]
        x[i] /= A[i, i]
    return x


@compiled_when_called
def joint_torques(
    gait: Drive, time: float, q: Array, v: Array, M: Array, resisting: Array
) -> Array:
    """Partial feedback linearisation of the joints (eqs. 24 to 27), shape (n - 1,): cancels inertia
    and floor, `resisting`, not the walls. The head's heading accelerates as all rows together
    demand.
    """
    n = q.size - 2
    away = np.zeros(n)  # accelerations of the headings if the head's were 0
    for i in range(n - 2, -1, -1):
        angle = gait.frequency * time - i * gait.delay
        position = gait.amplitude * np.sin(angle)
        rate = gait.amplitude * gait.frequency * np.cos(angle)
        demand = (
            -(gait.frequency**2) * position
            + gait.damping * (rate - (v[i + 1] - v[i]))
            + gait.stiffness * (position - (q[i + 1] - q[i]))
        )
        away[i] = away[i + 1] - demand
    balance = np.zeros(n)  # of each row: what the joints on both sides of a rod must give
    turning = np.zeros(n)
    for i in range(n):
        balance[i] = resisting[i]
        for j in range(n):
            balance[i] += M[i, j] * away[j]
            turning[i] += M[i, j]
    balance -= balance.sum() / turning.sum() * turning
    return -np.cumsum(balance)[: n - 1]


@compiled_when_called
def power(model: Constants, torque: Array, v: Array) -> float:
    """Of the joints, W, in the reading of the model."""
    total = 0.0
    for i in range(torque.size):
        each = torque[i] * (v[i + 1] - v[i])
        total += abs(each) if model.summed_power else each
    return abs(total)


@compiled_when_called
def walls(
    model: Constants,
    half_width: float,
    cos: Array,
    sin: Array,
    q: Array,
    v: Array,
    force: Array,
    drag: Array,
) -> float:
    """Add the forces of the walls to `force`, their damping and friction to `drag`, too (eqs. 20 to
    22).

    Returns:
        The largest normal force on one contact point, N.
    """
    n = cos.size
    largest = 0.0
    along = np.zeros(n + 2)
    across = np.zeros(n + 2)
    along[n] = 1.0
    across[n + 1] = 1.0
    for k in range(n + 1):  # contact points
        y, rate = q[n + 1], v[n + 1]
        for j in range(n):
            along[j] = -model.P[k, j] * sin[j]
            across[j] = model.P[k, j] * cos[j]
            y += model.P[k, j] * sin[j]
            rate += across[j] * v[j]
        depth = abs(y) - half_width
        if depth <= 0:
            continue
        off = -1.0 if y > 0 else 1.0
        normal = max(model.wall_stiffness * depth - model.wall_damping * off * rate, 0.0)
        largest = max(largest, normal)
        if normal > 0:
            for j in range(n + 2):
                force[j] += off * model.wall_stiffness * depth * across[j]
            add_friction(drag, force, across, 0.0, model.wall_damping, model.slip_speed, v)
        rubbing = model.wall_coulomb * normal
        add_friction(drag, force, along, rubbing, model.wall_viscous, model.slip_speed, v)
    return largest
