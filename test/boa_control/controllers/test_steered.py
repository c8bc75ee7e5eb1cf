# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A steered controller: a plan at its ticks, set-points from outside, each an event of its tick."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boa_control.controller import SetPoint, is_steerable
from boa_control.controllers.set_points import SetPointChange, recorded_set_point, set_point_event
from boa_control.controllers.steered import SteeredController
from boa_control.experiments.build import build_controller, without_plan
from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario import Scenario
from boa_control.plant import SensorFrame
from boa_description.errors import BoaError
from test import steerable
from test.steerable import Cruise

NAMES = ("joint_01", "joint_02", "joint_03")
PERIOD_NS = 2_000_000
FIRST = SetPoint(speed=0.1, force=5.0, force_floor=1.0)
BACK = SetPointChange(time=0.01, speed=-0.1)
FIRMER = SetPointChange(time=0.015, force=8.0)  # between two ticks


def frame(tick: int, start_ns: int = 0) -> SensorFrame:
    zero = np.zeros(3)
    return SensorFrame(start_ns + tick * PERIOD_NS, zero, zero, zero, None, None, zero, zero)


def set_points(controller, ticks=20, start_ns=0) -> dict[int, SetPoint]:
    """Set-points by the tick whose events record them."""
    found = {}
    for tick in range(ticks):
        for event in controller.step(frame(tick, start_ns)).events:
            found[tick] = recorded_set_point(event)
    return found


def scenario(**changes) -> Scenario:
    data = {
        "name": "steered",
        "summary": "test",
        "robot": {"links": 4},
        "initial": {"base": [0, 0, 0]},
        "controller": {"name": f"{Path(steerable.__file__)}:Cruise"},
        "duration": 0.1,
    }
    return Scenario.model_validate({**data, **changes})


PLANNED = {
    5: replace(FIRST, speed=-0.1),
    8: SetPoint(speed=-0.1, force=8.0, force_floor=1.0),
}


@pytest.mark.parametrize("start_ns", [0, 123_456_789_000_000_001])
def test_a_plan_acts_from_the_first_tick_that_is_not_earlier(start_ns) -> None:
    controller = SteeredController(Cruise(), NAMES, (BACK, FIRMER))
    assert controller.set_point == FIRST
    assert set_points(controller, start_ns=start_ns) == PLANNED


def test_a_set_point_acts_at_the_tick_of_its_event() -> None:
    controller = SteeredController(Cruise(), NAMES, (BACK,))
    way = [controller.step(frame(tick)).torque[0] for tick in range(10)]
    assert np.argmax(way) == 4 and way[9] == pytest.approx(0.0, abs=1e-12)


def test_a_reset_begins_with_the_set_point_of_the_scenario() -> None:
    controller = SteeredController(Cruise(), NAMES, (BACK, FIRMER))
    set_points(controller)
    controller.steer(SetPoint(0.2, 6.0, 2.0))
    controller.reset()
    assert controller.set_point == FIRST
    assert set_points(controller) == PLANNED


def test_steering_from_outside_is_recorded_at_the_next_step_in_order_once() -> None:
    controller = SteeredController(Cruise(), NAMES)
    controller.step(frame(0))
    controller.steer(FIRST)  # no change
    assert controller.step(frame(1)).events == ()
    wanted = replace(FIRST, speed=0.05)
    first = replace(FIRST, speed=0.2)
    controller.steer(first)
    controller.steer(wanted)
    assert controller.step(frame(2)).events == (set_point_event(first), set_point_event(wanted))
    assert controller.step(frame(3)).events == ()


@pytest.mark.parametrize("bad", [float("nan"), 3.0, 0.31])
def test_a_refused_set_point_changes_nothing(bad) -> None:
    controller = SteeredController(Cruise(), NAMES)
    with pytest.raises(BoaError):
        controller.steer(replace(FIRST, speed=bad))
    assert controller.set_point == FIRST and controller.step(frame(0)).events == ()


def test_a_plan_waits_for_no_frame_without_readings() -> None:
    controller = SteeredController(Cruise(), NAMES, (BACK,))
    silent = frame(5)._replace(position=np.full(3, np.nan))
    for tick in range(5):
        controller.step(frame(tick))
    output = controller.step(silent)
    assert not output.torque.any()
    assert recorded_set_point(output.events[0]) == PLANNED[5]


def test_a_scenario_says_when_its_controller_is_steered() -> None:
    experiment = prepare(scenario(set_points=[{"time": 0.01, "speed": -0.1}]))
    controller = build_controller(experiment)
    assert is_steerable(controller) and set_points(controller) == {5: PLANNED[5]}
    assert set_points(build_controller(without_plan(experiment))) == {}


def test_a_plan_that_the_controller_cannot_follow_is_refused_before_the_run() -> None:
    changes = [{"time": 0.01, "speed": 0.2}, {"time": 0.02, "speed": 0.5}]
    with pytest.raises(BoaError, match=r"cruise: speed 0.5 m/s; at most 0.3 m/s"):
        build_controller(prepare(scenario(set_points=changes)))


def test_a_controller_that_is_not_steerable_refuses_set_points() -> None:
    experiment = prepare(
        scenario(controller={"name": "joint_pd"}, set_points=[{"time": 0.0, "speed": 0.0}])
    )
    with pytest.raises(BoaError, match="joint_pd takes no set-points"):
        build_controller(experiment)
    assert not is_steerable(build_controller(without_plan(experiment)))


@pytest.mark.parametrize("times", [(1.0, 1.0), (2.0, 1.0)])
def test_set_points_come_in_order(times) -> None:
    with pytest.raises(ValueError, match="in order of time"):
        scenario(set_points=[{"time": time, "speed": 0.0} for time in times])
