# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of how gaps between the posts and the body open, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.compiled import gaps
from test.boa_control.compiled import by_numpy


@pytest.mark.parametrize("count", [4, 7])
def test_what_the_base_leaves_open_is_a_least_squares_remainder(count: int) -> None:
    rng = np.random.default_rng(count)
    gap, weight = rng.normal(size=(count, 15)), rng.uniform(1e-3, 1.0, size=count)
    rate = rng.normal(size=count)
    np.testing.assert_allclose(
        gaps.left_open(gap, weight, rate), by_numpy.left_open(gap, weight, rate), rtol=1e-8
    )


@pytest.mark.parametrize("turning", [np.nan, 0.02])
@pytest.mark.parametrize("felt", [(1.0,) * 6, (1.0, 0.5, 0.0, 1.0, 0.2, 0.0)])
def test_gaps_are_braked_and_those_of_posts_that_are_not_felt_closed(
    felt: tuple, turning: float
) -> None:
    rng = np.random.default_rng(3)
    gap, (off, joint_rate) = rng.normal(size=(6, 15)), rng.normal(scale=0.01, size=(2, 12))
    activation, distance, reach = rng.uniform(0.1, 1.0, size=(3, 6))
    side, levels = rng.choice([-1.0, 1.0], 6), np.array(felt)
    presence = activation * levels

    def opening(joints: np.ndarray) -> np.ndarray:
        return by_numpy.left_open(gap, presence**2 + 1e-3, gap[:, 3:] @ joints)

    contacts = gaps.Presences(presence, side, distance, reach)
    mass, travel, speed = inertia(rng), rng.normal(size=15), 0.03
    moving = gap[:, 3:] @ joint_rate
    moving += gap[:, :3] @ by_numpy.base_rate(
        gap, presence, moving, mass, travel, speed, joint_rate, turning
    )
    found, rates = np.empty((2, 6))
    motion = gaps.BodyMotion(off, joint_rate, mass, travel, speed, turning)
    away = side * distance - reach + opening(off)
    towards = np.where(presence == 0.0, 0.02 * np.clip(away / 0.5, 0.0, 1.0), 0.0)
    whole = -8.0 * (moving + towards)
    for most in 2.0 * np.abs(whole).max(), np.median(np.abs(whole)):
        gaps.brake_gaps(found, gap, contacts, motion, gaps.BrakeRules(8.0, most, 0.02, 0.5))
        np.testing.assert_allclose(found, np.clip(whole, -most, most), rtol=1e-8)
    gaps.gap_rates(rates, gap, presence, off)
    np.testing.assert_allclose(rates, opening(off), rtol=1e-8)


@pytest.mark.parametrize("scale", [1e-5, 0.1])
def test_open_gaps_are_braked_by_the_smoothed_rates_of_the_joints(scale: float) -> None:
    """Rates below 10 mm/s count as none, and then nothing is braked."""
    rng = np.random.default_rng(3)
    gap, along = rng.normal(size=(6, 15)), rng.normal(size=12)
    before, joint_rate = rng.normal(scale=scale, size=(2, 12))
    presence, rate = rng.uniform(0.1, 1.0, size=6), scale / 10
    off = before + 0.2 * (joint_rate - along * rate - before)
    opening = by_numpy.left_open(gap, presence**2 + 1e-3, gap[:, 3:] @ off)
    wish = -8.0 * presence * (opening - np.clip(opening, -0.01, 0.01))
    most = np.median(np.abs(wish)) if scale > 1e-3 else 1.0
    found, smoothed = np.empty(6), before.copy()
    rules = gaps.OpenGapRules(0.2, 0.01, 8.0, most)
    moves = gaps.brake_open_gaps(found, smoothed, gap, presence, (joint_rate, along, rate), rules)
    assert moves == (np.abs(opening).max() > 0.01) == (scale > 1e-3)
    np.testing.assert_allclose(smoothed, off, rtol=1e-12)
    np.testing.assert_allclose(found, np.clip(wish, -most, most), rtol=1e-8)


def inertia(rng: np.random.Generator) -> np.ndarray:
    """A mass matrix of a chain with 12 joints."""
    part = rng.normal(size=(15, 15))
    mass: np.ndarray = part @ part.T + np.eye(15)
    return mass


def test_a_body_that_its_posts_leave_open_moves_by_its_momentum() -> None:
    """Normals of three posts met in one point; gaps of two that were not felt were braked the wrong
    way, and the body flew off with torques that doubled every 8 ms (40 mm, seed 186).
    """
    rng = np.random.default_rng(7)
    gap, mass, levels = rng.normal(size=(5, 15)), inertia(rng), np.array([1.0, 0, 1.0, 0, 1.0])
    gap[4, :3] = gap[0, :3] - 0.5 * gap[2, :3]
    kept = np.vstack([gap[levels > 0.0], mass[:3]])
    moving = np.linalg.svd(kept)[2][len(kept) :].T @ rng.normal(size=15 - len(kept))
    travel = np.linalg.svd(gap)[2][-1]
    joint_rate = (moving + 0.03 * travel)[3:]
    motion = gaps.BodyMotion(np.zeros(12), joint_rate, mass, travel, 0.03, np.nan)
    contacts = gaps.Presences(levels, np.ones(5), np.zeros(5), np.zeros(5))
    found = np.empty(5)
    gaps.brake_gaps(found, gap, contacts, motion, gaps.BrakeRules(8.0, 100.0, 0.02, 0.5))
    np.testing.assert_allclose(found, -8.0 * (gap @ moving), atol=1e-8)
    assert np.abs(found).max() > 1.0


def test_a_body_that_its_posts_nearly_leave_open_turns_as_gyroscopes_tell() -> None:
    """Two posts of five were not felt, and those that were hardly told of turning: where their
    normals were 1 deg off, a gap that closed at 0.13 m/s was taken for one that opened at 0.07, and
    pulled shut (40 mm, seed 206).
    """
    rng = np.random.default_rng(7)
    true, mass, levels = rng.normal(size=(5, 15)), inertia(rng), np.array([1.0, 0, 1.0, 0, 1.0])
    true[4, :2] = true[0, :2] - 0.5 * true[2, :2]
    true[4, 2] = true[0, 2] - 0.5 * true[2, 2] + 0.05
    gap = true.copy()
    gap[4, 3:] += rng.normal(scale=0.02, size=12)
    moving = np.linalg.svd(true[levels > 0.0])[2][3:].T @ rng.normal(size=12)
    contacts = gaps.Presences(levels, np.ones(5), np.zeros(5), np.zeros(5))
    found = np.empty((2, 5))
    for k, turning in enumerate((moving[2], np.nan)):
        motion = gaps.BodyMotion(np.zeros(12), moving[3:], mass, np.zeros(15), 0.0, turning)
        gaps.brake_gaps(found[k], gap, contacts, motion, gaps.BrakeRules(1.0, 100.0, 0.02, 0.5))
    unfelt = levels == 0.0
    error = np.abs(found + true @ moving)[:, unfelt].max(axis=1)
    assert error[0] < 0.2
    assert error[1] > 5.0 * error[0]


def test_contacts_that_let_the_base_slide_leave_a_remainder_all_the_same() -> None:
    """Those of a straight chain have no say along it: numpy's `solve` called that singular."""
    rng = np.random.default_rng(5)
    gap, rate = rng.normal(size=(6, 15)), rng.normal(size=6)
    gap[:, 0] = 0.0
    best = np.linalg.lstsq(gap[:, :3], rate, rcond=None)[0]
    remainder = rate - gap[:, :3] @ best
    gap[:, 0] = 1e-17 * rng.normal(size=6)  # rounding
    np.testing.assert_allclose(gaps.left_open(gap, np.ones(6), rate), remainder, rtol=1e-8)
