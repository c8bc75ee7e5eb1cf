# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The search's test of balance agrees with the limit study of a path."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.dynamics import PlanarChain
from boa_control.planning.checks import displaced
from boa_control.planning.checks.along_path import PathScan, Sample
from boa_control.planning.checks.friction import Rubbing
from boa_control.planning.checks.limits import Load, feasible, preload_limit
from boa_control.planning.search.balance import Balance, Touched
from boa_control.planning.search.track import Poses
from boa_description.scene import GRAVITY

EXPERIMENT = prepare(load_scenario("boa_circle"))
ROBOT = EXPERIMENT.robot
PLACES = (0.3, 0.41, 0.55)
SMOOTH_POSTS = (Rubbing(),)


def question(sample: Sample) -> tuple[Poses, Touched]:
    """A pose of the scan as the search sees it."""
    state, contacts = sample.state, sample.contacts
    axes = np.column_stack([state.axes.real, state.axes.imag])
    poses = Poses(np.asarray(state.sigma)[None], axes[None])
    at = np.asarray(state.sigma)[contacts.link] + contacts.offset
    return poses, Touched(at, sample.centres, contacts.side, np.zeros(at.size))


def answers(sample: Sample, drag: float, friction: float, least: float) -> bool:
    balance = Balance(
        ROBOT.limits.torque,
        ROBOT.limits.joint_force_fault,
        (Rubbing(friction, drag),),
        ROBOT.link.mass * GRAVITY,
        ROBOT.link.radius,
        least,
    )
    return balance.holds(*question(sample))


@pytest.mark.parametrize("floor", [0.02, 0.05, 0.1, 0.15, 0.2, 0.4])
def test_it_agrees_on_floors(floor):
    """Without its reserves. The drag of the study is that of slow motion, as here; along chords
    instead of the directions in which links move, hence the 10 % to either side.
    """
    scan = PathScan(EXPERIMENT.path, ROBOT)
    for s in PLACES:
        sample = scan.at(s)
        some, much = (answers(sample, factor * floor, 0.0, 0.5) for factor in (0.9, 1.1))
        assert some >= feasible(scan, sample, Load(friction=floor, least=0.5)) >= much, s


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.3])
def test_it_gives_the_same_largest_preload(friction):
    """Up to the bisection of the study, 0.004 N; between them lie the forces that hold within the
    torques, and those that do not.
    """
    scan = PathScan(EXPERIMENT.path, ROBOT, contact_friction=friction)
    for s in PLACES:
        sample = scan.at(s)
        most = preload_limit(scan, sample)
        assert most > 1.0
        assert answers(sample, 0.0, friction, most - 0.01), s
        assert not answers(sample, 0.0, friction, most + 0.01), s


def test_three_contacts_do_not_hold():
    poses, touched = question(PathScan(EXPERIMENT.path, ROBOT).at(0.3))
    few = Touched(*(column[:3] for column in touched))
    balance = Balance.of(ROBOT, SMOOTH_POSTS)
    assert balance.holds(poses, touched)
    assert not balance.holds(poses, few)


def test_posts_of_one_side_do_not_hold():
    sample = PathScan(EXPERIMENT.path, ROBOT).at(0.3)
    poses, touched = question(sample)
    spine = sample.points + ROBOT.link.radius * sample.normals
    right = (touched.sides < 0)[:, None]
    left_only = touched._replace(
        centres=np.where(right, 2 * spine - touched.centres, touched.centres),
        sides=np.ones_like(touched.sides),
    )
    assert not Balance.of(ROBOT, SMOOTH_POSTS).holds(poses, left_only)


def test_bodies_whose_contacts_carry_too_unlike_forces_are_refused(monkeypatch):
    """Where posts stand elsewhere their balance errs by a share of the largest forces, each post by
    its own. The limit study agrees, for all posts alike, and for one that is known worse.
    """
    monkeypatch.setattr(displaced, "UNEVENNESS", (1.0, 16.0))
    balance = Balance.of(ROBOT, SMOOTH_POSTS, unsure=True)
    scan = PathScan(EXPERIMENT.path, ROBOT)
    sample = scan.at(0.3)
    poses, touched = question(sample)
    held, agreed = [], []
    for share in (1.1, 2.0, 4.0, 8.0):
        for unsure in (slice(None), slice(0, 1)):
            std, most = np.zeros(touched.at.size), np.full(touched.at.size, 16.0)
            std[unsure], most[unsure] = displaced.UNEVENNESS_STD / share, share
            held.append(balance.holds(poses, touched._replace(std=std)))
            agreed.append(feasible(scan, sample, Load(least=1.0, most=most)))
    assert held == agreed
    assert held.count(True) > 1 and any(held[k] < held[k + 1] for k in range(0, 8, 2)), held


@pytest.mark.parametrize("s", PLACES)
def test_a_body_slides_by_as_much_as_its_motions_that_keep_contacts_allow(s, monkeypatch):
    """The largest of all motions of base and joints that open no gap, by their null space."""
    sample = PathScan(EXPERIMENT.path, ROBOT).at(s)
    chain = PlanarChain(ROBOT)
    gap, _ = sample.contacts.rows(chain, sample.state, 0.0)
    _, sizes, rows = np.linalg.svd(gap)
    kept = rows[np.count_nonzero(sizes > 1e-9) :].T
    forward = sample.state.along_rows.mean(axis=0) @ kept
    squared = forward @ np.linalg.solve(kept[3:].T @ kept[3:], forward)
    most = float(np.sqrt(squared))
    poses, touched = question(sample)
    for slide, allowed in ((0.99 * most, False), (1.01 * most, True)):
        monkeypatch.setattr("boa_control.planning.search.balance.SLIDE", slide)
        balance = Balance.of(ROBOT, SMOOTH_POSTS, unsure=True)
        assert balance.holds(poses, touched) == allowed, (s, slide)
