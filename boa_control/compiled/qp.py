# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The quadratic programs of a tick: in the form of their solver and back, and solved without it
where no bound is active, as compiled loops.

The numbers are explained where they are used: `optimisation.contact_qp`,
`optimisation.equilibrium`. `size` is n + 2, the number of coordinates.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from boa_control.compiled import compiled, inner
from boa_control.compiled.records import CodeVector, FlagVector, Matrix, Vector, on_records

EQUAL, SOFT = 5, 8  # constraint types of the solver
UNBOUNDED = 1e30
DEPENDENT = 1e-20  # share of a row's square, below which it says nothing that those before do not
ROUNDING = 1e-9  # N, N m, m/s2, by which bounds may be exceeded
ROUNDS = 6  # two as a rule


class Form(NamedTuple):
    """A QP as the solver takes it: minimise 1/2 x' diag(weights) x + f'x.

    Attributes:
        weights, f: shape (nx,).
        A: rows on x, shape (m, nx).
        lower, upper, sense: bounds and their types, of the first elements of x and then of the
            rows, as many as are more than rows, shape (m + those,).
    """

    weights: Vector
    f: Vector
    A: Matrix
    lower: Vector
    upper: Vector
    sense: CodeVector


class Reflection(NamedTuple):
    """Q = I - u v' for the joints, shape (n - 1,) each."""

    u: Vector
    v: Vector


class Balance(NamedTuple):
    """As the arguments of `optimisation.equilibrium.Equilibrium.forces`."""

    push: Matrix
    bias: Vector
    mass: Matrix
    desired: Vector
    floor: Vector


class Instance(NamedTuple):
    """As in `contact_qp.Problem`, nothing left out; `excess` has shape (nc,)."""

    mass: Matrix
    bias: Vector
    gap: Matrix
    push: Matrix
    slip: Vector
    redundant: FlagVector
    target: Vector
    along: Vector
    desired: Vector
    floor: Vector
    torque_bounds: Matrix
    excess: Vector


class Optimum(NamedTuple):
    """Contact forces, (nc,), N, deviation, (size,), and joint torques, (n - 1,), N m."""

    lam: Vector
    delta: Vector
    torque: Vector


@inner
def _reach(x: Any, weights: Any, A: Any, values: Any, sense: Any) -> None:
    """Move x to the nearest point, in the metric of `weights`, shape (size,), where the rows of A
    whose `sense` is EQUAL have their `values`.

    Each in turn is reached along the part of its row that is orthogonal to those before, which
    therefore stay fulfilled.
    """
    size, count = x.size, 0
    way, square = np.empty(A.shape), np.empty(A.shape[0])
    for m in range(A.shape[0]):
        if sense[m] != EQUAL:
            continue
        missing, whole, part = values[m], 0.0, 0.0
        for i in range(size):
            missing -= A[m, i] * x[i]
            way[count, i] = A[m, i] / weights[i]
            whole += A[m, i] * way[count, i]
        for k in range(count):
            along = 0.0
            for i in range(size):
                along += weights[i] * way[count, i] * way[k, i]
            along /= square[k]
            for i in range(size):
                way[count, i] -= along * way[k, i]
        for i in range(size):
            part += weights[i] * way[count, i] * way[count, i]
        if part > DEPENDENT * whole:
            for i in range(size):
                x[i] += missing / part * way[count, i]
            square[count] = part
            count += 1


@inner
def settled(x: Any, form: Any, price: float) -> bool:
    """Write the optimum into x where no row is at a bound of its own, as in nearly all ticks, and
    return True; otherwise the solver is needed.

    A bound of x is softened, which costs `price` times half the square of its violation. A violated
    one is therefore a wish more, and which ones are follows from the optimum without them in a few
    rounds.
    """
    weights, f, A, lower, upper, sense = form
    size, simple = x.size, lower.size - A.shape[0]
    weight, violated = np.empty(size), np.zeros(simple, np.int64)
    for _ in range(ROUNDS):
        for i in range(size):
            weight[i], x[i] = weights[i], -f[i]
            if i < simple and violated[i] != 0:
                weight[i] += price
                x[i] += price * (lower[i] if violated[i] < 0 else upper[i])
            x[i] /= weight[i]
        _reach(x, weight, A, lower[simple:], sense[simple:])
        same = True
        for i in range(simple):
            now = 0
            if x[i] < lower[i] + (ROUNDING if violated[i] < 0 else -ROUNDING):
                now = -1
            elif x[i] > upper[i] - (ROUNDING if violated[i] > 0 else -ROUNDING):
                now = 1
            same, violated[i] = same and now == violated[i], now
        if same:
            break
    else:
        return False
    for m in range(A.shape[0]):
        value = 0.0
        for i in range(size):
            value += A[m, i] * x[i]
        if not lower[simple + m] - ROUNDING <= value <= upper[simple + m] + ROUNDING:
            return False
    return True


@on_records
def balance(x: Vector, form: Form, price: float, given: Balance) -> bool:
    """Write the QP of `optimisation.equilibrium` into its buffers, of shapes (nc + 3,), (3, nc + 3)
    and (nc + 6,); then as `settled`.
    """
    _, f, A, lower, upper, _ = form
    push, bias, mass, desired, floor = given
    count = desired.size
    for k in range(count):
        f[k], lower[k] = -desired[k], floor[k]
        for i in range(3):
            A[i, k] = push[k, i]
    for i in range(3):
        lower[count + 3 + i] = upper[count + 3 + i] = bias[i]
    # last row of -L: with [[m, 0, a], [0, m, b], [a, b, c]] the base stands at (a, b) / m from the
    # centre of mass, turned by a quarter, and the radius of gyration about it follows by Steiner
    x_away, y_away = mass[2, 0] / mass[0, 0], mass[2, 1] / mass[0, 0]
    A[2, count], A[2, count + 1] = -x_away, -y_away
    A[2, count + 2] = -math.sqrt(mass[2, 2] / mass[0, 0] - x_away * x_away - y_away * y_away)
    return settled(x, form, price)


@inner
def _reflect(row: Any, u: Any, v: Any, out: Any) -> None:
    """`out` = row [I, Q], with I for the base."""
    along = 0.0
    for j in range(u.size):
        along += row[3 + j] * u[j]
    for j in range(3):
        out[j] = row[j]
    for j in range(u.size):
        out[3 + j] = row[3 + j] - along * v[j]


@inner
def _mirror(direction: Any, u: Any, v: Any) -> None:
    """Q = I - u v', the reflection that maps the first axis to a direction, up to its sign: v = 2 u
    / u'u.
    """
    square = 0.0
    for j in range(u.size):
        square += direction[j] * direction[j]
    for j in range(u.size):
        u[j] = direction[j] / math.sqrt(square)
    first = u[0]
    u[0] += math.copysign(1.0, first)  # away from 0, so that nothing cancels
    for j in range(u.size):
        v[j] = u[j] / (1.0 + abs(first))


@inner
def _read(x: Any, mirror: Any, A: Any, bias: Any, optimum: Any) -> None:
    """As `read_solution`."""
    u, v = mirror
    lam, delta, torque = optimum
    count, joints = lam.size, u.size
    for k in range(count):
        lam[k] = x[k]
    for i in range(delta.size):
        delta[i] = x[count + i]
    image = 0.0
    for j in range(joints):
        image += v[j] * delta[3 + j]
    for j in range(joints):
        delta[3 + j] -= u[j] * image
        total = bias[3 + j]
        for i in range(x.size):
            total += A[3 + j, i] * x[i]
        torque[j] = total


@on_records
def read_solution(x: Vector, mirror: Reflection, A: Matrix, bias: Vector, optimum: Optimum) -> None:
    """Write the optimum of the solution x = [lam, delta_b, y] of the QP in the buffers."""
    _read(x, mirror, A, bias, optimum)


@on_records
def hold_and_move(
    x: Vector, form: Form, mirror: Reflection, price: float, given: Instance, optimum: Optimum
) -> bool:
    """Write a `contact_qp.Problem` into the buffers; then as `settled`, and as `read_solution` if
    it is.

    Args:
        x: shape (nc + size,).
        form: of shapes (nc + size,), (size + nc, nc + size), and (2 nc + size,) three times.
    """
    weights, f, A, lower, upper, sense = form
    gap, push, mass, bias = given.gap, given.push, given.mass, given.bias
    desired, floor, target, u, v = given.desired, given.floor, given.target, mirror.u, mirror.v
    count, size = push.shape
    _mirror(given.along, u, v)
    for i in range(size):
        for k in range(count):
            A[i, k] = -push[k, i]
        _reflect(mass[i], u, v, A[i, count:])
    for k in range(count):
        _reflect(gap[k], u, v, A[size + k, count:])
        f[k] = -weights[k] * desired[k]
        lower[k], upper[k] = floor[k], max(desired[k], floor[k]) + given.excess[k]
        row = count + size + k
        sense[row], lower[row], upper[row] = EQUAL, given.slip[k], given.slip[k]
        if given.redundant[k]:
            sense[row], lower[row], upper[row] = 0, -UNBOUNDED, UNBOUNDED
    for i in range(3):
        lower[count + i] = upper[count + i] = -bias[i]
    image, joint = 0.0, count + 3
    for j in range(u.size):
        image += v[j] * target[j]
    for j in range(u.size):
        f[joint + j] = -weights[joint + j] * (target[j] - u[j] * image)
        lower[joint + j] = given.torque_bounds[0, j] - bias[3 + j]
        upper[joint + j] = given.torque_bounds[1, j] - bias[3 + j]
    if not settled(x, form, price):
        return False
    _read(x, mirror, A, bias, optimum)
    return True


@compiled("f8(f8[:, ::1], f8[:, ::1], i8[::1], f8[:, :, ::1], f8[:, ::1], f8[::1], f8[::1])")
def joint_forces(
    forces: Any, push: Any, link: Any, momentum: Any, bias: Any, force: Any, delta: Any
) -> float:
    """Write the forces of link i + 1 on link i at every joint, shape (n - 1, 2), N; return the size
    of the largest, N.

    Args:
        push: P, shape (nc, n + 2). link, momentum, bias: of `contact_qp.JointForces`.
        force: of the contacts, shape (nc,), N. delta: shape (n + 2,).
    """
    joints = bias.shape[1]
    for c in range(2):
        for j in range(joints):
            total = -bias[c, j]
            for k in range(force.size):
                if link[k] > j:
                    total += force[k] * push[k, c]
            for i in range(delta.size):
                total -= momentum[c, j, i] * delta[i]
            forces[j, c] = total
    largest = 0.0
    for j in range(joints):
        largest = max(largest, math.hypot(forces[j, 0], forces[j, 1]))
    return largest
