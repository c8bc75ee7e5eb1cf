"""Friction of the joints from the forces that the sensors measure in them, as compiled loops; what
the numbers mean is explained in `estimation.friction`.
"""

from __future__ import annotations

from typing import Any

from boa_control.compiled import compiled, inner


@compiled("void(f8[::1], i8[::1], f8[::1], f8, f8)")
def lever_arms(arm: Any, link: Any, offset: Any, zone: float, pitch: float) -> None:
    """Write the places on the links, shape (n,), m, where posts touch them, see
    `hoal.friction.lever_arms`.

    Args:
        link, offset: of the contacts, as in `ContactSet`.
        zone: from a joint, where a post may touch the neighbour too, m.
    """
    arm[:] = pitch / 2
    for k in range(link.size):
        if offset[k] < zone and link[k] > 0:
            arm[link[k] - 1] = pitch
    for k in range(link.size):
        if offset[k] > pitch - zone and link[k] + 1 < arm.size:
            arm[link[k] + 1] = 0.0
    for k in range(link.size):
        arm[link[k]] = offset[k]


@compiled("void(f8[::1], f8[::1], f8[:, ::1], c16[::1])")
def along_links(along: Any, total: Any, headward: Any, link: Any) -> None:
    """Write the parts along the links, shape (n,), N, of forces on single links, which come as sums
    in the world.

    Args:
        total: on all links, at least x and y of it. headward: on all beyond each joint, (2, n - 1).
        link: unit vectors of the links as complex numbers, shape (n,).
    """
    last = link.size - 1
    x, y = total[0], total[1]
    for i in range(link.size):
        ahead_x, ahead_y = (headward[0, i], headward[1, i]) if i < last else (0.0, 0.0)
        along[i] = (x - ahead_x) * link[i].real + (y - ahead_y) * link[i].imag
        x, y = ahead_x, ahead_y


@compiled("void(f8[::1], f8[::1], f8[::1], f8[::1], f8, f8)")
def add_turning(moment: Any, post: Any, arm: Any, ddq: Any, middle: float, inertia: float) -> None:
    """Add what posts and inertia turn the links with to the moments on them, shape (n,), N m.

    Args:
        post: forces of the posts across the links, shape (n,), N.
        arm: their places, from the tail-side axes, shape (n,), m.
        ddq: as of `PathState`, shape (n + 2,).
        middle: of a link, from that axis, moved by what the friction of the posts turns, m.
        inertia: of a link, times the squared speed.
    """
    bend = 0.0
    for i in range(moment.size):
        bend += ddq[2 + i]
        moment[i] = moment[i] + (arm[i] - middle) * post[i] - bend * inertia


@compiled("void(f8[:, ::1], f8[::1], f8[::1], b1[::1], f8)")
def add_sample(sums: Any, rate: Any, torque: Any, certain: Any, keep: float) -> None:
    """Add one sample to the sums of `JointFrictionObserver`, shape (5, n - 1), of which the former
    samples of the same joint `keep` a share.

    Args:
        rate, torque, certain: as of its `update`, shape (n - 1,).
    """
    for j in range(rate.size):
        if not certain[j]:
            continue
        size, sign = abs(rate[j]), (rate[j] > 0.0) - (rate[j] < 0.0)
        against = sign * torque[j]
        for k in range(5):
            sums[k, j] *= keep
        sums[0, j] += 1.0
        sums[1, j] += size
        sums[2, j] += size * size
        sums[3, j] += against
        sums[4, j] += against * size


@inner
def _least_squares(sums: Any, c: float, d: float, c_weight: float, d_weight: float) -> Any:
    """c and d, both >= 0, of samples with a prior: where one comes out negative it is zero, the
    other alone.

    Args:
        sums: of the samples, shape (5,), see `JointFrictionObserver`.
        c, d: of the prior. c_weight, d_weight: how many samples it counts for, and their sum of
            squared rates.
    """
    rate, a, b = sums[1], sums[0] + c_weight, sums[2] + d_weight
    y, z = sums[3] + c_weight * c, sums[4] + d_weight * d
    determinant = a * b - rate * rate
    c, d = (b * y - rate * z) / determinant, (a * z - rate * y) / determinant
    c, d = (y / a if d < 0.0 else c), (z / b if c < 0.0 else d)
    return max(c, 0.0), max(d, 0.0)


@compiled("void(f8[:, ::1], f8[:, ::1], f8[::1], f8[:, ::1], f8[::1], f8, f8)")
def gearboxes(
    friction: Any, sums: Any, total: Any, prior: Any, spread: Any, smallest: float, noise: float
) -> None:
    """Write c and d of every joint, shape (2, n - 1), N m and N m s: first those of the average
    gearbox by the samples of all joints, then of each as far as its own differ.

    Args:
        sums, total: of the samples of each joint, (5, n - 1), and of all together, (5,).
        prior: c and d of the average gearbox, and their weights, shape (2, 2).
        spread: standard deviations from the average, as a share of it, (2,); `smallest`: what they
            are at least, N m and N m s.
        noise: standard deviation of one sample, N m.
    """
    c, d = _least_squares(total, prior[0, 0], prior[0, 1], prior[1, 0], prior[1, 1])
    c_doubt, d_doubt = noise / (spread[0] * c + smallest), noise / (spread[1] * d + smallest)
    for j in range(sums.shape[1]):
        friction[0, j], friction[1, j] = _least_squares(
            sums[:, j], c, d, c_doubt * c_doubt, d_doubt * d_doubt
        )
