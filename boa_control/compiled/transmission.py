# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torques that the joints pass on, and the loop that controls them, as compiled loops; what the
numbers mean is explained in `hoal.law.transmission`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from boa_control.compiled import compiled, inner
from boa_control.compiled.records import (
    Cube,
    FlagVector,
    IndexVector,
    Matrix,
    Vector,
    on_records,
)


class PostLoads(NamedTuple):
    """Force of the posts across every link, N, and moment of the joint forces about its middle, N
    m, shape (n,) each.
    """

    across: Vector
    moment: Vector


class Touches(NamedTuple):
    """Links that posts touch, and where, m, as in `ContactSet`."""

    link: IndexVector
    offset: Vector


class Gearboxes(NamedTuple):
    """As in `GearboxLosses`."""

    drive: Vector
    back: Vector
    base: Vector


class Wish(NamedTuple):
    """As the arguments of `Transmission.motor_torque`; `rest` is its z."""

    torque: Vector
    direction: Vector
    rate: Vector
    rest: Vector


class Given(NamedTuple):
    """By the motors and to the links at the time of a sample, shape (n - 1,) each.

    Attributes:
        effort: torque of the motors, N m. fed_forward: the part of it that was known, N m.
        passed_on: to the links, N m.
        velocity: of the joints, rad/s. turning: impulse that the turning links have, N m s.
    """

    effort: Vector
    fed_forward: Vector
    passed_on: Vector
    velocity: Vector
    turning: Vector


class Sample(NamedTuple):
    """As the arguments of `LossEstimate.add`."""

    motor: Vector
    load: Vector
    rate: Vector
    moving: FlagVector


class Slow(NamedTuple):
    """Low-passed with the rate w: what was lost, N m, and the angular momentum, N m s, (n - 1,)."""

    lost: Vector
    spin: Vector


@inner
def _within(value: float, most: float) -> float:
    """The value, at most as large as that; NaN stays."""
    if value > most:
        return most
    return -most if value < -most else value


@inner
def _arms(arm: Any, link: Any, offset: Any, zone: float, pitch: float) -> None:
    """As `lever_arms`."""
    arm[:] = pitch / 2
    for k in range(link.size):
        if offset[k] < zone and link[k] > 0:
            arm[link[k] - 1] = pitch
    for k in range(link.size):
        if offset[k] > pitch - zone and link[k] + 1 < arm.size:
            arm[link[k] + 1] = 0.0
    for k in range(link.size):
        arm[link[k]] = offset[k]


@compiled("void(f8[::1], i8[::1], f8[::1], f8, f8)")
def lever_arms(arm: Any, link: Any, offset: Any, zone: float, pitch: float) -> None:
    """Write the places on the links, shape (n,), m, where posts touch them, see
    `hoal.law.transmission.lever_arms`.

    Args:
        link, offset: of the contacts, as in `ContactSet`.
        zone: from a joint, where a post may touch the neighbour too, m.
    """
    _arms(arm, link, offset, zone, pitch)


@on_records
def turning_moments(
    moments: Vector, loads: PostLoads, at: Touches, zone: float, pitch: float, middle: float
) -> None:
    """Write the moments on the links but for those of the joint torques, shape (n,), N m.

    Args:
        zone: as of `lever_arms`. pitch: of the links, m. middle: of a link, moved by the friction
            of the posts, from its tail-side axis, m.
    """
    _arms(moments, at.link, at.offset, zone, pitch)
    for i in range(moments.size):
        moments[i] = loads.moment[i] + (moments[i] - middle) * loads.across[i]


@compiled("void(f8[::1], f8[::1], f8[::1], f8)")
def angular_momenta(momentum: Any, velocity: Any, measured: Any, inertia: float) -> None:
    """Write those of the links, shape (n,), N m s, by gyroscopes, shape (n,), rad/s, and where one
    is NaN by the joint rates, shape (n - 1,), rad/s, with a tail that does not turn.
    """
    by_joints = 0.0
    for i in range(momentum.size):
        if i > 0:
            by_joints += velocity[i - 1]
        momentum[i] = inertia * (by_joints if math.isnan(measured[i]) else measured[i])


@on_records
def motor_torques(
    motor: Vector, fed_forward: Vector, wish: Wish, losses: Gearboxes, damping: float, limit: float
) -> None:
    """Write the torques of the motors, f + z + T within the limit, and what of them is known
    beforehand, f, shape (n - 1,) each, N m; f by `GearboxLosses.motor_torque`.

    Args:
        damping: viscous, of the joints, N m s. limit: N m.
    """
    drive, back, base = losses
    for j in range(motor.size):
        torque, direction = wish.torque[j], wish.direction[j]
        mean, half = (drive[j] + back[j]) / 2, (drive[j] - back[j]) / 2
        needed = torque * mean + direction * (abs(torque) * half + base[j])
        fed_forward[j] = needed - torque + damping * wish.rate[j]
        motor[j] = _within(torque + fed_forward[j] + wish.rest[j], limit)


@on_records
def observe_losses(
    rest: Vector,
    slow: Slow,
    given: Given,
    armature: float,
    rate: float,
    share: float,
    most: float,
) -> bool:
    """Use one sample: write z, shape (n - 1,), N m, and move the low-passes. Where one of the
    torques is not finite, nothing is written, and False returned.

    Args:
        armature: of the rotors, kg m2.
        rate: w, 1/s. share: w times the time since the last sample, at most 1.
        most: that z may be, N m.
    """
    for j in range(rest.size):
        if not math.isfinite(given.passed_on[j]):
            return False
    for j in range(rest.size):
        lost = given.effort[j] - given.passed_on[j] - given.fed_forward[j]
        spin = armature * given.velocity[j] - given.turning[j]
        slow.lost[j] += share * (lost - slow.lost[j])
        slow.spin[j] += share * (spin - slow.spin[j])
        # the low-pass of a rate: by how much the quantity is above its own low-pass, times w
        rest[j] = _within(slow.lost[j] - rate * (spin - slow.spin[j]), most)
    return True


@on_records
def add_sample(
    squares: Cube, products: Matrix, prior: Matrix, sample: Sample, keep: float, weight: float
) -> None:
    """Add the equation of one sample to the normal equations of every joint that moves; see
    `estimation.gearbox_losses`.

    Args:
        squares, products: shapes (n - 1, 3, 3) and (n - 1, 3), less what the `prior`, (n - 1, 3),
            explains.
        keep: share of old samples that stays. weight: of this one.
    """
    unknowns = np.empty(3)
    for j in range(prior.shape[0]):
        if not sample.moving[j]:
            continue
        along = np.sign(sample.rate[j])
        load = sample.load[j] * along
        unknowns[0], unknowns[1], unknowns[2] = max(load, 0.0), min(load, 0.0), 1.0
        explained = 0.0
        for i in range(3):
            explained += unknowns[i] * prior[j, i]
        off = sample.motor[j] * along - explained
        for i in range(3):
            row = unknowns[i] * weight
            products[j, i] = products[j, i] * keep + row * off
            for k in range(3):
                squares[j, i, k] = squares[j, i, k] * keep + row * unknowns[k]


@compiled("b1(f8[::1], f8)")
def reaches(torque: Any, most: float) -> bool:
    """Whether one of the torques, shape (n - 1,), N m, is as large as the most."""
    largest = 0.0
    for j in range(torque.size):
        largest = max(largest, abs(torque[j]))
    return largest >= most
