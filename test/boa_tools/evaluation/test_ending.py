# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The sentence with which a run ends is true, and says what to change."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from boa_control.events import Event, EventKind, Refused, SupervisionState
from boa_control.safety.ended import Ended, Reason
from boa_control.safety.faults import Fault, FaultName
from boa_tools.evaluation.ending import closing_sentence
from boa_tools.evaluation.verdict import verdict

STOPPED = Event(
    kind=EventKind.SUPERVISION,
    state=SupervisionState.STOPPED,
    reason="no_way_made",
    place=(1.0, 2.0),
    note="no way made for 15 s",
)
WENT_ON = Event(kind=EventKind.SUPERVISION, state=SupervisionState.GO, reason="as_planned")


def said(
    ended: Ended, way: float | None, completed: bool, events: tuple[Event, ...] = (), **extra: Any
) -> str:
    values = {
        "path_progress_m": way,
        "completed": completed,
        "contacts_mean": 4.0,
        "extra": {"left_path_after_m": None, "contact_lost_fraction": 0.0} | extra,
    }
    log = SimpleNamespace(
        time=np.array([0.0, 40.0]), events=tuple(SimpleNamespace(event=event) for event in events)
    )
    return closing_sentence(values, ended, log, SimpleNamespace(distance=0.538))


def test_a_goal_that_was_reached() -> None:
    assert said(Ended(Reason.DISTANCE), 0.54, True) == "Reached its goal after 40.0 s and 0.54 m."
    lost = said(Ended(Reason.DISTANCE), 0.54, True, contact_lost_fraction=0.2)
    assert lost.endswith("0.54 m, but contacts lost 20 % of the time.")


def test_a_run_that_needed_more_time_says_how_much() -> None:
    told = said(Ended(Reason.DURATION), 0.526, False)
    assert told == (
        "Ended by its time after 40.0 s and 0.53 m, 12 mm before its goal; set duration: 55."
    )
    assert "of 0.54 m; set duration: 75" in said(Ended(Reason.DURATION), 0.369, False)


def test_one_that_stood_says_why_and_is_not_told_to_take_longer() -> None:
    told = said(Ended(Reason.DURATION), 0.1, False, (STOPPED,))
    assert "no way" in told and "duration:" not in told
    assert "it stood" in said(Ended(Reason.DURATION), 0.1, False)


def test_what_went_on_after_it_had_stopped_is_no_cause() -> None:
    assert "set duration: " in said(Ended(Reason.DURATION), 0.4, False, (STOPPED, WENT_ON))


def test_a_run_without_a_goal_ran_its_time() -> None:
    assert said(Ended(Reason.DURATION), None, True) == "Ran its time, 40.0 s."
    assert said(Ended(Reason.DURATION), None, True, (STOPPED, WENT_ON)).endswith("40.0 s.")


def test_of_one_without_a_path_it_is_not_said_that_it_stood() -> None:
    told = said(Ended(Reason.DURATION), None, False)
    assert told == "Ended by its time after 40.0 s, before its goal."


def test_one_whose_robot_was_stopped_on_the_way_says_so() -> None:
    refused = Event(kind=EventKind.NEW_PATH_REFUSED, note="too short")  # explains nothing here
    told = said(Ended(Reason.DURATION), 1.56, True, (WENT_ON, STOPPED, refused))
    assert told == (
        "Ran its time, 40.0 s and 1.56 m; stopped: no way made for 15 s, at (1.000, 2.000)."
    )


@pytest.mark.parametrize("reason", [Reason.HEADING, Reason.CONTACT_FORCE, Reason.INTERRUPTED])
def test_other_ends_are_named(reason: Reason) -> None:
    assert str(reason) in said(Ended(reason), 0.1, False)


def test_what_a_person_has_stopped_because_it_stood_says_why_it_stood() -> None:
    refused = Event(kind=EventKind.START_REFUSED, reason=Refused.COASTED, note="it coasted")
    told = said(Ended(Reason.STOPPED), 0.0, False, (refused,))
    assert told.startswith("Ended after 40.0 s and 0.00 m: stopped; before that, start refused: ")


def test_a_refused_start_is_named_once() -> None:
    refused = Event(kind=EventKind.START_REFUSED, reason=Refused.COASTED, note="it coasted")
    told = said(Ended(Reason.REFUSED), 0.0, False, (refused,))
    assert told.count("start refused") == 1
    assert "start refused" in said(Ended(Reason.REFUSED), 0.0, False)


def test_a_fault_is_told_with_its_remedy() -> None:
    fault = Fault(FaultName.JOINT_FORCE, "joint_03", "joint_03: 52 N, limit 50 N; unload the joint")
    told = said(Ended.by(fault), 0.1, False)
    assert told == (
        "Ended after 40.0 s and 0.10 m by a fault, joint_force: joint_03: 52 N, limit 50 N; "
        "unload the joint."
    )


def test_a_robot_that_was_never_armed_has_not_lost_its_posts() -> None:
    values = {
        "path_progress_m": 0.0,
        "completed": True,
        "contacts_mean": 0,
        "torque_peak_nm": 0.0,
        "extra": {"left_path_after_m": None, "contact_lost_fraction": None},
    }
    assert verdict(values) == "completed, but no torque was given (was the robot armed?)"
    assert verdict(values | {"torque_peak_nm": 1.0}) == "completed, but no post was touched"
