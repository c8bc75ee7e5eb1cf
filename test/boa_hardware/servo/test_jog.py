# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A jog stops within its travel, whatever the joint weighs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_description.errors import BoaError
from boa_hardware.servo.jog import AT_REST, PERIOD, Brake, JogPlan
from boa_hardware.servo.registers import POSITION, VELOCITY
from test.boa_hardware.free_joint import FreeJoint

LIMIT = 2.4  # A


def drive(plan: JogPlan, joint: FreeJoint, late: int = 0) -> tuple[float, float]:
    """A jog of a joint with the servo's steps of position and velocity, one command behind; every
    `late`-th command comes a tick later still. The largest travel, and the speed at the end.
    """
    brake, side, start = Brake(plan), math.copysign(1.0, plan.current), joint.position
    goals = [0.0]
    farthest = 0.0
    tick = 0
    while not brake.over:
        now = tick * PERIOD
        state = joint.state(now)
        travelled = side * round((state.position - start) / POSITION) * POSITION
        speed = side * round(state.velocity / VELOCITY) * VELOCITY
        farthest = max(farthest, abs(state.position - start))
        goals.append(brake.update(now, travelled, speed))
        behind = 3 if late and tick % late == 0 else 2
        joint.drive(goals[-min(behind, len(goals))], now)
        tick += 1
    joint.drive(None, now)
    for _ in range(200):  # without torque it coasts
        now += PERIOD
        farthest = max(farthest, abs(joint.state(now).position - start))
    return farthest, abs(joint.velocity)


@given(
    current=st.floats(0.05, LIMIT),
    travel=st.floats(0.1, 2.0),
    inertia=st.floats(0.01, 0.5),
    coulomb=st.floats(0.005, 0.1),
    viscous=st.floats(0.0, 0.2),
    backward=st.booleans(),
    late=st.sampled_from([0, 3, 7]),
)
def test_it_stops_within_the_travel(
    current: float,
    travel: float,
    inertia: float,
    coulomb: float,
    viscous: float,
    backward: bool,
    late: int,
) -> None:
    """Inertia from the bare rotor's 0.01 kg m2 up; dry friction from half to ten times the 0.011
    N m of the lab's servo.
    """
    plan = JogPlan(-current if backward else current, seconds=2.0, travel=travel)
    joint = FreeJoint(inertia=inertia, coulomb=coulomb, viscous=viscous)
    farthest, speed = drive(plan, joint, late)
    assert farthest <= travel
    assert speed < 6 * AT_REST


def test_the_issues_jog_stops_where_it_used_to_coast() -> None:
    """--travel 0.3 used to end at 0.95 rad."""
    plan = JogPlan(0.5, seconds=2.0, travel=0.3)
    farthest, _ = drive(plan, FreeJoint(inertia=0.05, coulomb=0.01, viscous=0.015), late=7)
    assert 0.15 < farthest <= 0.3


def test_it_brakes_when_the_time_is_over() -> None:
    plan = JogPlan(0.3, seconds=0.1, travel=5.0)
    farthest, speed = drive(plan, FreeJoint(inertia=0.05, coulomb=0.01, viscous=0.0))
    assert 0.05 < farthest < 0.25  # a t2 = 0.16 rad
    assert speed < 6 * AT_REST


def test_braking_takes_no_more_current_than_was_given() -> None:
    brake = Brake(JogPlan(0.4, travel=0.3))
    currents = [brake.update(0.005 * tick, 0.01 * tick, 2.0) for tick in range(60)]
    assert min(currents) == -0.4
    assert max(currents) == 0.4


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (JogPlan(99.0), "--current 99 A is above the limit of 2.4 A"),
        (JogPlan(-2.5), "--current -2.5 A is above the limit"),
        (JogPlan(0.0), "write amperes other than 0"),
        (JogPlan(math.nan), "write amperes"),
        (JogPlan(0.1, seconds=-1.0), "--seconds -1"),
        (JogPlan(0.1, travel=-0.1), "--travel -0.1"),
        (JogPlan(0.1, travel=math.inf), "--travel inf"),
    ],
)
def test_what_cannot_be_done_is_refused(plan: JogPlan, words: str) -> None:
    with pytest.raises(BoaError, match=words):
        plan.check(LIMIT)
