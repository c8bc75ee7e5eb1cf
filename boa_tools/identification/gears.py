# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gearboxes of all joints from windows of motion, by models that are held against each other.

With command u (effort), rate w of sign s and Stribeck zone z(w), in the reduced form in which the
load's share is written as the motor's (`boa_description.gearbox_friction`; Duclusaud et al., ICRA
2025),

    L = k u - s (k lm |u| + b + z (k lms |u| + b_s)) - d w - I w',

linear in k, k lm, b, k lms, b_s of every joint and d, I of all; beside them a constant of every
joint takes what the zeros of the force sensors are off. The load's own share le cannot be
told from lm and k together: currents and loads show at one rate how much is passed on by a joint
that drives and by one that is driven back, and no third number.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array
from boa_description.gearbox_friction import GearboxFriction
from boa_tools.identification.regression import NormalEquations, inverses
from boa_tools.identification.windows import LATEST, Windows

COMMON = 5  # unknowns of all joints, see `Gears`
LATENCY = 10  # column of the last
ITERATIONS = 4  # of the latency, in which the torques are not linear
NOISE = 0.01  # N m, of a window, with all that its neighbours have in common
# of k, k lm, b, k lms, b_s and the zero, from joint to joint: gearboxes of one kind are alike
SPREAD = np.array([0.2, 0.15, 0.1, 0.15, 0.1, 0.1])
DIFFERENCES = 0.1  # N m, of a window: one gearbox for all joints leaves so much
DOUBT = np.array([np.inf, 1.0, 0.2, 1.0, 0.2, 0.2])  # of the average, around zero
DIFFERENCE = 0.002  # s, of the latency, over which the torques are differentiated


class Model(NamedTuple):
    """Which of the friction's parts there are.

    Attributes:
        name: to choose it by. paper: what the paper calls it.
        parts: of k, k lm, b, k lms, b_s, shape (5,), 1 where it is estimated.
    """

    name: str
    paper: str
    parts: tuple[int, int, int, int, int]


MODELS = {
    model.name: model
    for model in (
        Model("viscous", "", (1, 0, 0, 0, 0)),
        Model("coulomb", "M1", (1, 0, 1, 0, 0)),
        Model("stribeck", "M2", (1, 0, 1, 0, 1)),
        Model("load", "M3", (1, 1, 1, 0, 0)),
        Model("load_stribeck", "M4, M5", (1, 1, 1, 1, 1)),
    )
}


class Gears(NamedTuple):
    """One estimate, or many in leading dimensions.

    Attributes:
        own: k (1), k lm (1), b (N m), k lms (1), b_s (N m), zero (N m) of every joint, shape
            (..., n - 1, 6).
        common: d (N m s), I (kg m2), by how much the posts are further ahead on their links than
            the controller thought (m), by how much joints that drive lose less without load than
            those that are driven back (half, N m), latency of the force samples (s), shape
            (..., 5).
    """

    own: Array
    common: Array

    def predicted(self, windows: Windows, zone: GearboxFriction) -> Array:
        """Torques passed on, (W, n - 1), N m."""
        columns = _columns(windows, zone, np.ones(5))
        own: Array = np.einsum("wjc,jc->wj", columns[..., :6], self.own)
        return own + columns[..., 6:10] @ self.common[:4]

    def passed_on(self, rate: float, zone: GearboxFriction) -> Array:
        """Shares of the command that each joint passes on when it drives and when it is driven
        back, and dry friction, N m, in motion at `rate`, rad/s; shape (..., n - 1, 3).
        """
        told: Array = self.own @ _rows(rate, zone).T
        told[..., 2] += rate * self.common[..., :1]
        return told


class GearsFit(NamedTuple):
    """An estimate, and those without each block of the data.

    Attributes:
        rate: typical one of the joints that moved, rad/s.
        alike: variances of what `Gears.passed_on` says, (n - 1, 3), as far as a joint is taken for
            the average, which it need not be.
    """

    model: Model
    zone: GearboxFriction
    gears: Gears
    without_each: Gears
    rate: float
    alike: Array


def fit(
    at: Callable[[float], Windows],
    model: Model,
    zone: GearboxFriction,
    start: Gears | None = None,
    late: bool = True,
) -> GearsFit:
    """Least squares; the latency by Gauss-Newton steps, one alone from the result of like data.

    Args:
        at: windows, if the force samples are so much older than their stamps, s.
        zone: whose rate and shape the Stribeck zone has.
        late: the samples may be older than their stamps say; else one message brought all.
    """
    parts = np.array(model.parts, float)
    if start is None:
        windows = at(0.0)
        equations = _equations(windows, zone, parts, None)
        gears = Gears(*_solved(equations.total(), parts))
    else:
        gears, windows = start, at(float(start.common[-1]))
    latency = float(gears.common[-1])
    before = np.zeros(COMMON)
    for _ in range((ITERATIONS if start is None else 1) if late else 0):
        earlier, later = (
            gears.predicted(at(latency + side * DIFFERENCE), zone) for side in (-1, 1)
        )
        equations = _equations(windows, zone, parts, (later - earlier) / (2 * DIFFERENCE))
        before = np.array([0.0, 0.0, 0.0, 0.0, latency])
        own, common = _solved(equations.total(), parts)
        gears = Gears(own, common + before)
        latency = float(np.clip(gears.common[-1], -LATEST, LATEST))
        windows = at(latency)
    own, common = _solved(equations.without_each(), parts)
    moved = np.abs(windows.rate[windows.moving])
    rate = float(np.median(moved)) if moved.size else 0.0
    return GearsFit(
        model,
        zone,
        gears,
        Gears(own, common + before),
        rate,
        _alike(equations.total(), parts, _rows(rate, zone)),
    )


def unexplained(gears: Gears, windows: Windows, zone: GearboxFriction) -> Array:
    """What an estimate leaves of the torques passed on, mean square of every block, (B,), N2 m2."""
    off = np.where(windows.moving, windows.passed_on - gears.predicted(windows, zone), 0.0)
    which = np.unique(windows.block, return_inverse=True)[1]
    squares = np.bincount(which, (off**2).sum(axis=1))
    counts = np.bincount(which, windows.moving.sum(axis=1).astype(float))
    mean: Array = squares[counts > 0] / counts[counts > 0]
    return mean


def _rows(rate: float, zone: GearboxFriction) -> Array:
    """What is passed on at a rate as rows on the joint's own unknowns, (3, 6)."""
    share = float(zone.zone(np.array(rate)))
    return np.array(
        [[1, -1, 0, -share, 0, 0], [1, 1, 0, share, 0, 0], [0, 0, 1, 0, share, 0]], float
    )


def _weight(parts: Array) -> Array:
    """Of the prior that joints are alike, (6,)."""
    return np.append(parts, 1.0) * (NOISE / SPREAD) ** 2


def _solved(equations: NormalEquations, parts: Array) -> tuple[Array, Array]:
    doubt = np.append(parts, 1.0) * (DIFFERENCES / DOUBT) ** 2
    return equations.near_average(COMMON, _weight(parts), doubt).solve(COMMON)


def _alike(equations: NormalEquations, parts: Array, rows: Array) -> Array:
    """See `GearsFit`."""
    size, weight = SPREAD.size, np.diag(_weight(parts))
    kept = inverses(equations.square[:, :size, :size] + weight) @ weight
    variances: Array = ((rows @ kept * SPREAD) ** 2).sum(axis=-1)
    return variances


def _equations(
    windows: Windows, zone: GearboxFriction, parts: Array, late: Array | None
) -> NormalEquations:
    columns = _columns(windows, zone, parts)
    if late is not None:
        columns[..., LATENCY] = late
    return NormalEquations.of(columns, windows.passed_on, windows.moving, windows.block)


def _columns(windows: Windows, zone: GearboxFriction, parts: Array) -> Array:
    """Of the equations, (W, n - 1, 11): six of the joint's own, then the common ones."""
    against = -np.sign(windows.rate)
    share = zone.zone(windows.rate)
    own = np.stack(
        (
            windows.motor,
            against * windows.size,
            against,
            against * share * windows.size,
            against * share,
        ),
        axis=-1,
    )
    zero = np.ones((*against.shape, 1))
    # the load's own share divides by 1 + le what a joint that drives loses, else by 1 - le
    uneven = np.any(parts[1:] > 0) * np.sign(windows.motor)
    rest = (
        -windows.rate,
        -windows.acceleration,
        -windows.shifted,
        uneven,
        np.zeros_like(against),
    )
    return np.concatenate((own * parts, zero, np.stack(rest, axis=-1)), axis=-1)
