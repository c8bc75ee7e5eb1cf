# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The programme's derivatives against differences, and its dynamics against the product's closed
form of a chain, which is written in joint angles and knows nothing of bodies of their own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import coo_array

from boa_control.model.dynamics import PlanarChain
from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_tools.contact_implicit.chain import VerticalChain, chain_of
from boa_tools.contact_implicit.motion import Motion, Task
from boa_tools.contact_implicit.programme import GRAVITY, Programme

RNG = np.random.default_rng(0)
TASK = Task(5, 0.02, 0.3, 1.4, 4.8, 10.0)


def turning(bodies: int) -> Array:
    """Joint torques as generalised forces on the bodies."""
    return np.vstack((np.zeros((2 * bodies, bodies - 1)), np.diff(np.eye(bodies), axis=0).T))


def any_chain(bodies: int) -> VerticalChain:
    """Bodies of different sizes, each with two spheres anywhere on it."""
    return VerticalChain(
        RNG.uniform(0.5, 1.0, bodies),
        RNG.uniform(0.01, 0.02, bodies),
        RNG.uniform(0.1, 0.3, bodies),
        0.01,
        0.1,
        np.repeat(np.arange(bodies), 2),
        RNG.uniform(-0.1, 0.1, 2 * bodies),
        0.05,
        0.5,
        turning(bodies),
    )


def differences(function: Callable[[Array], Array], at: Array) -> Array:
    """Central differences of a function, one column for each unknown."""
    step = 1e-6
    columns = [
        (function(at + step * unit) - function(at - step * unit)) / (2 * step)
        for unit in np.eye(at.size)
    ]
    return np.array(columns).T


def test_derivatives_are_those_of_the_constraints() -> None:
    programme = Programme(any_chain(4), TASK)
    z = RNG.uniform(-1, 1, programme.size)
    multipliers = RNG.uniform(-1, 1, programme.rows)

    def slopes(at: Array) -> Array:
        entries = programme.jacobian(at)
        places = (entries.rows, entries.columns)
        return coo_array((entries.values, places), (programme.rows, programme.size)).toarray()

    np.testing.assert_allclose(slopes(z), differences(programme.constraints, z), atol=1e-6)
    entries = programme.hessian(z, 0.7, multipliers)
    places = (entries.rows, entries.columns)
    lower = coo_array((entries.values, places), (programme.size,) * 2).toarray()
    assert not np.triu(lower, 1).any()
    full = lower + np.tril(lower, -1).T
    expected = differences(lambda at: 0.7 * programme.gradient(at) + slopes(at).T @ multipliers, z)
    np.testing.assert_allclose(full, expected, atol=1e-6)


def misfit(step: float, damping: float) -> float:
    """Forces, N, by which three postures a step apart, on the motion of `PlanarChain` under gravity
    and joint torques, miss the programme's dynamics with the joint forces that suit best.
    """
    robot = load_robot("boa13", links=4, override={"actuator": {"damping": damping}})
    planar = PlanarChain(robot)
    q = np.array([0.1, 0.4, 0.3, 0.5, -0.8, 0.6])
    rate = np.array([0.2, -0.1, 1.0, -2.0, 1.5, 0.7])
    torque = np.array([1.0, -2.0, 0.5])
    posture = planar.posture(q)
    links, pitch = planar.links, planar.pitch
    # heights of the centres as rows on the rates: the base's, and the turn of each link before
    reach = pitch * (np.tril(np.ones((links, links)), -1) + 0.5 * np.eye(links))
    rise = reach * posture.cos @ planar.turning_rows
    rise[:, 1] += 1.0
    drive = -planar.link_mass * GRAVITY * rise.sum(axis=0)
    drive[3:] += torque - planar.damping * rate[3:]
    drive -= planar.bias(posture, rate)
    bend = np.linalg.solve(planar.mass_matrix(posture), drive)
    motion = np.array([q + step * k * rate + 0.5 * (step * k) ** 2 * bend for k in (-1, 0, 1)])

    chain = VerticalChain(
        np.full(links, planar.link_mass),
        np.full(links, robot.link.yaw_inertia),
        np.full(links, pitch),
        planar.armature,
        planar.damping,
        np.zeros(0, np.intp),
        np.zeros(0),
        0.05,
        0.5,
        turning(links),
    )
    # the programme's angles grow as a link dips
    turned = motion * np.array([1, 1, -1, -1, -1, -1])
    x, z, theta = chain.placed(turned[:, 3:], turned[:, :3])
    programme = Programme(chain, Task(3, step, 0.0, 3.0, 1e3, 1e3))
    none, free = np.zeros((3, 0)), np.zeros((3, links - 1))
    unknowns = Motion(x, z, theta, free, free, np.tile(-torque, (3, 1)), *(none,) * 5)
    at = programme.vector(unknowns)
    entries = programme.jacobian(at)
    slopes = coo_array(
        (entries.values, (entries.rows, entries.columns)), (programme.rows, programme.size)
    ).toarray()
    dynamics = np.arange(programme.rows).reshape(3, -1)[2, : 3 * links]
    forces = np.arange(programme.size).reshape(3, -1)[2, 3 * links : 5 * links - 2]
    values = programme.constraints(at)[dynamics]
    by_forces = slopes[np.ix_(dynamics, forces)]
    found = np.linalg.lstsq(by_forces, -values, rcond=None)[0]
    return float(np.abs(values + by_forces @ found).max()) / step


@pytest.mark.parametrize(("damping", "order", "within"), [(0.0, 2, 1e-5), (0.1, 1, 2e-3)])
def test_the_dynamics_are_those_of_the_closed_form(
    damping: float, order: int, within: float
) -> None:
    """Forces are of some 10 N. Three postures on a smooth motion differ from it in the second order
    of the step, but the rate of damping, the one over the step, in the first.
    """
    coarse, fine = misfit(1e-3, damping), misfit(1e-4, damping)
    assert fine < within
    assert coarse / fine == pytest.approx(10.0**order, rel=0.05)


def test_cobra_is_seven_bodies_that_weigh_and_turn_as_its_links() -> None:
    """The inertia of two links side by side: each its own, and its mass at half a pitch."""
    robot = load_robot("cobra12")
    chain = chain_of(robot, 0.5)
    assert chain.length == pytest.approx([0.14, *(0.28,) * 5, 0.14])
    assert chain.mass.sum() == pytest.approx(12 * robot.link.mass)
    own, mass, pitch = robot.link.principal_inertia[1], robot.link.mass, robot.link.pitch
    assert chain.inertia[:2] == pytest.approx([own, 2 * (own + mass * (pitch / 2) ** 2)])
    assert chain.offset[:4] == pytest.approx([-0.07, 0.05, -0.12, 0.12])
