# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""New paths in a run: at rest only, after going back where needed, each an event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boa_control.controller import ControlOutput, SetPoint, is_follower
from boa_control.controllers.following import BACK_SPEED, FollowingController
from boa_control.controllers.new_path import NewPath, PathChange, recorded_new_path
from boa_control.controllers.set_points import recorded_set_point
from boa_control.event_text import text_of
from boa_control.events import EventKind
from boa_control.plant import SensorFrame
from boa_description.errors import BoaError
from boa_description.load import load_robot
from test.boa_control.controllers.short_path import new_path
from test.steerable import Cruise

ROBOT = load_robot("boa13")
TICK_NS = 2_000_000


class Rail:
    """Goes along its path at the speed of its set-point; the torque is its place."""

    def __init__(self, place: float = 3.0, end: float = 3.0) -> None:
        self.start, self.end, self.first = place, end, 0.0
        self.refusal = ""
        self.set_point = self._first = SetPoint(0.1, 5.0, 2.0)
        self.reset()

    def reset(self) -> None:
        self.place, self.set_point = self.start, self._first

    @property
    def unrest(self) -> str:
        speed = self.set_point.speed
        moving = (speed > 0.0 and self.place < self.end) or (
            speed < 0.0 and self.place > self.first
        )
        return "the robot moves at 0.1 m/s" if moving else ""

    def steer(self, set_point: SetPoint) -> None:
        if set_point.force > 100:
            raise BoaError("too much force")
        self.set_point = set_point

    def tables(self, path: Any) -> Callable[[], Any]:
        return lambda: "tables"

    def on_path(self, path: Any, place: float, tables: Any = None) -> Rail:
        if self.refusal:
            raise BoaError(self.refusal)
        after = Rail(place, path.curve.length)
        after.laid = tables
        return after

    def step(self, frame: SensorFrame) -> ControlOutput:
        way = 0.002 * self.set_point.speed
        self.place = min(max(self.place + way, self.first), self.end)
        return ControlOutput(np.full(frame.position.size, self.place))


def frames(count: int, first: int = 0) -> list[SensorFrame]:
    nothing = np.zeros(ROBOT.joints)
    return [
        SensorFrame(TICK_NS * (k + 1), nothing, nothing, nothing, None, None, nothing, nothing)
        for k in range(first, first + count)
    ]


def change(time: float = 0.0, **more: Any) -> PathChange:
    return PathChange.model_validate({**new_path(**more).model_dump(), "time": time})


def following(*paths: PathChange, rail: Rail | None = None) -> FollowingController:
    return FollowingController(rail or Rail(), ROBOT, (), (), paths)


def steps(controller: FollowingController, count: int, first: int = 0) -> list[ControlOutput]:
    return [controller.step(frame) for frame in frames(count, first)]


def test_what_cannot_change_its_path_is_no_follower():
    assert is_follower(Rail())
    assert not is_follower(Cruise())


def test_it_goes_on_where_it_stands():
    controller = following()
    controller.steer(SetPoint(0.0, 5.0, 2.0))
    new = new_path(leaves=3.1, speed=0.05, force_floor=1.0)
    assert controller.follow(new, "laid") == "on the new path"
    assert controller.place == pytest.approx(1.4)
    assert controller.set_point == SetPoint(0.05, 5.0, 1.0)
    assert controller._follower.laid == "laid"
    first, second = steps(controller, 2)
    assert recorded_new_path(first.events[-1]) == new.with_contacts_only()
    assert not second.events
    assert second.torque[0] == pytest.approx(1.4 + 2 * 0.002 * 0.05)


def test_a_moving_robot_refuses_it_and_nothing_has_changed():
    controller = following(rail=Rail(place=1.0))
    with pytest.raises(BoaError, match=r"new path: the robot moves at 0\.1 m/s"):
        controller.follow(new_path())
    (after,) = steps(controller, 1)
    assert not after.events and after.torque[0] == pytest.approx(1.0 + 0.002 * 0.1)


@pytest.mark.parametrize("refused", ["body", "set-point", "contact"])
def test_what_is_refused_leaves_path_and_set_point(refused):
    rail = Rail()
    controller = following(rail=rail)
    new = new_path(leaves=3.0)
    if refused == "body":
        rail.refusal = "the robot does not lie on it"
    elif refused == "set-point":
        new = new_path(leaves=3.0, force=101.0)
    else:
        wrong = new.path.model_copy(update={"posts": new.path.posts[:2]})
        new = new.model_copy(update={"path": wrong})
    with pytest.raises(BoaError):
        controller.follow(new)
    assert controller.set_point == SetPoint(0.1, 5.0, 2.0)
    (after,) = steps(controller, 1)
    assert not after.events and after.torque[0] == 3.0


def test_a_robot_that_is_further_on_goes_back_first():
    controller = following()
    answer = controller.follow(new_path(leaves=2.995))
    assert answer == "going back by 0.005 m to where the new path begins"
    assert controller.set_point.speed == -BACK_SPEED
    outputs = steps(controller, 60)
    told = [event for output in outputs for event in output.events]
    speeds = [found.speed for found in map(recorded_set_point, told) if found]
    assert speeds == [-BACK_SPEED, 0.0]
    assert recorded_new_path(told[-1]).speed == 0.1, "it goes on as fast as before"
    assert controller.place == pytest.approx(1.5, abs=0.02)
    assert controller.set_point.speed == 0.1


def test_a_speed_from_outside_ends_the_way_back():
    controller = following()
    controller.follow(new_path(leaves=2.5))
    controller.steer(SetPoint(0.0, 5.0, 2.0))
    assert all(recorded_new_path(e) is None for o in steps(controller, 20) for e in o.events)


def test_a_refusal_on_the_way_is_an_event_and_the_robot_stands():
    rail = Rail()
    controller = following(rail=rail)
    controller.follow(new_path(leaves=2.995))
    rail.refusal = "the robot does not lie on it"
    told = [event for output in steps(controller, 60) for event in output.events]
    assert text_of(told[-1]) == "new path refused: the robot does not lie on it"
    assert controller.set_point.speed == 0.0


def test_a_way_back_that_ends_too_early_is_an_event():
    rail = Rail()
    rail.first = 2.995
    controller = following(rail=rail)
    controller.follow(new_path(leaves=2.99))
    told = [event for output in steps(controller, 80) for event in output.events]
    assert told[-1].kind is EventKind.NEW_PATH_REFUSED
    assert told[-1].note.startswith("the robot comes no further back than 2.995 m")
    assert controller.set_point.speed == 0.0


def test_a_plan_waits_for_its_time_and_for_the_robot_to_stand():
    controller = following(change(0.01, leaves=3.0), rail=Rail(place=2.9995))
    outputs = steps(controller, 10)
    taken = [k for k, output in enumerate(outputs) if output.events]
    assert taken == [5], "0.01 s after the first tick, though it stands after three"
    assert controller._follower.laid == "tables"


def test_a_pause_counts_from_when_it_stands():
    paused = change(0.0, leaves=3.0).model_copy(update={"pause": 0.01})
    controller = following(paused, rail=Rail(place=2.9995))
    taken = [k for k, output in enumerate(steps(controller, 20)) if output.events]
    assert taken == [8]


def test_reset_begins_on_the_first_path():
    controller = following(change(0.0, leaves=3.0))
    steps(controller, 3)
    assert controller.place < 2.0
    controller.reset()
    assert controller.place == 3.0
    assert any(output.events for output in steps(controller, 3)), "and the plan counts again"


def test_a_wrong_path_of_the_plan_is_refused_before_the_run():
    wrong = change()
    posts = wrong.path.model_copy(update={"posts": wrong.path.posts[:2]})
    with pytest.raises(BoaError, match="names a post that does not exist"):
        following(wrong.model_copy(update={"path": posts}))


def test_new_path_is_frozen_data():
    assert isinstance(new_path(), NewPath)
    with pytest.raises(ValueError):
        new_path().progress = 2.0
