# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot that stands although it should travel says so, with the reason and the remedy."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from boa_control.controllers.hoal.supervision.way_watch import WayWatch, why
from boa_control.controllers.hoal.tick import Tick
from boa_control.estimation.post_friction import Estimate
from boa_control.event_text import text_of
from boa_control.events import Event, EventKind
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.optimisation.friction_limit import friction_limit
from boa_control.planning.along_path import PathScan
from boa_control.planning.limits import Load, feasible

PERIOD = 0.01
EXPERIMENT = prepare(load_scenario("boa_random_field"))
SCAN = PathScan(EXPERIMENT.path, EXPERIMENT.robot)
SAMPLE = SCAN.at(1.05)  # where friction stops the robot first


def watched(rate: float, desired: float, seconds: float, closing: bool = False) -> list[Event]:
    """The events of a robot that moves at `rate` and should at `desired`, m/s."""
    watch = WayWatch(EXPERIMENT.robot, SCAN.chain, EXPERIMENT.path, PERIOD)
    events: list[Event] = []
    for k in range(round(seconds / PERIOD)):
        tick = SimpleNamespace(
            progress=SimpleNamespace(s=1.0 + rate * k * PERIOD),
            desired=desired,
            closing=closing,
            state=SAMPLE.state,
            plan=SimpleNamespace(contacts=SAMPLE.contacts),
        )
        watch.update(cast(Tick, tick), None)
        events += watch.pop_events()
    return events


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


def test_one_that_takes_hold_of_its_posts_may_stand() -> None:
    assert watched(0.0, 0.1, 6.0, closing=True) == []


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
