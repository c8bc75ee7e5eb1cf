# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Supervision on a map that may be wrong: the band of good runs, and what follows outside it."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
import pytest

from boa_control.controllers.hoal.supervision import thresholds
from boa_control.controllers.hoal.supervision.supervisor import MapSupervisor
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.events import SupervisionState as State
from test.boa_control.controllers.hoal.supervision.watched import (
    JOINTS,
    PATH,
    ROBOT,
    TRAVEL,
    after,
    along,
    good,
    on_link,
)

SLOW_SPEED = SHIPPED.steering.slow_speed

BRAKING_TIME = SHIPPED.steering.turning_time
FEEL_TIME = SHIPPED.start.settling_time
HELD_WAY = SHIPPED.post_map.end_zone
LEAST_SHARE = SHIPPED.start.least_share
LOST_TORQUE = SHIPPED.supervision.lost_torque
QUIET_WAY = SHIPPED.supervision.quiet_way
REST_TIME = SHIPPED.start.settling_time
SLOW_SHARE = SHIPPED.supervision.slow_share

BANDS = thresholds.Bands.of(SHIPPED)


@pytest.mark.parametrize("wide", [BANDS.stop, BANDS.lost])
def test_what_is_within_the_band_of_a_slow_robot_is_within_wider_ones(
    wide: thresholds.Band,
) -> None:
    """So the supervision asks for these only outside of it."""
    for narrow in (BANDS.slow, BANDS.slowing):
        pairs = zip(astuple(narrow), astuple(wide), strict=True)
        assert all(one <= other for one, other in pairs)


def test_a_good_run_is_left_alone_to_the_last_bit(supervision: MapSupervisor) -> None:
    torque = np.linspace(-3, 3, JOINTS)
    assert after(supervision, 1.0, good()) == ()
    assert supervision.temper(torque, np.zeros(JOINTS)) is torque
    assert supervision.share == 1.0
    assert supervision.speed_limit == np.inf


@pytest.mark.parametrize(
    "changed",
    [
        {"rate": 0.165},
        {"shape": 0.04},
        {"velocity": np.r_[0.8, np.full(JOINTS - 1, 0.3)]},
        {"stray": on_link(8, 5.0)},
        {"axial": on_link(12, -7.0)},
        {"joint_force": 28.0},
        {"measured": 3},
    ],
)
def test_outside_the_band_of_good_runs_it_is_slow_and_weak(
    supervision: MapSupervisor, changed: dict[str, Any]
) -> None:
    assert after(supervision, 0.12, good(**changed))
    assert supervision.state is State.SLOW
    assert supervision.share < 1.0
    after(supervision, 0.2, good(desired=0.03, rate=0.03, velocity=np.full(JOINTS, 0.09)))
    assert supervision.speed_limit == pytest.approx(SLOW_SPEED)


def test_a_robot_that_still_brakes_to_the_low_speed_is_not_too_fast(
    supervision: MapSupervisor,
) -> None:
    joints = np.full(JOINTS, 0.18)
    fast = good(desired=SLOW_SPEED, rate=SLOW_SPEED + 0.03, velocity=joints)
    assert after(supervision, 0.9 * BRAKING_TIME, fast) == ()
    (event,) = after(supervision, 0.3 * BRAKING_TIME, fast)
    assert event.startswith("slow: 0.03 m/s too fast")


def test_posts_that_are_pressed_no_more_need_not_be_measured(supervision: MapSupervisor) -> None:
    """Nor for a while after; a robot whose posts are pressed is lost without them."""
    slow = {"desired": 0.03, "rate": 0.03, "velocity": np.full(JOINTS, 0.09)}
    after(supervision, 0.5, good(**slow, balance=0.0))
    after(supervision, 3.0, good(**slow, balance=0.0, measured=1))
    assert supervision.share < 0.03 and not supervision.lost
    after(supervision, 0.9 * FEEL_TIME, good(**slow, measured=3))
    assert supervision.share > 0.5 and not supervision.lost
    after(supervision, 1.0, good(**slow, measured=3))
    assert supervision.lost


def test_a_single_sample_does_not_count(supervision: MapSupervisor) -> None:
    supervision.update(good(shape=0.05), TRAVEL)
    supervision.update(good(), TRAVEL)
    assert after(supervision, 0.1, good()) == ()
    assert supervision.state is State.GO


def test_after_a_quiet_way_it_trusts_the_map_again(supervision: MapSupervisor) -> None:
    after(supervision, 0.05, good(shape=0.04))
    slow = good(desired=0.03, rate=0.03, velocity=np.full(JOINTS, 0.09))
    along(supervision, 0.9 * QUIET_WAY, slow)
    assert supervision.state is State.SLOW
    along(supervision, 0.2 * QUIET_WAY, slow)
    assert supervision.state is State.GO
    after(supervision, 1.0, good())
    assert supervision.speed_limit == np.inf


def test_an_unexpected_contact_is_told_with_link_side_and_place(supervision: MapSupervisor) -> None:
    events = after(supervision, 0.05, good(stray=on_link(8, -5.0)))
    assert PATH is not None
    x, y = PATH.curve.position(np.array([good().middle(8)]))[0]
    assert f"unexpected contact link 9 left at ({x:.3f}, {y:.3f})" in events
    assert sum(event.startswith("unexpected") for event in events) == 1


def test_a_hard_unexpected_contact_stops_the_robot(supervision: MapSupervisor) -> None:
    events = after(supervision, 0.01, good(stray=on_link(3, 16.0)))
    assert any("unexpected contact link 4 right" in event for event in events)
    assert any(event.startswith("stopped: unexpected contact on link 4") for event in events)
    after(supervision, 0.9 * REST_TIME, good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS)))
    assert supervision.speed_limit == 0.0
    assert supervision.state is State.STOPPED


def test_a_post_that_is_not_there_is_told_once_and_changes_nothing_while_others_hold(
    supervision: MapSupervisor,
) -> None:
    assert after(supervision, 0.1, good(absent=np.array([5]))) == ("post 5 not there",)
    assert supervision.state is State.GO


def test_without_hold_it_goes_back_until_it_is_held_and_stops_with_the_reason(
    supervision: MapSupervisor,
) -> None:
    ahead = good(rate=0.04, desired=0.04, velocity=np.full(JOINTS, 0.12))
    events = after(supervision, 0.1, ahead._replace(absent=np.array([5]), balance=0.1))
    assert supervision.turned
    back = good(rate=-0.03, desired=-0.03, velocity=np.full(JOINTS, -0.09), absent=np.array([5]))
    after(supervision, 0.5, back._replace(balance=0.1))
    assert supervision.turned
    events += after(supervision, 1.2 * HELD_WAY / 0.03, back)
    assert supervision.state is State.STOPPED
    assert "post 5 not there" in events
    assert any(event.startswith("stopped: without post 5") for event in events)


def test_a_slow_robot_presses_gently_where_its_posts_do_not_balance_and_goes_on(
    supervision: MapSupervisor,
) -> None:
    assert not supervision.weighing
    slow = good(rate=0.03, desired=0.03, velocity=np.full(JOINTS, 0.09))
    after(supervision, 0.05, slow._replace(shape=0.04))
    assert supervision.state is State.SLOW
    assert supervision.weighing
    after(supervision, 0.5, slow._replace(balance=0.0))
    assert supervision.share == pytest.approx(SLOW_SHARE * LEAST_SHARE, rel=0.01)
    assert supervision.state is State.SLOW
    after(supervision, 0.5, slow)
    assert supervision.share == pytest.approx(SLOW_SHARE, rel=0.01)
    after(supervision, 0.1, slow._replace(rate=0.06))
    assert supervision.state is State.SLOW
    assert not supervision.weighing


@pytest.mark.parametrize(("speed", "weighing"), [(0.035, True), (0.06, False)])
def test_the_hold_is_weighed_where_momentum_does_not_carry_over_a_gap(
    supervision: MapSupervisor, speed: float, weighing: bool
) -> None:
    """Posts 40 mm off are met at 0.035 m/s."""
    after(supervision, 0.1, good(rate=speed, desired=speed, velocity=np.full(JOINTS, 3 * speed)))
    assert supervision.state is State.GO
    assert supervision.weighing == weighing


def test_a_robot_that_its_posts_do_not_hold_is_weighed_until_they_do(
    supervision: MapSupervisor,
) -> None:
    """It does not get on, and the speed that it shall have rises meanwhile."""
    slow = good(rate=0.005, desired=0.02, velocity=np.zeros(JOINTS))
    after(supervision, 0.5, slow._replace(balance=0.0))
    shall_be_fast = slow._replace(desired=0.06)
    after(supervision, 0.1, shall_be_fast._replace(balance=0.0))
    assert supervision.state is State.GO
    assert supervision.weighing
    assert supervision.share == pytest.approx(LEAST_SHARE, rel=0.01)
    after(supervision, 0.1, shall_be_fast)
    assert not supervision.weighing


@pytest.mark.parametrize("changed", [{"shape": 0.2, "measured": 2}, {"measured": 2}])
def test_a_lost_robot_is_damped_and_drawn_softly_to_its_shape(
    supervision: MapSupervisor, changed: dict[str, Any]
) -> None:
    """On two posts, which balance no body: lying still does not change that."""
    torque = np.full(JOINTS, 5.0)
    still = good(velocity=np.zeros(JOINTS), joint_rate=np.zeros(JOINTS), rate=0.0, desired=0.0)
    supervision.update(still, TRAVEL)
    supervision.temper(torque, np.zeros(JOINTS))
    after(supervision, 0.4, still._replace(**changed))
    assert supervision.state is State.LOST
    first = supervision.temper(torque, np.zeros(JOINTS))
    assert (first <= torque).all()
    for _ in range(1000):
        supervision.update(still, TRAVEL)
        last = supervision.temper(torque, np.zeros(JOINTS))
    assert np.abs(last).max() < 1e-3
    fast = still._replace(joint_rate=np.full(JOINTS, 9.0))
    supervision.update(fast, TRAVEL)
    braking = supervision.temper(torque, np.zeros(JOINTS))
    assert (braking < 0).all()
    assert np.abs(braking).max() <= LOST_TORQUE + 1e-3


def test_a_lost_robot_is_not_dragged_along_by_a_reference_that_bends(
    supervision: MapSupervisor,
) -> None:
    """Post 3 of boa_circle missing: the head was, at 0.5 rad/s, and struck with 69 N."""
    still = good(joint_rate=np.zeros(JOINTS), velocity=np.zeros(JOINTS), rate=0.0, desired=0.0)
    supervision.update(still, TRAVEL)
    after(supervision, 0.4, still._replace(shape=0.2))
    assert supervision.state is State.LOST
    supervision.update(still._replace(velocity=np.full(JOINTS, -0.5)), TRAVEL)
    assert not supervision.temper(np.zeros(JOINTS), np.zeros(JOINTS)).any()


def test_a_lost_robot_on_its_way_comes_to_rest_gradually(supervision: MapSupervisor) -> None:
    """0.1 m/s with 0.5 m/s2: 10 mm, on which the joints turn by 3 rad/m."""
    moving = good(shape=0.2)
    supervision.update(moving, TRAVEL)
    first = supervision.temper(np.zeros(JOINTS), np.zeros(JOINTS))
    assert np.abs(first).max() < 0.05
    for _ in range(1000):
        last = supervision.temper(np.zeros(JOINTS), np.full(JOINTS, 0.03))
    resting = 3.0 * 0.3
    assert last == pytest.approx(np.full(JOINTS, -resting), abs=0.01)


def test_high_joint_forces_turn_torque_into_damping(supervision: MapSupervisor) -> None:
    torque = np.full(JOINTS, 4.0)
    supervision.update(good(joint_force=0.9 * ROBOT.limits.joint_force_fault), TRAVEL)
    assert np.abs(supervision.temper(torque, np.zeros(JOINTS))).max() < 1e-9


def test_a_robot_that_runs_away_without_hold_gives_way(supervision: MapSupervisor) -> None:
    events = after(supervision, 0.01, good(absent=np.array([7]), balance=0.0, rate=0.09))
    assert supervision.state is State.LOST
    assert any(event.startswith("lost: without post 7 too few hold") for event in events)


def test_reset_trusts_the_map_again(supervision: MapSupervisor) -> None:
    after(supervision, 0.4, good(measured=1))
    assert supervision.state is State.LOST
    supervision.reset()
    assert after(supervision, 0.2, good()) == ()
    assert supervision.speed_limit == np.inf
