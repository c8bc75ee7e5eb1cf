# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forces of posts off their places: they leave the body where it is."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.contacts.plan import ContactPlan
from boa_control.controllers.hoal.law.friction_compensation import FrictionCompensation
from boa_control.controllers.hoal.law.qp import Motion, MotionQP
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map.displaced_map import DisplacedMap
from boa_control.controllers.hoal.set_points import Steering
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.optimisation.contact_qp import Problem, Solution
from boa_control.optimisation.terms.interface import Limit, Rows
from test.boa_control.controllers.hoal.offset_circle import (
    BOA,
    CHAIN,
    MODEL,
    PATH,
    PERIOD,
    SCHEDULE,
    frame,
)
from test.boa_control.controllers.hoal.ticks import engaged

LEAST_FLOOR = SHIPPED.contacts.touch_force

FORCE, FLOOR = 8.0, 2.0


def solve(s: float, detected: np.ndarray, *limits: Limit, torque_share: float = 1.0) -> Solution:
    """Of a robot that stands on the path without error; `detected`: of the posts of the body."""
    known = {"map_error": 0.007, "force": FORCE, "force_floor": FLOOR}
    parameters = Parameters(**known, torque_share=torque_share)
    steering = Steering(parameters, BOA.limits, PERIOD, backwards=False)
    posts = DisplacedMap(BOA, MODEL, SCHEDULE, PATH, PERIOD, parameters)
    qp = MotionQP(BOA, CHAIN, parameters, posts, steering, limits=limits)
    state = MODEL.at(s)
    none = np.zeros(BOA.joints)
    still = frame(state.q[3:], none, np.zeros((BOA.links, 2)))
    plan = ContactPlan(SCHEDULE.at(state), detected, 1.0)
    now = engaged(state, still, plan=plan, share=plan.share)
    friction = FrictionCompensation(briefing(prepare(load_scenario("boa_offset_10mm"))), parameters)
    rest = Motion(0.0, 0.0, none, none, 0.0)
    return qp.solve(now, rest, friction)


@pytest.mark.parametrize(("s", "searched", "weak"), [(0.2, 1, 3), (0.5, 3, 1), (0.8, 1, 3)])
def test_forces_leave_the_body_where_it_is_while_a_post_is_searched(
    s: float, searched: int, weak: int
) -> None:
    """The four that are detected balance forces of 1, 7, 9 and 15 N. Equal ones, or 2 N on the weak
    one, pushed the body along: on planned paths it was thrown off its posts.
    """
    state = MODEL.at(s)
    detected = np.ones(SCHEDULE.at(state).link.size)
    detected[searched] = 0.0
    solution = solve(s, detected)
    assert solution.lam[searched] == 0.0
    assert LEAST_FLOOR < solution.lam[weak] < FLOOR
    assert np.linalg.norm(solution.delta) < 0.05  # m/s2, rad/s2


class Gentle(Limit):
    """No post carries more than `most`, N."""

    def __init__(self, most: float) -> None:
        self._most = most

    def rows(self, problem: Problem) -> Rows:
        assert isinstance(problem.now, Tick)
        count, size = problem.push.shape
        most = np.full(count, self._most)
        return Rows(np.full(count, -1e30), np.eye(count, count + size), most, price=1e6)


def test_a_limit_of_a_user_holds_in_the_tick() -> None:
    free = solve(0.5, np.ones(5))
    most = 0.8 * free.lam.max()
    gentle = solve(0.5, np.ones(5), Gentle(most))
    assert gentle.solved
    assert gentle.lam.max() == pytest.approx(most, rel=1e-3)


def test_torques_keep_to_the_share_that_is_used() -> None:
    most = 0.9 * np.abs(solve(0.5, np.ones(5)).torque).max()
    limited = solve(0.5, np.ones(5), torque_share=most / BOA.limits.torque)
    assert np.abs(limited.torque).max() == pytest.approx(most, rel=1e-5)
