# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dead reckoning against what a floor does, and its corrections."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.estimation.dead_reckoning import DeadReckoning
from boa_control.model.dynamics import PlanarChain
from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_description.scene import GroundFriction

CHAIN = PlanarChain(load_robot("wang10"))
FLOOR = GroundFriction(model="mixed", viscous=0.5, viscous_normal=3.0)
MS = 1_000_000


def reckoning(bandwidth: float = 4.0) -> DeadReckoning:
    return DeadReckoning(CHAIN, FLOOR, bandwidth)


def straight(estimate: DeadReckoning, seconds: float, start_ms: int = 0) -> None:
    """The robot lies straight along x and does not bend."""
    for k in range(round(1000 * seconds)):
        stamp = (start_ms + k + 1) * MS
        estimate.move(stamp, 0.001, np.zeros(10), np.zeros((10, 2)))


def test_a_sliding_robot_stops_as_its_floor_says() -> None:
    """v = v0 exp(-c t / m), along and across; the way is v0 m / c in the end."""
    estimate = reckoning()
    estimate.velocity = np.array([0.3, 0.3])
    straight(estimate, 1.0)
    decay = np.exp(-np.array([0.5, 3.0]))
    assert estimate.velocity == pytest.approx(0.3 * decay, rel=5e-3)
    assert estimate.place == pytest.approx(0.3 * (1 - decay) / [0.5, 3.0], rel=5e-3)


def test_a_late_place_corrects_the_place_of_its_own_time() -> None:
    """The robot slides on for 50 ms between the picture and its arrival."""
    estimate = reckoning()
    estimate.velocity = np.array([0.2, 0.0])
    straight(estimate, 0.1)
    where = estimate.place.copy()
    straight(estimate, 0.05, start_ms=100)
    moved = estimate.place - where
    estimate.correct(100 * MS, np.array([1.0, 2.0]))  # the first one counts fully
    assert estimate.place == pytest.approx(np.array([1.0, 2.0]) + moved)


def test_places_pull_with_the_bandwidth() -> None:
    """An error of 0.1 m with 20 places per second at 4 rad/s: below 5 mm after 1.5 s, and the
    velocity is right again.
    """
    estimate = reckoning()
    straight(estimate, 0.001)
    estimate.correct(MS, np.zeros(2))
    for k in range(1, 31):
        straight(estimate, 0.05, start_ms=1 + 50 * (k - 1))
        estimate.correct((1 + 50 * k) * MS, np.array([0.1, 0.0]))
    assert np.abs(estimate.place - [0.1, 0]).max() < 0.005
    assert np.abs(estimate.velocity).max() < 0.02


def test_what_is_older_than_the_memory_changes_nothing() -> None:
    estimate = reckoning()
    straight(estimate, 1.5)
    estimate.correct(100 * MS, np.ones(2))
    assert not estimate.place.any()


def test_steep_dry_friction_is_integrated_without_shaking() -> None:
    """mu 0.3 stops a link at 5 mm/s within 1.7 ms; ticks of 5 ms are divided."""
    dry = GroundFriction(model="coulomb", mu=0.3)
    estimate = DeadReckoning(CHAIN, dry, 4.0)
    estimate.velocity = np.array([0.1, 0.0])
    for k in range(60):
        estimate.move((k + 1) * 5 * MS, 0.005, np.zeros(10), np.zeros((10, 2)))
        assert estimate.velocity[0] >= 0
    assert estimate.place[0] == pytest.approx(0.1**2 / (2 * 0.3 * 9.81), rel=0.05)


GRIP = GroundFriction(model="anisotropic", mu=0.05, mu_normal=0.6, slip_speed=0.015)


def pressed(true: Array) -> tuple[DeadReckoning, Array, Array]:
    """An estimate, headings of a bent robot that slides at a steady velocity (2,), m/s, and the
    forces on its links: three are pressed by posts, which push it on against its floor, and the
    last is not known.
    """
    theta = 0.8 * np.sin(np.arange(10.0))
    estimate = DeadReckoning(CHAIN, GRIP, 4.0)
    outside = estimate.floor_force(theta, np.tile(true, (10, 1)))
    outside[[2, 5]] += [[8.0, 20.0], [-15.0, 3.0]]
    outside[7] -= outside.sum(axis=0)
    outside[9] = np.nan  # a silent sensor
    return estimate, theta, outside


def test_joint_forces_tell_of_a_speed_that_posts_change() -> None:
    """At 0.013 m/s, below the slip speed, where the floor's forces tell of speeds: to 0.3 %, by the
    links that no post presses. The floor alone would have stopped the robot.
    """
    true = np.array([0.012, 0.004])
    estimate, theta, outside = pressed(true)
    for k in range(200):
        estimate.move((k + 1) * 5 * MS, 0.005, theta, np.zeros((10, 2)), outside)
    assert estimate.velocity == pytest.approx(true, abs=3e-5)


def test_links_that_posts_press_for_long_hardly_drag_the_estimate() -> None:
    """A hundredth of the way, at 0.032 m/s for 20 s, where dry friction does not resist a drift
    along the motion.
    """
    true = np.array([0.03, 0.01])
    estimate, theta, outside = pressed(true)
    estimate.velocity = true
    for k in range(4000):
        estimate.move((k + 1) * 5 * MS, 0.005, theta, np.zeros((10, 2)), outside)
    assert estimate.place == pytest.approx(20.0 * true, rel=0.01)


def test_a_blow_of_posts_moves_it_at_once() -> None:
    """All links are pushed by posts alone, with 30 N in all for 0.1 s: what the floor would explain
    must not hold the estimate back.
    """
    estimate = DeadReckoning(CHAIN, GRIP, 4.0)
    outside, mass = np.full((10, 2), [3.0, 0.0]), 10 * CHAIN.link_mass
    for k in range(20):
        estimate.move((k + 1) * 5 * MS, 0.005, np.zeros(10), np.zeros((10, 2)), outside)
    assert estimate.velocity[0] == pytest.approx(30.0 * 0.1 / mass, rel=0.15)


def test_a_link_that_is_not_measured_counts_as_one_on_its_floor() -> None:
    """Nothing measured on any: as without joint forces."""
    theta = 0.8 * np.sin(np.arange(10.0))
    estimates = []
    for outside in (None, np.full((10, 2), np.nan)):
        estimate = DeadReckoning(CHAIN, GRIP, 4.0)
        estimate.velocity = np.array([0.1, 0.02])
        estimate.move(5 * MS, 0.005, theta, np.zeros((10, 2)), outside)
        estimates.append([*estimate.place, *estimate.velocity])
    assert estimates[0] == estimates[1]
