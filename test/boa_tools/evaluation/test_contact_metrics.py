# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact metrics on histories with known answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp
from logs import PERIOD, empty_log, estimates, true_contacts
from run_fakes import RailPlant, free_experiment, path_experiment

from boa_control.controller import ControlOutput
from boa_description.scene import Box, Circle
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.contact_metrics import (
    chatter,
    contact_history,
    established_by_path,
    established_by_touch,
    force_errors,
    planned_obstacles,
    point_errors,
)
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import drive
from boa_tools.runs.runlog import NO_OBSTACLE

POSTS = tuple(Circle(x=float(k), y=0.0, radius=0.05) for k in range(4))


def column(*runs: tuple[int, float]) -> np.ndarray:
    """One contact's force from (ticks, force) pairs, shape (T, 1)."""
    return np.concatenate([np.full(count, force) for count, force in runs])[:, None]


def test_a_gap_of_20_ms_is_chatter_a_longer_one_is_a_loss():
    force = column((100, 5.0), (10, 0.0), (100, 5.0), (11, 0.0), (79, 5.0))
    found = chatter(force, np.ones_like(force, bool), PERIOD)
    assert found.fraction == pytest.approx(10 / 300)
    assert found.rate == pytest.approx(1 / (300 * PERIOD))
    assert found.lost == pytest.approx(21 / 300)


def test_time_before_the_first_and_after_the_last_touch_is_lost_but_no_chatter():
    force = column((5, 0.0), (90, 5.0), (5, 0.0))
    found = chatter(force, np.ones_like(force, bool), PERIOD)
    assert (found.fraction, found.rate) == (0.0, 0.0)
    assert found.lost == pytest.approx(0.1)


def test_only_established_time_counts():
    force = column((50, 5.0), (5, 0.0), (45, 5.0))
    established = np.ones_like(force, bool)
    established[48:60] = False  # the contact was being passed on
    found = chatter(force, established, PERIOD)
    assert (found.fraction, found.lost) == (0.0, 0.0)


def test_no_contacts_means_not_applicable():
    found = chatter(np.zeros((10, 2)), np.zeros((10, 2), bool), PERIOD)
    assert (found.fraction, found.rate, found.lost) == (None, None, None)


@settings(max_examples=150)
@given(
    hnp.arrays(bool, (60, 3)),
    hnp.arrays(bool, (60, 3)),
)
def test_chatter_agrees_with_a_plain_walk_through_time(touching, established):
    found = chatter(np.where(touching, 1.0, 0.0), established, PERIOD)
    ticks = events = 0
    for k in range(touching.shape[1]):
        gap = None  # ticks since an established contact was lost
        for t in range(touching.shape[0]):
            if not established[t, k]:
                gap = None
            elif touching[t, k]:
                if gap is not None and 0 < gap <= 10:
                    ticks, events = ticks + gap, events + 1
                gap = 0
            elif gap is not None:
                gap += 1
    total = established.sum()
    if total:
        assert found.fraction == pytest.approx(ticks / total)
        assert found.rate == pytest.approx(events / (total * PERIOD))
        assert found.lost == pytest.approx((established & ~touching).sum() / total)


def test_touches_become_contacts_after_50_ms_and_bridge_20_ms():
    force = column((20, 0.0), (24, 3.0), (20, 0.0), (30, 3.0), (10, 0.0), (30, 3.0), (15, 0.0))
    established = established_by_touch(force, PERIOD)[:, 0]
    # the first touch was too short
    assert np.flatnonzero(established).tolist() == list(range(64, 134))


def test_the_path_plans_contacts_between_the_ends_of_the_robot():
    path = path_experiment().path
    s = path.contacts[3].s
    tail = np.array([s - 1.0, s - 0.2, s - 0.03, s - 0.029])
    planned = established_by_path(path, tail, tail + 0.5, np.array([3]))
    assert planned[:, 0].tolist() == [False, True, True, False]
    lap = path.curve.length
    again = established_by_path(path, tail + 2 * lap, tail + 2 * lap + 0.5, np.array([3]))
    assert np.array_equal(planned, again)
    # not the path's
    assert not established_by_path(path, tail, tail + 0.5, np.array([len(path.contacts)])).any()


def test_posts_that_were_passed_are_planned():
    path = path_experiment().path
    s = np.array([post.s for post in path.contacts])
    tail = np.linspace(s[20] + 0.01, s[20] + 1.0, 50)
    passed = planned_obstacles(path, tail, tail + 0.5)
    reach = np.mod(s - tail[0], path.curve.length)
    assert set(passed) == {k for k in range(24) if reach[k] <= 1.5 - 0.01} and 20 not in passed
    assert planned_obstacles(path, tail, tail + 2 * path.curve.length).size == 24


def test_a_planned_contact_that_never_happens_is_lost_time():
    experiment = path_experiment(duration=0.2)
    log = drive(experiment, RailPlant(experiment), Silent()).log  # it touches nothing
    analysis = Analysis(log, experiment)
    established, source = analysis.established
    assert source == "path" and established.sum(axis=1).min() >= 4
    assert metrics(analysis)["extra"]["contact_lost_fraction"] == 1.0


class Silent:
    """A controller that reports no contacts."""

    def reset(self): ...

    def step(self, frame):
        return ControlOutput(np.zeros(12))


def test_estimates_for_two_links_on_one_post_add_up():
    rows = [(0, 1, 0, 1, True, 0.1, 1.5, 2.0), (0, 1, 1, 1, False, 0.0, 0.5, 1.0)]
    history = contact_history(empty_log(2, contacts=estimates(rows)), POSTS)
    assert (
        history.estimate[0, 0] == 2.0
        and history.reference[0, 0] == 3.0
        and history.established[0, 0]
    )
    assert np.isnan(history.estimate[1, 0]) and not history.established[1, 0]


def test_forces_of_two_links_on_one_post_are_one_contact():
    rows = [
        (0, 0, 1, (0, 0), (0, 1), 2.0),
        (0, 1, 1, (0, 0), (0, 1), 3.0),
        (1, 1, 1, (0, 0), (0, 1), 4.0),
    ]
    history = contact_history(empty_log(2, true_contacts=true_contacts(rows)), POSTS)
    assert history.obstacle.tolist() == [1]
    assert history.force[:, 0].tolist() == [5.0, 4.0]


def test_a_wall_is_one_contact_per_link():
    rows = [(0, 0, 0, (0, 0), (0, 1), 2.0), (0, 1, 0, (0, 0), (0, 1), 3.0)]
    wall = (Box(x=0.0, y=0.0, length=1.0, width=0.1),)
    history = contact_history(empty_log(1, true_contacts=true_contacts(rows)), wall)
    assert history.force.tolist() == [[2.0, 3.0]]
    assert history.obstacle.tolist() == [0, 0]


def test_without_a_map_contacts_are_told_apart_by_link():
    log = empty_log(
        1,
        true_contacts=true_contacts([(0, 2, 3, (0, 0), (0, 1), 2.0)]),
        contacts=estimates([(0, NO_OBSTACLE, 2, 1, True, 0.1, 1.5, 2.5)]),
    )
    history = contact_history(log, POSTS)
    assert (history.force.tolist(), history.estimate.tolist()) == ([[2.0]], [[1.5]])
    assert history.reference.tolist() == [[2.5]] and history.obstacle.tolist() == [NO_OBSTACLE]


def test_the_reference_of_a_tick_is_judged_by_the_force_of_the_next():
    force = np.array([[9.0], [5.5], [6.5], [0.0]])
    reference = np.array([[5.0], [6.0], [7.0], [8.0]])
    error, wanted = force_errors(force, reference, np.ones((4, 1), bool))
    assert error.tolist() == [0.5, 0.5, -7.0]
    assert wanted.tolist() == [5.0, 6.0, 7.0]


def test_contacts_that_are_not_established_have_no_force_error():
    force = np.full((5, 1), 3.0)
    established = np.array([[True], [True], [False], [True], [True]])
    assert force_errors(force, force * 0, established)[0].size == 2
    assert force_errors(force, force * np.nan, established)[0].size == 0


def test_contact_points_are_compared_in_the_world():
    experiment = free_experiment(
        links=3, scene={"obstacles": [{"kind": "circle", "x": 0, "y": 9, "radius": 0.05}]}
    )
    pitch, radius = experiment.robot.link.pitch, experiment.robot.link.radius
    base = np.array([[1.0, 2.0, np.pi / 2]])  # straight up; link 2 begins one pitch above
    true = (1.0 - radius, 2.0 + pitch + 0.04)  # left of link 2
    log = empty_log(
        1,
        true_contacts=true_contacts([(0, 1, 0, true, (1, 0), 2.0)]),
        contacts=estimates([(0, 0, 1, 1, True, 0.05, 2.0, 2.0)]),
    )
    log.truth.base[:] = base
    assert point_errors(log, experiment, np.array([True])) == pytest.approx([0.01])
    assert point_errors(log, experiment, np.array([False])).size == 0
