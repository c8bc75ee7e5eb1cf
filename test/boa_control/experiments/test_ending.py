# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ends of runs before their duration."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.events import Event, EventKind, Refused
from boa_control.experiments.change import changed
from boa_control.experiments.ending import Ending, Standstill
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.plant import FLOOR, ContactTruth, GroundTruth, PlanarTruth
from boa_control.safety.ended import Reason
from boa_description.errors import BoaError

S = 1_000_000_000


def lying(x: float, seconds: float) -> GroundTruth:
    """The robot of wang_free, straight, its centre of mass at x."""
    base = np.array([x - 0.7, 0.0, 0.0])
    return PlanarTruth(round(seconds * S), base, np.zeros(3), np.zeros(9), np.zeros(9))


def test_the_goal_ends_a_run_by_the_true_place() -> None:
    ending = Ending(prepare(load_scenario("wang_free")))
    assert ending.reached(lying(0.0, 0)) is None and ending.reached(lying(3.89, 1)) is None
    assert ending.reached(lying(3.91, 2)) is Reason.GOAL


def test_on_a_robot_the_controller_tells_of_the_goal() -> None:
    """No robot tells its pose; where the true place is known, that alone counts."""
    ending = Ending(prepare(load_scenario("wang_free")))
    assert ending.reached(None) is None
    ending.take([Event(kind=EventKind.TARGET_REACHED, count=1)])
    assert ending.reached(lying(0.0, 0)) is None
    assert ending.reached(None) is Reason.GOAL


def test_the_end_of_a_guide_is_a_goal() -> None:
    ending = Ending(prepare(load_scenario("boa_blind_field")))
    ending.take([Event(kind=EventKind.TARGET_REACHED, count=1)])
    assert ending.reached(None) is None
    ending.take([Event(kind=EventKind.GUIDE_ENDED)])
    assert ending.reached(None) is Reason.GOAL


def test_the_last_target_is_the_goal() -> None:
    ending = Ending(prepare(load_scenario("wang_targets")))
    for count in range(1, 6):
        assert ending.reached(None) is None
        ending.take([Event(kind=EventKind.TARGET_REACHED, count=count)])
    assert ending.reached(None) is Reason.GOAL


def test_a_robot_that_stands_ends_a_run_where_that_was_said() -> None:
    scenario = changed(load_scenario("wang_free"), {"evaluation.stalled": 5.0})
    ending = Ending(prepare(scenario))
    for second in range(10):
        assert ending.reached(lying(0.06 * second, second)) is None
    assert ending.reached(lying(0.56, 13.9)) is None
    assert ending.reached(lying(0.56, 14.1)) is Reason.STALLED


def test_without_a_goal_or_distance_nothing_ends_a_run() -> None:
    scenario = load_scenario("wang_free").model_copy(update={"goal": None})
    ending = Ending(prepare(scenario))
    assert ending.reached(lying(4.0, 1e3)) is None


def test_creeping_is_progress() -> None:
    """Slow but steady: 0.051 m within the patience."""
    stands = Standstill(10.0)
    assert not any(stands.update(k * S, np.array([0.0051 * k, 0.0])) for k in range(60))
    assert stands.update(71 * S, np.array([0.0051 * 59, 0.0]))


def pressed(force: float, obstacle: int = 0) -> GroundTruth:
    contact = ContactTruth.planar(3, obstacle, np.zeros(2), np.array([0.0, 1.0]), force)
    return PlanarTruth(S, np.zeros(3), np.zeros(3), np.zeros(9), np.zeros(9), (contact,))


def test_a_contact_force_ends_a_run_where_that_was_said() -> None:
    scenario = load_scenario("wang_free")
    limited = Ending(prepare(changed(scenario, {"evaluation.stop.contact_force": 25.0})))
    assert limited.exceeded(pressed(24.9)) is None
    assert limited.exceeded(pressed(25.1)) is Reason.CONTACT_FORCE
    assert limited.exceeded(pressed(200.0, FLOOR)) is None  # the weight is no obstacle
    assert Ending(prepare(scenario)).exceeded(pressed(1e4)) is None


def test_a_link_that_turns_too_far_ends_a_run_where_that_was_said() -> None:
    """Started at a heading of 1 rad; all joints bent by 0.1 rad turn the head by 0.9 rad."""
    scenario = changed(load_scenario("wang_free"), {"evaluation.stop.heading": 0.95})
    ending = Ending(prepare(scenario))
    for bend, first, reason in ((0.0, 1.0, None), (0.1, 1.0, None), (0.1, 1.1, Reason.HEADING)):
        base = np.array([0.0, 0.0, first])
        truth = PlanarTruth(S, base, np.zeros(3), np.full(9, bend), np.zeros(9))
        assert ending.exceeded(truth) is reason


def test_the_heading_of_a_robot_in_space_is_refused() -> None:
    scenario = changed(load_scenario("cobra_vertical"), {"evaluation.stop.heading": 1.0})
    with pytest.raises(BoaError, match=r"evaluation\.stop\.heading works in the plane"):
        prepare(scenario)


@pytest.mark.parametrize("reason", [Reason.GOAL, Reason.STALLED])
def test_reasons_have_stable_names(reason: Reason) -> None:
    assert str(reason) in ("goal", "stalled")


@pytest.mark.parametrize(
    ("kinds", "reason"),
    [
        ((EventKind.TOUR_ARRIVED, EventKind.TOUR_OVER), Reason.GOAL),
        ((EventKind.TOUR_OVER,), Reason.STALLED),
    ],
)
def test_a_tour_ends_the_run(kinds: tuple[EventKind, ...], reason: Reason) -> None:
    scenario = load_scenario("wang_free").model_copy(update={"goal": None})
    ending = Ending(prepare(scenario))
    ending.take((Event(kind=EventKind.CONTACT_GAINED, post=1, link=2),))
    assert ending.reached(lying(4.0, 1.0)) is None
    for kind in kinds:
        ending.take((Event(kind=kind),))
    assert ending.reached(lying(4.0, 2.0)) is reason


def test_an_event_that_cannot_be_read_counts_for_nothing() -> None:
    ending = Ending(prepare(load_scenario("boa_circle")))
    ending.take((Event(kind=EventKind.NEW_PATH, value=1.0, s=0.5, record="{}"),))


@pytest.mark.parametrize(
    ("reason", "armed", "ended"),
    [
        (Refused.NO_HOLD, False, Reason.REFUSED),
        (Refused.LAID_ELSEWHERE, True, Reason.REFUSED),
        (Refused.LAID_ELSEWHERE, False, None),
        (Refused.UNCERTAIN, True, None),
    ],
)
def test_a_start_that_is_refused_for_good_ends_a_run_of_a_robot_too(
    reason: Refused, armed: bool, ended: Reason | None
) -> None:
    """Which tells no pose. One whose place is searched may lie in another shape yet, and one that
    is not armed be laid in another.
    """
    ending = Ending(prepare(load_scenario("boa_circle")))
    ending.take((Event(kind=EventKind.START_REFUSED, reason=reason),), armed)
    assert ending.reached(None) is ended
