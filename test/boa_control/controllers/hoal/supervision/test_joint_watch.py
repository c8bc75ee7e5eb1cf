# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joints that stick, or lose more than they should, are named; others are not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from boa_control.controllers.hoal.law.transmission import Transmission
from boa_control.controllers.hoal.parameters import TransmissionSettings
from boa_control.controllers.hoal.supervision.headway import Headway
from boa_control.controllers.hoal.supervision.joint_watch import JointWatch
from boa_control.controllers.hoal.supervision.reasons import joint_names, sentence
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.progress import Progress
from boa_control.event_text import text_of
from boa_control.model.path_model import PathState
from boa_control.plant import ForceSample, SensorFrame
from boa_description.arrays import Array
from boa_description.load import load_robot

LARGEST = SHIPPED.law.largest

BOA = load_robot("boa13")
JOINTS = BOA.joints
PERIOD = 0.005
ALONG = np.where(np.arange(JOINTS) < 9, 3.0, 0.1)  # rad/m; the path hardly turns the last three
ASKED = np.full(JOINTS, 2.0)


class Bench:
    """A robot that stands or creeps, tick by tick."""

    def __init__(self) -> None:
        settings = TransmissionSettings(prior=(1.0, 1.0, 0.1))
        self.transmission = Transmission(BOA, settings, 0.0, PERIOD)
        self.watch, self.made = JointWatch(JOINTS, PERIOD), Headway(PERIOD)
        self.events: list[str] = []
        self.sticking: list[str] = []
        self.place, self.tick = 1.0, 0

    def run(
        self,
        seconds: float,
        passed_on: Array,
        rate: float = 0.0,
        desired: float = 0.1,
        effort: Array = ASKED,
    ) -> None:
        for _ in range(round(seconds / PERIOD)):
            self.tick += 1
            self.place += rate * PERIOD
            stamp = round(self.tick * PERIOD * 1e9)
            noise = np.random.default_rng(self.tick).normal(0.0, 0.3, JOINTS)
            frame = SensorFrame(
                stamp_ns=stamp,
                position=ALONG * self.place,
                velocity=ALONG * rate,
                effort=effort,
                joint_force=ForceSample(stamp, np.zeros((JOINTS, 3))),
                imu=None,
                temperature=np.full(JOINTS, 25.0),
                joint_age=np.zeros(JOINTS),
            )
            self.transmission.asked = ASKED
            self.transmission.passed_on = passed_on + noise
            progress = Progress(self.place, rate, 0.003, np.zeros(JOINTS))
            state = cast(PathState, SimpleNamespace(dphi=ALONG))
            now = Tick(frame, state, frame.velocity, progress, desired, np.zeros(2))
            now.way = self.made.update(self.place, desired)
            finding = self.watch.update(now, self.transmission)
            if finding is not None:
                self.sticking.append(sentence(finding))
            self.events += map(text_of, self.watch.events.pop())


def missing(*joints: int, by: float = 0.8) -> Array:
    """What is passed on when some joints, from 1, keep some of it."""
    less = np.zeros(JOINTS)
    less[np.array(joints) - 1] = by
    return ASKED - less


def test_joints_that_hold_the_robot_are_named() -> None:
    """With 0.3 N m of noise on what they pass on; joint 12 is not turned, so it holds nothing."""
    bench = Bench()
    bench.run(1.9, missing(4, 5, 12))
    assert bench.sticking == []
    bench.run(3.0, missing(4, 5, 12))
    assert set(bench.sticking) == {"joints 4 and 5 stuck at 2.0 N m"}
    assert len(bench.sticking) > 2.8 / PERIOD, "as long as they do"
    assert bench.events == []


def test_a_motor_that_gives_more_than_the_known_losses_leave_is_stuck_too() -> None:
    """What is asked comes through, at 1.2 N m more than the band of 0.1 N m takes."""
    bench = Bench()
    effort = ASKED + np.where(np.arange(JOINTS) == 6, 1.2, 0.0)
    bench.run(3.0, ASKED, effort=effort)
    assert set(bench.sticking) == {"joint 7 stuck at 3.2 N m"}


@pytest.mark.parametrize(
    "good",
    [
        {"rate": 0.012},
        {"rate": -0.02},
        {"desired": 0.01},
        {"passed_on": missing(12)},
        {"passed_on": missing(3, by=0.15)},
        {"passed_on": ASKED},
    ],
    ids=str,
)
def test_nobody_is_blamed_who_gets_on_or_need_not_or_passes_on_what_is_asked(
    good: dict[str, object],
) -> None:
    """Posts may hold a robot as well; that no way is made is then told by others."""
    bench = Bench()
    bench.run(**{"seconds": 7.0, "passed_on": missing(4), **good})  # type: ignore[arg-type]
    assert bench.sticking == []


def test_a_joint_that_comes_loose_and_sticks_again_is_found_again() -> None:
    """Once the robot has stood for the time; not after its first centimetre, in 0.1 s."""
    bench = Bench()
    for _ in range(2):
        bench.run(2.1, missing(4))
        assert set(bench.sticking) == {"joint 4 stuck at 2.0 N m"}
        bench.run(0.15, ASKED, rate=0.1)
        bench.sticking.clear()
        bench.run(1.0, ASKED, rate=0.1)
        assert bench.sticking == []


@pytest.mark.parametrize(("direction", "word"), [(1.0, "more"), (-1.0, "less")])
def test_a_joint_whose_rest_stays_at_its_bound_is_told_once(direction: float, word: str) -> None:
    """0.3 of 6.4 N m above what the prior says, along the motion or against it."""
    bench, bound = Bench(), LARGEST * BOA.limits.torque
    loop = bench.transmission
    loop.motor_torque(ASKED, np.full(JOINTS, direction), np.zeros(JOINTS))
    loop.rest = np.where(np.arange(JOINTS) == 4, bound, 0.0)
    bench.run(0.9, ASKED, rate=0.1)
    assert bench.events == []
    bench.run(3.0, ASKED, rate=0.1)
    told = f"joint 5 loses {bound:.1f} N m {word} than its gearbox should"
    assert bench.events == [told]
    loop.rest = np.zeros(JOINTS)
    bench.run(0.1, ASKED, rate=0.1)
    loop.rest = np.where(np.arange(JOINTS) == 4, bound, 0.0)
    bench.run(1.2, ASKED, rate=0.1)
    assert bench.events == [told, told]


def test_a_joint_with_losses_that_no_gearbox_in_order_has_is_told() -> None:
    """It needs 2.4 times what it passes on."""
    bench = Bench()
    loop, factor = bench.transmission, np.where(np.arange(JOINTS) == 4, 2.4, 1.0)
    rate = np.full(JOINTS, 0.3)
    for k in range(4000):
        passed = np.full(JOINTS, 1.0 + k % 3)
        stamp = round(PERIOD * 1e9 * k)
        frame = SensorFrame(
            stamp_ns=stamp,
            position=np.zeros(JOINTS),
            velocity=rate,
            effort=factor * passed + BOA.actuator.damping * rate,
            joint_force=ForceSample(stamp, np.zeros((JOINTS, 3))),
            imu=None,
            temperature=np.full(JOINTS, 25.0),
            joint_age=np.zeros(JOINTS),
        )
        loop.record(frame)
        loop.update(frame, passed, rate, moves=True)
        loop.rest = np.zeros(JOINTS)
    assert loop.insensible.nonzero()[0].tolist() == [4]
    loop.motor_torque(ASKED, np.ones(JOINTS), rate)
    bench.run(1.5, ASKED, rate=0.1)
    (told,) = bench.events
    assert told.startswith("joint 5 loses ") and told.endswith(" more than its gearbox should")


def test_names_of_joints() -> None:
    assert joint_names((4,)) == "joint 4"
    assert joint_names((4, 5)) == "joints 4 and 5"
    assert joint_names((1, 4, 5)) == "joints 1, 4 and 5"
