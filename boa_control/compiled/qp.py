"""The quadratic programs of a tick: in the form of their solver and back, and solved without it
where no bound is active, as compiled loops.

The numbers are explained where they are used: `optimisation.contact_qp`,
`optimisation.equilibrium`. `size` is n + 2, the number of coordinates.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from boa_control.compiled import compiled, inner

EQUAL, SOFT = 5, 8  # constraint types of the solver
UNBOUNDED = 1e30
DEPENDENT = 1e-20  # share of a row's square, below which it says nothing that those before do not
ROUNDING = 1e-9  # N, N m, m/s2
ROUNDS = 6  # two as a rule


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
def settled(
    x: Any, weights: Any, f: Any, A: Any, lower: Any, upper: Any, sense: Any, price: float
) -> bool:
    """Write the optimum into x where no row is at a bound of its own, as in nearly all ticks, and
    return True; otherwise the solver is needed.

    A bound of x is softened, which costs `price` times half the square of its violation. A violated
    one is therefore a wish more, and which ones are follows from the optimum without them in a few
    rounds.

    Args:
        weights: diagonal of the Hessian. f, A, lower, upper, sense: as the solver takes them; the
            bounds begin with those of the first elements of x, as many as are more than rows.
    """
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


@compiled(
    "b1(f8[::1], f8[::1], f8[::1], f8[:, ::1], f8[::1], f8[::1], i4[::1],"
    " f8, f8[:, ::1], f8[::1], f8[:, ::1], f8[::1], f8[::1])"
)
def balance(
    x: Any,
    weights: Any,
    f: Any,
    A: Any,
    lower: Any,
    upper: Any,
    sense: Any,
    price: float,
    push: Any,
    bias: Any,
    mass: Any,
    desired: Any,
    floor: Any,
) -> bool:
    """Write the QP of `optimisation.equilibrium`, with the arguments of its `forces`, into its
    buffers, of shapes (nc + 3,), (3, nc + 3), (nc + 6,), (nc + 6,); then as `settled`.
    """
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
    return settled(x, weights, f, A, lower, upper, sense, price)


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


@compiled("void(f8[::1], f8[::1], f8[::1], f8[:, ::1], f8[::1], f8[::1], f8[::1], f8[::1])")
def read_solution(
    x: Any, u: Any, v: Any, A: Any, bias: Any, lam: Any, delta: Any, torque: Any
) -> None:
    """Write contact forces, (nc,), N, deviation, (size,), and joint torques, (n - 1,), N m, of the
    solution x = [lam, delta_b, y] of the QP in the buffers.
    """
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


@compiled(
    "b1(f8[::1], f8[::1], f8[::1], f8[:, ::1], f8[::1], f8[::1], i4[::1], f8, f8[::1],"
    " f8[::1], f8[:, ::1], f8[::1], f8[:, ::1], f8[:, ::1], f8[::1], b1[::1], f8[::1], f8[::1],"
    " f8[::1], f8[::1], f8[:, ::1], f8[::1], f8[::1], f8[::1], f8[::1])"
)
def hold_and_move(
    x: Any,
    weights: Any,
    f: Any,
    A: Any,
    lower: Any,
    upper: Any,
    sense: Any,
    price: float,
    u: Any,
    v: Any,
    mass: Any,
    bias: Any,
    gap: Any,
    push: Any,
    slip: Any,
    redundant: Any,
    target: Any,
    along: Any,
    desired: Any,
    floor: Any,
    torque_bounds: Any,
    excess: Any,
    lam: Any,
    delta: Any,
    torque: Any,
) -> bool:
    """Write a `contact_qp.Problem`, whose parts are the arguments from `mass` to `excess`, into the
    buffers; then as `settled`, and as `read_solution` if it is.

    Args:
        x, weights: shape (nc + size,), the latter the diagonal of the Hessian.
        f, A, lower, upper, sense: shapes (nc + size,), (size + nc, nc + size), and (2 nc + size,)
            three times.
        u, v: of the reflection, shape (n - 1,).
        slip, redundant, excess: one for each contact, shape (nc,).
    """
    count, size = push.shape
    _mirror(along, u, v)
    for i in range(size):
        for k in range(count):
            A[i, k] = -push[k, i]
        _reflect(mass[i], u, v, A[i, count:])
    for k in range(count):
        _reflect(gap[k], u, v, A[size + k, count:])
        f[k] = -weights[k] * desired[k]
        lower[k], upper[k] = floor[k], max(desired[k], floor[k]) + excess[k]
        row = count + size + k
        sense[row], lower[row], upper[row] = EQUAL, slip[k], slip[k]
        if redundant[k]:
            sense[row], lower[row], upper[row] = 0, -UNBOUNDED, UNBOUNDED
    for i in range(3):
        lower[count + i] = upper[count + i] = -bias[i]
    image, joint = 0.0, count + 3
    for j in range(u.size):
        image += v[j] * target[j]
    for j in range(u.size):
        f[joint + j] = -weights[joint + j] * (target[j] - u[j] * image)
        lower[joint + j] = torque_bounds[0, j] - bias[3 + j]
        upper[joint + j] = torque_bounds[1, j] - bias[3 + j]
    if not settled(x, weights, f, A, lower, upper, sense, price):
        return False
    read_solution(x, u, v, A, bias, lam, delta, torque)
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
