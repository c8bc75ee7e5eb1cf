# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot that stands although it should travel says so, with the reason and the remedy."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from boa_control.controllers.hoal.law.transmission import Transmission
from boa_control.controllers.hoal.supervision.reasons import Finding, Reason
from boa_control.controllers.hoal.supervision.stall_report import StallReport, why
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.post_friction import Estimate
from boa_control.event_text import text_of
from boa_control.events import Event, EventKind
from boa_control.optimisation.balance import friction_limit
from boa_control.planning.checks.along_path import PathScan
from boa_control.planning.checks.limits import Load, feasible
from test.boa_control.controllers.hoal.random_field import EXPERIMENT

PERIOD = 0.01
SLIP = SHIPPED.supervision.strange_way
SCAN = PathScan(EXPERIMENT.path, EXPERIMENT.robot)
SAMPLE = SCAN.at(1.05)  # where friction stops the robot first
LEVEL = np.where(np.arange(SAMPLE.contacts.link.size) == 1, 1.0, 0.2)


class Found:
    """Stands in for the watch of the joints, which has tests of its own."""

    def __init__(self, found: Finding | None) -> None:
        self._found = found

    def update(self, tick: Tick, transmission: Transmission) -> Finding | None:
        return self._found


class Watched:
    """A robot that moves at `rate` and should at `desired`, m/s, with a joint that sticks from some
    time on, s.
    """

    def __init__(
        self,
        rate: float,
        desired: float,
        closing: bool = False,
        sticks_after: float = math.inf,
        lost: bool = False,
    ) -> None:
        self._rate, self._desired, self._closing, self._lost = rate, desired, closing, lost
        self._sticks_after = sticks_after
        self.stuck: list[float] = []  # s, at which a joint held it for good

    def run(self, seconds: float) -> list[Event]:
        """The events."""
        watch = StallReport(EXPERIMENT.robot, SCAN.chain, EXPERIMENT.path, PERIOD)
        events: list[Event] = []
        for k in range(round(seconds / PERIOD)):
            time = k * PERIOD
            place = 1.0 + self._rate * time
            sticks = Finding(Reason.JOINTS_STICK, 2.0, joints=(4,))
            watch._joints = cast(Any, Found(sticks if time >= self._sticks_after else None))
            tick = SimpleNamespace(
                progress=SimpleNamespace(s=place),
                place=place,
                desired=self._desired,
                closing=self._closing,
                travel=SimpleNamespace(speed=abs(self._desired)),
                contacts=SAMPLE.contacts,
                level=LEVEL,
                state=SAMPLE.state,
                plan=SimpleNamespace(contacts=SAMPLE.contacts),
            )
            watch.update(cast(Tick, tick), cast(Transmission, None), None, self._lost)
            events += watch.events.pop()
            if tick.stuck is not None:
                self.stuck.append(time)
        return events


def watched(rate: float, desired: float, seconds: float, **more: Any) -> list[Event]:
    return Watched(rate, desired, **more).run(seconds)


@pytest.mark.parametrize("desired", [0.1, -0.1, 0.03, 0.005])
def test_a_standstill_is_told_once_within_three_seconds(desired: float) -> None:
    (event,) = watched(0.0, desired, 3.0)
    assert event.kind == EventKind.STANDSTILL and event.count == SAMPLE.contacts.link.size
    assert watched(0.0, desired, 12.0) == [event]
    assert "stands although it should travel" in text_of(event) and "--post-friction" in text_of(
        event
    )


@pytest.mark.parametrize(
    ("rate", "desired"), [(0.1, 0.1), (0.006, 0.1), (0.002, 0.004), (0.0, 1e-3)]
)
def test_a_robot_that_gets_on_or_need_not_is_left_alone(rate: float, desired: float) -> None:
    assert watched(rate, desired, 6.0) == []


def test_one_that_is_lost_has_told_why_it_rests() -> None:
    assert watched(0.0, 0.1, 6.0, lost=True) == []


@pytest.mark.parametrize("desired", [0.1, -0.1])
def test_one_that_slips_back_is_not_sent_on(desired: float) -> None:
    robot = Watched(-desired / 2, desired)
    assert robot.run(2.0) == [], "what has stopped it tells the supervision"
    assert robot.stuck[0] == pytest.approx(SLIP / 0.05, abs=2 * PERIOD)


@pytest.mark.parametrize(("speed", "told"), [(0.1, 1), (0.0, 0)])
def test_one_that_does_not_get_hold_of_its_posts_is_told_within_three_seconds(
    speed: float, told: int
) -> None:
    """Unless it shall stand; the second of its posts has been taken on."""
    names = [str(post) for post in SAMPLE.contacts.post]
    assert watched(0.0, speed, 2.9, closing=True) == []
    events = watched(0.0, speed, 6.0, closing=True)
    assert len(events) == told
    for event in events:
        assert event.kind == EventKind.STANDSTILL and event.count == len(names) - 1
        assert f"posts {', '.join([names[0], *names[2:]])} yet" in text_of(event)


@pytest.mark.parametrize("sticks_after", [1.9, 1.99])
def test_where_a_joint_sticks_nothing_else_is_blamed_and_in_the_end_it_is_for_good(
    sticks_after: float,
) -> None:
    robot = Watched(0.0, 0.1, sticks_after=sticks_after)
    (event,) = robot.run(7.0)
    assert text_of(event) == "joint 4 stuck at 2.0 N m"
    assert robot.stuck[0] == pytest.approx(5.0, abs=2 * PERIOD)


def test_a_joint_that_is_found_later_is_the_last_reason() -> None:
    kinds = [event.kind for event in watched(0.0, 0.1, 12.0, sticks_after=4.0)]
    assert kinds == [EventKind.STANDSTILL, EventKind.JOINTS_STICK]


def test_the_limit_is_that_of_the_check() -> None:
    limit = friction_limit(EXPERIMENT.robot, SCAN.chain, SAMPLE.state, SAMPLE.contacts)
    assert limit > 0.0
    for friction, carried in ((limit, True), (limit + 0.005, False)):
        assert feasible(SCAN, SAMPLE, Load(least=0.5, posts=friction)) == carried


def test_the_reason_depends_on_what_is_measured() -> None:
    contacts = SAMPLE.contacts
    assert "0.20 +- 0.01 measured" in why(contacts, 0.05, Estimate(0.2, 0.0, 0.01, 0.01))
    assert "what holds a link" in why(contacts, 0.05, Estimate(0.02, 0.0, 0.01, 0.01))
    assert "do not balance it here" in why(contacts, -1.0, None)
