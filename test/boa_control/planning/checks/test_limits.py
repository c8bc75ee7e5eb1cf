# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closure and limits along paths whose answer is known by construction or by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from boa_control.paths.construct import build_path
from boa_control.paths.settings import WaypointPath
from boa_control.planning.checks.along_path import PathScan, Sample, closure_scan
from boa_control.planning.checks.limits import (
    Load,
    carrying_forces,
    feasible,
    friction_limit,
    largest,
    least_loads,
    limit_study,
    preload_limit,
    speed_limit,
)
from boa_description.load import load_robot
from boa_description.scene import GroundFriction
from test.boa_control.circle import circle

BOA = load_robot("boa13")
SETTINGS = circle()


def scan_of(sides: str) -> PathScan:
    return PathScan(
        build_path(SETTINGS.model_copy(update={"sides": sides}), BOA), BOA, spacing=0.012
    )


@pytest.fixture(scope="module")
def lrrl() -> PathScan:
    return scan_of("LRRL")


@pytest.fixture(scope="module")
def lr() -> PathScan:
    return scan_of("LR")


def test_propelling_and_braking_posts_close_but_propelling_ones_alone_do_not(
    lrrl: PathScan, lr: PathScan
) -> None:
    assert np.all(closure_scan(lrrl).order == 1)
    # all forces have a component along the motion, so no set of them balances: closure is
    # impossible
    assert np.all(closure_scan(lr).order == 0)


def test_planned_contacts_have_no_gap(lrrl: PathScan) -> None:
    smallest, _ = lrrl.gaps
    assert np.abs(smallest).max() < 1e-6


def test_a_contact_does_no_work_along_the_path(lrrl: PathScan) -> None:
    for s in (0.1, 0.77, 1.3):
        sample = lrrl.at(s)
        rows, _ = sample.contacts.rows(lrrl.chain, sample.state, 0.0)
        np.testing.assert_allclose(rows @ sample.state.dq, 0.0, atol=1e-4)


def moment(points: np.ndarray, forces: np.ndarray) -> float:
    return float(np.sum(points[:, 0] * forces[:, 1] - points[:, 1] * forces[:, 0]))


def test_carrying_forces_balance_the_whole_chain(lr: PathScan) -> None:
    """Newton and Euler for the chain as one body, from world points and normals."""
    mu = 0.2
    sample = lr.at(0.5)
    forces = carrying_forces(lr, sample, Load(friction=mu))
    assert forces is not None
    state = sample.state
    middle = 0.5 * (state.axes[1:] + state.axes[:-1])
    centre = np.column_stack([middle.real, middle.imag])
    velocity = lr.chain.centre_velocities(lr.chain.posture(state.q), state.dq)
    drag = -mu * BOA.link.mass * 9.81 * velocity / np.linalg.norm(velocity, axis=1, keepdims=True)
    push = forces[:, None] * sample.normals
    np.testing.assert_allclose(push.sum(axis=0) + drag.sum(axis=0), 0.0, atol=2e-2)
    moments = moment(sample.points, push) + moment(centre, drag)
    assert moments == pytest.approx(0.0, abs=2e-2)


def test_friction_needs_power_from_the_joints(lr: PathScan) -> None:
    """Slow motion: joint power equals the power lost to the floor, whatever the contact forces
    are.
    """
    mu, sample = 0.2, lr.at(0.9)
    forces = carrying_forces(lr, sample, Load(friction=mu))
    assert forces is not None
    state = sample.state
    _, push = sample.contacts.rows(lr.chain, state, 0.0)
    torque = (-mu * state.ground - forces @ push)[3:]
    velocity = lr.chain.centre_velocities(lr.chain.posture(state.q), state.dq)
    lost = mu * BOA.link.mass * 9.81 * np.linalg.norm(velocity, axis=1).sum()
    assert torque @ state.dq[3:] == pytest.approx(lost, rel=1e-3)


def test_propelling_posts_carry_more_friction(lrrl: PathScan, lr: PathScan) -> None:
    s = [0.2, 0.6, 1.0]
    for at in s:
        closed = largest(lambda mu, at=at: feasible(lrrl, lrrl.at(at), Load(friction=mu)), 2.0)
        open_ = largest(lambda mu, at=at: feasible(lr, lr.at(at), Load(friction=mu)), 2.0)
        assert 2 * closed < open_


def test_friction_limit_scales_with_torque_where_only_torque_limits(lr: PathScan) -> None:
    """Slow motion is static and linear; `most` is lifted, for at full torque some contact would
    reach 50 N first.
    """
    sample = lr.at(0.4)
    half, full = (
        largest(
            lambda mu, share=share: feasible(
                lr, sample, Load(friction=mu, most=1e4, torque_share=share)
            ),
            2.0,
        )
        for share in (0.5, 1.0)
    )
    assert full == pytest.approx(2 * half, rel=0.001)


SLOW = 1e-6  # m/s
FLOORS = [
    (GroundFriction(), 0.0),
    (GroundFriction(), 0.2),
    (GroundFriction(model="coulomb", mu=0.05), 0.1),
    (GroundFriction(model="viscous", viscous=10.0), 0.05),
    (GroundFriction(model="anisotropic", mu=0.01, mu_normal=0.15), 0.1),
    (GroundFriction(model="anisotropic", mu_normal=0.2), 0.0),
]


@pytest.mark.parametrize(("ground", "contact_friction"), FLOORS)
def test_limits_are_edges_of_what_can_be_carried(
    ground: GroundFriction, contact_friction: float, excess: Callable[..., float]
) -> None:
    """Just below every limit HiGHS finds forces for the motion of the simulated chain, just above
    it finds none.
    """
    scan = PathScan(build_path(SETTINGS, BOA), BOA, ground, contact_friction)
    for s in (0.31, 0.85):
        sample = scan.at(s)

        def beyond(speed: float, floor: GroundFriction, least: float, at: Sample = sample) -> float:
            floor = floor.model_copy(update={"slip_speed": SLOW / 10})
            bounds = {"least": least, "most": BOA.limits.joint_force_fault}
            return excess(
                scan,
                at.state,
                at.contacts,
                speed,
                ground=floor,
                contact_friction=contact_friction,
                **bounds,
            )

        mu = friction_limit(scan, sample)
        v = speed_limit(scan, sample, 1.0, 0.5)
        force = preload_limit(scan, sample)
        assert min(mu, v, force) > 0
        share = (0.98, 1.02)
        rough = [floor_of(ground, x * mu) for x in share]
        assert beyond(SLOW, rough[0], 0.0) < 1e-3
        # links with wheels: no limit up to there
        assert beyond(SLOW, rough[1], 0.0) > 1e-3 or mu == 2.0
        assert beyond(share[0] * v, ground, 0.5) < 1e-3 < beyond(share[1] * v, ground, 0.5)
        assert (
            beyond(SLOW, ground, share[0] * force) < 1e-3 < beyond(SLOW, ground, share[1] * force)
        )


def floor_of(ground: GroundFriction, coefficient: float) -> GroundFriction:
    """A floor of that kind with the coefficient that is a limit of slow motion."""
    if ground.model == "none":
        return GroundFriction(model="coulomb", mu=coefficient)
    if ground.model == "viscous":
        return GroundFriction(model="viscous", viscous=coefficient / SLOW)
    return ground.scaled(coefficient / ground.coefficient)


def test_the_best_profile_is_faster_than_the_slowest_place_and_slower_than_the_fastest() -> None:
    study = limit_study(PathScan(build_path(SETTINGS, BOA), BOA, spacing=0.02))
    assert study.profile is not None
    assert study.speed.min() < study.profile.mean_speed < study.speed.max()


def test_samples_lie_close_on_a_path_without_symmetry() -> None:
    """Holes in the closure a few millimetres long were missed where a whole map got as many samples
    as one repeat.
    """
    points = tuple((0.25 * k, 0.06 * (-1) ** k) for k in range(15))
    path = build_path(WaypointPath(kind="waypoints", points=points, minimum_radius=0.05), BOA)
    assert np.diff(PathScan(path, BOA).positions()).max() < 3e-3


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.2])
def test_who_only_refuses_a_path_refuses_the_same_ones(mu: float) -> None:
    """With LRRL the servos give too little for the floor of 0.2 at most places; with LR no forces
    balance the robot on a smooth floor.
    """
    ground = GroundFriction(model="coulomb", mu=mu) if mu else GroundFriction()
    for sides in ("LRRL", "LR"):
        path = build_path(SETTINGS.model_copy(update={"sides": sides}), BOA)
        scan = PathScan(path, BOA, ground, spacing=0.05)
        full, least = limit_study(scan), least_loads(scan)
        assert np.array_equal(full.friction < mu, least.friction < mu)
        assert np.array_equal(full.speed > 0, least.speed > 0)
        refused = full.friction < mu
        assert np.array_equal(full.friction[refused], least.friction[refused])
