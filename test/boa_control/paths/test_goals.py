# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals without posts, and when they are reached."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import TypeAdapter

from boa_control.paths.goals import Course, Goal, GoalSettings, Pursuit, Targets, build_goal


def goal(**settings: object) -> Goal:
    return build_goal(TypeAdapter(GoalSettings).validate_python(settings), np.zeros(2))


def test_targets_are_reached_in_order_and_within_their_own_distances() -> None:
    """A controller turns to the next at the acceptance; the truth counts within the tolerance."""
    targets = goal(kind="targets", points=[[1, 0], [0, 0]], acceptance=0.1, tolerance=0.2)
    assert isinstance(targets, Targets)
    believed, true = Pursuit(targets, targets.acceptance), Pursuit(targets)
    for x, expected in [(0.0, (0, 0)), (0.79, (0, 0)), (0.81, (0, 1)), (0.91, (1, 1))]:
        news = [pursuit.update(np.array([x, 0.0])) for pursuit in (believed, true)]
        assert (believed.reached, true.reached) == expected
    assert news == [True, False]
    assert not true.done and true.update(np.array([0.1, 0.1])) and true.done
    assert not true.update(np.zeros(2)), "once only"


def test_a_line_ends_after_its_length_wherever_one_started_beside_it() -> None:
    line = goal(kind="line", start=[0, 1], heading=np.pi / 2, length=3)
    pursuit = Pursuit(line)
    for y in np.arange(1.5, 3.9, 0.1):
        pursuit.update(np.array([-0.2, y]))
    assert not pursuit.done and pursuit.offset == pytest.approx(0.2)
    assert pursuit.progress == pytest.approx(2.3)
    assert pursuit.update(np.array([0.0, 3.96])) and pursuit.done


def test_a_controller_may_go_to_the_very_end_of_a_course_which_counts_as_finished_before() -> None:
    line = goal(kind="line", length=1.0)
    believed, true = Pursuit(line, 0.0), Pursuit(line)
    assert true.update(np.array([0.96, 0.0])) and not believed.update(np.array([0.96, 0.0]))
    assert believed.update(np.array([1.001, 0.0]))


def test_a_line_without_an_end_is_never_reached() -> None:
    pursuit = Pursuit(goal(kind="line"))
    assert not any(pursuit.update(np.array([x, 0.0])) for x in np.arange(0, 60, 0.1))
    assert pursuit.progress == pytest.approx(59.9)


def test_a_loop_is_done_after_its_laps() -> None:
    loop = goal(kind="circle", radius=1.0, start=[2, 0], heading=np.pi / 2, laps=1.5)
    assert isinstance(loop, Course) and loop.distance == pytest.approx(3 * np.pi, rel=1e-4)
    pursuit = Pursuit(loop)
    for angle in np.arange(0, 3 * np.pi - 0.1, 0.05):
        pursuit.update(np.array([1 + np.cos(angle), np.sin(angle)]))
    assert not pursuit.done and abs(pursuit.offset) < 1e-3
    pursuit.update(np.array([1 + np.cos(3 * np.pi), 0.0]))
    assert pursuit.done
    pursuit.reset()
    assert not pursuit.done and pursuit.progress == 0.0
