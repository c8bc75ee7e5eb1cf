# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Paths that balance whatever the friction: the corners of a box decide, and the check says up to
where.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.optimisation.balance import TorqueRange, balanced_forces
from boa_control.planning.checks.along_path import PathScan
from boa_control.planning.checks.friction import FrictionRange, Interval, Rubbing
from boa_control.planning.checks.limits import LEAST_FORCE, Load, feasible, withstood
from boa_control.planning.route import RouteSettings
from boa_description.arrays import Array
from boa_description.scene import GroundFriction

CIRCLE = prepare(load_scenario("boa_circle"))
FIELD = prepare(load_scenario("boa_random_field"))
WIDE = FrictionRange(Interval(0.0, 0.3), Interval(0.0, 0.05))


@pytest.mark.parametrize("most", [0.05, 0.2, 0.5])
def test_what_balances_at_the_corners_balances_in_the_box(most: float) -> None:
    """Each post with a friction of its own: places of a path, frictions drawn at random."""
    rng = np.random.default_rng(3)
    scan = PathScan(FIELD.path, FIELD.robot)
    torque = np.full(FIELD.robot.joints, FIELD.robot.limits.torque)
    load = np.zeros(FIELD.robot.joints + 3)
    balanced = []
    for s in np.linspace(*scan.extent, 8)[1:-1]:
        sample = scan.at(float(s))
        smooth, rough = (
            sample.contacts.rows(scan.chain, sample.state, friction)[1] for friction in (0.0, 1.0)
        )

        def carried(friction: Array, smooth: Array = smooth, rough: Array = rough) -> bool:
            push = smooth + np.asarray(friction)[:, None] * (rough - smooth)
            torques = TorqueRange(-torque, torque)
            return balanced_forces(push, load, torques, LEAST_FORCE, 50.0) is not None

        count = len(smooth)
        if all(carried(np.array(corner)) for corner in product((0.0, most), repeat=count)):
            assert all(carried(rng.uniform(0.0, most, count)) for _ in range(50)), s
            balanced.append(s)
    assert balanced or most > 0.05


def test_the_check_says_up_to_where_friction_is_borne() -> None:
    """Just below it all of the box balances, just above it some of its corners do not."""
    scan = PathScan(CIRCLE.path, CIRCLE.robot, spacing=0.1)
    shares = withstood(scan, WIDE)
    assert 0.0 < shares.min() < 1.0
    for s, share in zip(scan.positions(), shares, strict=True):
        for factor, carried in ((0.999, True), (1.002, False)):
            loads = [
                Load(friction=floor, least=LEAST_FORCE, posts=posts)
                for posts, floor in WIDE.corners(factor * float(share))
            ]
            everywhere = all(feasible(scan, scan.at(float(s)), load) for load in loads)
            assert everywhere == carried or share == 1.0, s


def test_a_viscous_floor_counts_as_it_is() -> None:
    """Its drag at rest is none."""
    viscous = PathScan(
        CIRCLE.path, CIRCLE.robot, GroundFriction(model="viscous", viscous=2.0), 0, 0.2
    )
    smooth = PathScan(CIRCLE.path, CIRCLE.robot, spacing=0.2)
    posts_alone = FrictionRange(WIDE.posts, Interval(0.0, 0.0))
    assert withstood(viscous, WIDE) == pytest.approx(withstood(smooth, posts_alone))


def test_a_route_is_searched_for_what_is_known_and_for_a_share_of_the_most() -> None:
    known = GroundFriction(model="coulomb", mu=0.02)
    settings = RouteSettings(ground=known, contact_friction=0.1, most=Rubbing(0.3, 0.06))
    assert settings.rubs_more
    assert settings.rubbing[-1] == Rubbing(0.3, 0.06)
    half = settings.with_share(0.5)
    assert half.rubbing[-1] == pytest.approx(Rubbing(0.2, 0.04))
    assert half.frictions == pytest.approx((0.0, 0.1, 0.2))
    alone = settings.with_share(0.0)
    assert not alone.rubs_more and len(alone.rubbing) == 1
    assert not RouteSettings(ground=known, contact_friction=0.1).rubs_more
