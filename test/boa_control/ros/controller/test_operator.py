# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""An operator's requests: lasting and repeated speeds, stop and start, time-outs, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boa_control.controller import SetPoint
from boa_control.controllers.following import FollowingController
from boa_control.controllers.set_points import SetPointChange
from boa_control.controllers.steered import SteeredController
from boa_control.event_text import text_of
from boa_control.plant import SensorFrame
from boa_control.ros.controller.operator import NoOperator, SetPointOperator, operator_of
from boa_control.safety.frame_guard import FrameGuard
from boa_description.errors import BoaError
from test.boa_control.controllers.short_path import new_path
from test.boa_control.controllers.test_following import Rail, following
from test.steerable import Cruise

NAMES = ("joint_01", "joint_02", "joint_03")
FIRST = SetPoint(speed=0.1, force=5.0, force_floor=1.0)
PERIOD_NS = 2_000_000


class Run:
    """A controller and its operator, tick by tick as the node drives them."""

    def __init__(self, timeout: float = 0.0, plan=()) -> None:
        self.controller = SteeredController(Cruise(), NAMES, plan)
        self.operator = SetPointOperator(self.controller, timeout)
        self.tick, self.told = 0, []

    def go(self, ticks: int = 1) -> float:
        zero = np.zeros(3)
        for _ in range(ticks):
            stamp = self.tick * PERIOD_NS
            changed = self.operator.tick(stamp)
            self.told += [] if changed is None else [text_of(changed)]
            self.controller.step(SensorFrame(stamp, zero, zero, zero, None, None, zero, zero))
            self.tick += 1
        return self.operator.set_point.speed


def test_without_a_time_out_the_last_speed_stays() -> None:
    run = Run()
    assert run.go(3) == 0.1
    run.operator.speed(-0.05)
    assert run.go(5000) == -0.05 and not run.told


def test_a_speed_that_is_not_repeated_in_time_stops_the_robot_once() -> None:
    run = Run(timeout=0.02)
    assert run.go(100) == 0.1, "the scenario's own speed needs no repetition"
    run.operator.speed(0.2)
    assert run.go(9) == 0.2
    run.operator.speed(0.2)
    assert run.go(11) == 0.2, "0.02 s after the tick at which it came"
    assert run.go() == 0.0 and run.told[-1] == "no new speed for 0.022 s; stopped"
    run.go(100)
    assert len(run.told) == 1
    run.operator.speed(0.05)
    assert run.go() == 0.05, "a new one starts it again"
    run.operator.change({"speed": 0.15})
    assert run.go(100) == 0.15, "a parameter lasts"


def test_stop_holds_against_every_speed_until_start() -> None:
    run = Run()
    run.operator.speed(-0.07)
    assert "holding" in run.operator.stop()
    assert "holding" in run.operator.stop(), "twice is no harm"
    for request in (lambda: run.operator.speed(0.1), lambda: run.operator.change({"speed": 0.1})):
        with pytest.raises(BoaError, match="call ~/start"):
            request()
    run.operator.change({"force": 8.0})
    assert run.go(10) == 0.0 and run.operator.set_point.force == 8.0
    assert run.operator.start() == "started with -0.07 m/s"
    assert run.go(10) == -0.07
    with pytest.raises(BoaError, match="not stopped"):
        run.operator.start()


def test_stop_holds_against_the_plan_of_the_scenario() -> None:
    run = Run(plan=(SetPointChange(time=0.004, speed=0.3),))
    run.operator.stop()
    assert run.go(4) == 0.0
    run.operator.start()
    assert run.go() == 0.3


def standing() -> tuple[SetPointOperator, FollowingController]:
    """A robot at the end of its path, which a new path leads on from."""
    controller = following(rail=Rail(place=3.0, end=3.0))
    return SetPointOperator(controller), controller


def test_a_planner_holds_the_robot_and_goes_on_with_its_path() -> None:
    operator, controller = standing()
    assert "until ~/follow" in operator.hold()
    with pytest.raises(BoaError, match="call ~/start"):
        operator.speed(0.1)
    assert operator.follow(new_path(leaves=3.1), None) == "on the new path"
    assert controller.set_point.speed > 0.0


@pytest.mark.parametrize("verbs", [("stop",), ("hold", "stop"), ("stop", "hold")])
def test_no_path_moves_a_robot_that_was_stopped_by_hand(verbs: tuple[str, ...]) -> None:
    """Whether it was stopped before the planner's hold or while that searches."""
    operator, controller = standing()
    for verb in verbs:
        getattr(operator, verb)()
    for _ in range(3):
        with pytest.raises(BoaError, match="not ready: stopped by hand; call ~/start"):
            operator.follow(new_path(leaves=3.1), None)
        operator.tick(0)
        assert controller.set_point.speed == 0.0 and controller.place == 3.0


def test_after_a_stop_by_hand_is_taken_back_the_planner_still_holds_and_may_go_on() -> None:
    operator, controller = standing()
    operator.hold()
    operator.stop()
    assert "holding for a new path" in operator.start()
    assert controller.set_point.speed == 0.0
    assert operator.follow(new_path(leaves=3.1), None) == "on the new path"
    assert controller.set_point.speed > 0.0


def test_a_held_robot_may_also_go_on_by_hand() -> None:
    operator, controller = standing()
    operator.hold()
    assert operator.start() == "started with 0.1 m/s"
    assert controller.set_point.speed == 0.1
    with pytest.raises(BoaError, match="not stopped"):
        operator.start()


def test_a_new_run_begins_with_the_lasting_values() -> None:
    run = Run()
    run.operator.change({"speed": 0.2, "force_floor": 0.5})
    run.operator.speed(0.05)
    run.operator.stop()
    run.controller.reset()
    run.operator.reset()
    assert run.operator.set_point == replace(FIRST, speed=0.2, force_floor=0.5)
    run.operator.speed(0.05)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 2.5, 0.31])
def test_what_is_refused_changes_nothing(bad) -> None:
    run = Run(timeout=0.02)
    with pytest.raises(BoaError, match="speed"):
        run.operator.speed(bad)
    with pytest.raises(BoaError, match="speed"):
        run.operator.change({"force": 9.0, "speed": bad})
    assert run.operator.set_point == FIRST
    assert run.go(100) == 0.1, "and no time-out begins"


def test_a_controller_that_takes_no_set_points_refuses_in_one_line() -> None:
    operator = operator_of(FrameGuard(Cruise(), NAMES), "joint_pd")
    assert isinstance(operator, NoOperator)
    for request in (
        lambda: operator.speed(0.1),
        lambda: operator.change({"speed": 0.1}),
        operator.start,
        operator.stop,
        operator.hold,
    ):
        with pytest.raises(BoaError, match="controller joint_pd takes no set-points while it runs"):
            request()
    operator.reset()
    assert operator.tick(0) is None and np.isnan(operator.set_point.speed)
