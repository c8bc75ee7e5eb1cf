# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A floor that is not level, before the start and as it begins: held or refused, and how it is
told.
"""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.controller import HoalController
from boa_control.controllers.hoal.law import gravity
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.floor_tilt import LEVEL, Downhill
from boa_control.events import EventKind, Refused
from boa_control.experiments.build import briefing
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.safety.ended import Reason
from boa_description.load import load_robot
from boa_tools.runs.drive import RunResult, run_experiment
from test.boa_control.controllers.hoal.robot_rate import at_robot_rate

pytestmark = pytest.mark.closed_loop

BOA = load_robot("boa13")
SLIPPED = 0.002  # m; a body that is not held falls so far down 2 degrees in 0.11 s


def started(degrees: float, direction: float, duration: float = 1.0) -> RunResult:
    tilt = {"angle": float(np.radians(degrees)), "direction": direction}
    scenario = changed(
        at_robot_rate(load_scenario("boa_tilted")),
        {"duration": duration, "disturbance.floor_tilt": tilt},
    )
    return run_experiment(prepare(scenario))


def slipped(result: RunResult) -> float:
    """Largest way of link 1, m."""
    assert result.log.truth is not None
    base = result.log.truth.base[:, :2]
    return float(np.hypot(*(base - base[0]).T).max())


def test_posts_that_may_stand_off_the_map_hold_no_robot_on_a_smooth_floor() -> None:
    """It would slide to them, and strike them."""
    tilt = {"angle": 0.01, "direction": 1.0}
    scenario = changed(load_scenario("boa_offset_10mm"), {"disturbance.floor_tilt": tilt})
    assert run_experiment(prepare(scenario)).ended.reason is Reason.REFUSED


@pytest.mark.parametrize("direction", [0.0, np.pi])
@pytest.mark.parametrize("told", [True, False])
def test_posts_hold_a_robot_whose_weight_is_fed_forward(
    told: bool, direction: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether its IMUs tell the tilt before the start, or its links weigh it once that begins."""
    if not told:
        monkeypatch.setattr(gravity, "downhill_of", lambda *_: LEVEL)
    result = started(2.0, direction)
    assert result.ended.reason is Reason.DURATION
    assert slipped(result) < SLIPPED


@pytest.mark.parametrize("told", [True, False])
def test_a_tilt_that_the_posts_ahead_do_not_hold_is_refused(
    told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the angle, and the one that they hold: about 2.8 degrees on this circle."""
    if not told:
        monkeypatch.setattr(gravity, "downhill_of", lambda *_: LEVEL)
    result = started(5.0, 1.0)
    assert result.ended.reason is Reason.REFUSED
    (event,) = (e.event for e in result.log.events if e.event.kind is EventKind.START_REFUSED)
    assert event.reason == Refused.TILTED
    assert event.value == pytest.approx(np.radians(5.0), rel=0.02)
    assert event.note is not None and "hold the robot up to 2." in event.note
    if told:
        assert not result.log.commanded.any(), "no torque before it was refused"


def test_what_pulls_less_than_a_touch_is_no_tilt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one that was measured before, either: posts that would not pass on a level floor, as some
    on planned paths, are no reason to level it.
    """
    at = prepare(load_scenario("boa_tilted"))
    checks = HoalController(briefing(at), HoalController.Parameters())._checks
    asked: list[float] = []
    monkeypatch.setattr(checks._tilt, "_weakest", asked.append)
    lightest = SHIPPED.contacts.touch_force / (BOA.links * BOA.link.mass)
    for pull in (0.9 * lightest, 2.0 * lightest, 0.0):
        checks.gravity.downhill = Downhill(complex(pull), 0.0)
        checks._tilt.judge(2.0)
    assert asked == [2.0]


def test_a_robot_that_too_few_posts_hold_gets_no_torque() -> None:
    """The fifth test of the thesis starts between three posts, of which one was struck by 120 N."""
    result = run_experiment(prepare(load_scenario("hoal_test_5")))
    assert result.ended.reason is Reason.REFUSED
    (event,) = (e.event for e in result.log.events if e.event.kind is EventKind.START_REFUSED)
    assert (event.reason, event.value) == (Refused.NO_HOLD, 3.0)
    assert not result.log.commanded.any()
