# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaps to posts close no faster than the limit, by a change of the torques that is the least."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controllers import make_controller
from boa_control.controllers.base_estimate import BaseMotion
from boa_control.controllers.closing_speed import (
    BRAKING,
    HORIZON,
    REACH,
    ClosingLimit,
    ClosingSpeed,
    Unlimited,
)
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.contact_geometry import ObstacleMap, chain_pose, find_contacts, gap_jacobian
from boa_control.model.dynamics import PlanarChain
from boa_description.arrays import Array
from boa_description.chain import centre_of_mass
from boa_description.errors import BoaError
from boa_description.scene import Circle

TOLD = briefing(prepare(load_scenario("boa_targets")))
CHAIN = PlanarChain(TOLD.robot)
JOINTS = CHAIN.links - 1
BENT = np.array([0.4, 0.2, -0.3, -0.5, -0.3, 0.2, 0.4, 0.3, 0.0, -0.2, -0.4, -0.3])
NO_FLOOR = np.zeros(CHAIN.links + 2)
LIMIT = 0.02  # m/s


def motion_at(q: Array, qd: Array) -> BaseMotion:
    return BaseMotion(CHAIN.posture(q), qd, centre_of_mass(CHAIN.pitch, q[:3], q[3:]), np.zeros(2))


def post_beside(q: Array, link: int, gap: float) -> Circle:
    """To the left of the middle of a link, at a gap, m."""
    axes = CHAIN.joint_axes(q, CHAIN.posture(q))
    along = (axes[link + 1] - axes[link]) / CHAIN.pitch
    x, y = axes[link : link + 2].mean(axis=0) + (CHAIN.radius + 0.05 + gap) * np.array(
        [-along[1], along[0]]
    )
    return Circle(x=x, y=y, radius=0.05)


def limited(*posts: Circle) -> ClosingSpeed:
    return ClosingSpeed(LIMIT, replace(TOLD, obstacles=posts), CHAIN)


def accelerations(torque: Array, q: Array, qd: Array) -> Array:
    posture = CHAIN.posture(q)
    force = -CHAIN.bias(posture, qd)
    force[3:] += torque - CHAIN.damping * qd[3:]
    return np.array(np.linalg.solve(CHAIN.mass_matrix(posture), force), float)


def gaps(q: Array, post: Circle) -> tuple[Array, Array]:
    """Those in reach, m, and their Jacobian."""
    pose = chain_pose(TOLD.robot, q[:3], q[3:])
    near = find_contacts(pose, ObstacleMap.of((post,)), REACH)
    return near.gap, gap_jacobian(pose, near)


def speed_of_touch(limit: ClosingLimit, q: Array, qd: Array, post: Circle) -> float:
    """At which a chain that nothing drives meets a post, m/s; 0 where it does not within 5 s."""
    for _ in range(2500):
        torque = limit.kept(np.zeros(JOINTS), NO_FLOOR, motion_at(q, qd))
        qd = qd + 2e-3 * accelerations(torque, q, qd)
        q = q + 2e-3 * qd
        gap, rows = gaps(q, post)
        if gap.min(initial=np.inf) <= 0.0:
            return float(-(rows @ qd).min())
    return 0.0


@pytest.mark.parametrize("link", [0, 6, 12])
def test_a_chain_that_swings_at_a_post_meets_it_at_the_limit(link: int) -> None:
    """Late by the horizon, and by what the motion itself does to the gap."""
    q = np.concatenate((np.zeros(3), BENT))
    post = post_beside(q, link, 0.03)
    gap, rows = gaps(q, post)
    swing = np.linalg.solve(CHAIN.mass_matrix(CHAIN.posture(q)), rows[np.argmin(gap)])
    qd = -0.07 / (rows[np.argmin(gap)] @ swing) * swing
    assert speed_of_touch(Unlimited(), q, qd, post) > 2 * LIMIT
    assert LIMIT < speed_of_touch(limited(post), q, qd, post) < 1.4 * LIMIT


@given(
    st.integers(0, JOINTS),
    st.floats(0.0, 0.09),
    st.lists(st.floats(-0.5, 0.5), min_size=JOINTS + 3, max_size=JOINTS + 3),
    st.lists(st.floats(-3.0, 3.0), min_size=JOINTS, max_size=JOINTS),
)
def test_torques_change_only_where_a_gap_asks_for_it(
    link: int, gap: float, rates: list[float], torques: list[float]
) -> None:
    """And then the change makes up for what is lacking."""
    q, qd = np.concatenate((np.zeros(3), BENT)), np.array(rates)
    post = post_beside(q, link, gap)
    torque = np.array(torques)
    kept = limited(post).kept(torque, NO_FLOOR, motion_at(q, qd))
    gap_now, rows = gaps(q, post)
    before, after = accelerations(torque, q, qd), accelerations(kept, q, qd)
    least = -(rows @ qd + np.sqrt(LIMIT**2 + 2 * BRAKING * np.maximum(gap_now, 0.0))) / HORIZON
    lacking = least - rows @ before
    if lacking.max() <= -1e-9:
        np.testing.assert_array_equal(kept, torque)
    if lacking.max() > 1e-9:
        made_up = rows @ (after - before)
        assert (made_up @ np.maximum(lacking, 0.0)) > 0.0
        assert np.all(rows @ after <= np.maximum(rows @ before, least) + np.abs(made_up).max())


def test_a_doubted_post_counts_as_nearer() -> None:
    q = np.concatenate((np.zeros(3), BENT))
    sure = post_beside(q, 6, 0.03)
    _, rows = gaps(q, sure)
    swing = np.linalg.solve(CHAIN.mass_matrix(CHAIN.posture(q)), rows[1])
    closing = motion_at(q, -0.06 / (rows[1] @ swing) * swing)
    doubted = sure.model_copy(update={"std": 0.01})
    assert not limited(sure).kept(np.zeros(JOINTS), NO_FLOOR, closing).any()
    assert limited(doubted).kept(np.zeros(JOINTS), NO_FLOOR, closing).any()


def test_far_posts_leave_the_torques_alone() -> None:
    q = np.concatenate((np.zeros(3), BENT))
    torque = np.linspace(-4, 4, JOINTS)
    fast = np.full(JOINTS + 3, 0.5)
    kept = limited(post_beside(q, 6, REACH + 0.01)).kept(torque, NO_FLOOR, motion_at(q, fast))
    np.testing.assert_array_equal(kept, torque)


def test_a_straight_body_head_on_is_not_bent_in_vain() -> None:
    """Its joints cannot brake it: hardly any torque is tried."""
    q, qd = np.zeros(CHAIN.links + 2), np.zeros(CHAIN.links + 2)
    qd[0] = 0.1
    ahead = Circle(x=CHAIN.links * CHAIN.pitch + CHAIN.radius + 0.051, y=0.0, radius=0.05)
    kept = limited(ahead).kept(np.zeros(JOINTS), NO_FLOOR, motion_at(q, qd))
    assert np.abs(kept).max() < 1e-6


def test_it_asks_for_a_place_in_the_map() -> None:
    with pytest.raises(BoaError, match="closing_speed"):
        make_controller("undulation", {"closing_speed": 0.02, "position": "dead_reckoning"}, TOLD)
