"""Caution on a map that may be wrong: the band of good runs, and what follows outside it."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
import pytest

from boa_control.controllers.hoal import bands
from boa_control.controllers.hoal.band_watch import BRAKING_TIME
from boa_control.controllers.hoal.bands import SLOW_SPEED
from boa_control.controllers.hoal.blows import REST_TIME
from boa_control.controllers.hoal.few_measured import FEEL_TIME
from boa_control.controllers.hoal.force_share import LEAST_SHARE, SLOW_SHARE
from boa_control.controllers.hoal.soft_hold import LOST_TORQUE
from boa_control.controllers.hoal.watchful import (
    HELD_WAY,
    QUIET_WAY,
    State,
    Watchful,
)
from test.boa_control.controllers.hoal.watched import (
    JOINTS,
    PATH,
    ROBOT,
    TRAVEL,
    after,
    along,
    good,
    on_link,
)


@pytest.mark.parametrize("wide", [bands.STOP, bands.LOST])
def test_what_is_within_the_band_of_a_slow_robot_is_within_wider_ones(wide: bands.Band) -> None:
    """So the caution asks for these only outside of it."""
    for narrow in (bands.SLOW, bands.SLOWING):
        pairs = zip(astuple(narrow), astuple(wide), strict=True)
        assert all(one <= other for one, other in pairs)


def test_a_good_run_is_left_alone_to_the_last_bit(caution: Watchful) -> None:
    torque = np.linspace(-3, 3, JOINTS)
    assert after(caution, 1.0, good()) == ()
    assert caution.temper(torque, np.zeros(JOINTS)) is torque
    assert caution.share == 1.0
    assert caution.speed_limit == np.inf


@pytest.mark.parametrize(
    "changed",
    [
        {"rate": 0.165},
        {"shape": 0.04},
        {"velocity": np.r_[0.8, np.full(JOINTS - 1, 0.3)]},
        {"stray": on_link(8, 5.0)},
        {"axial": on_link(12, -7.0)},
        {"joint_force": 28.0},
        {"touching": 3},
    ],
)
def test_outside_the_band_of_good_runs_it_is_slow_and_weak(
    caution: Watchful, changed: dict[str, Any]
) -> None:
    assert after(caution, 0.12, good(**changed))
    assert caution.state is State.SLOW
    assert caution.share < 1.0
    after(caution, 0.2, good(desired=0.03, rate=0.03, velocity=np.full(JOINTS, 0.09)))
    assert caution.speed_limit == pytest.approx(SLOW_SPEED)


def test_a_robot_that_still_brakes_to_the_low_speed_is_not_too_fast(caution: Watchful) -> None:
    joints = np.full(JOINTS, 0.18)
    fast = good(desired=SLOW_SPEED, rate=SLOW_SPEED + 0.03, velocity=joints)
    assert after(caution, 0.9 * BRAKING_TIME, fast) == ()
    (event,) = after(caution, 0.3 * BRAKING_TIME, fast)
    assert event.startswith("slow: 0.03 m/s too fast")


def test_posts_that_are_pressed_no_more_need_not_be_measured(caution: Watchful) -> None:
    """Nor for a while after; a robot whose posts are pressed is lost without them."""
    slow = {"desired": 0.03, "rate": 0.03, "velocity": np.full(JOINTS, 0.09)}
    after(caution, 0.5, good(**slow, hold=0.0))
    after(caution, 3.0, good(**slow, hold=0.0, touching=1))
    assert caution.share < 0.03 and not caution.lost
    after(caution, 0.9 * FEEL_TIME, good(**slow, touching=3))
    assert caution.share > 0.5 and not caution.lost
    after(caution, 1.0, good(**slow, touching=3))
    assert caution.lost


def test_a_single_sample_does_not_count(caution: Watchful) -> None:
    caution.update(good(shape=0.05), TRAVEL)
    caution.update(good(), TRAVEL)
    assert after(caution, 0.1, good()) == ()
    assert caution.state is State.GO


def test_after_a_quiet_way_it_trusts_the_map_again(caution: Watchful) -> None:
    after(caution, 0.05, good(shape=0.04))
    slow = good(desired=0.03, rate=0.03, velocity=np.full(JOINTS, 0.09))
    along(caution, 0.9 * QUIET_WAY, slow)
    assert caution.state is State.SLOW
    along(caution, 0.2 * QUIET_WAY, slow)
    assert caution.state is State.GO
    after(caution, 1.0, good())
    assert caution.speed_limit == np.inf


def test_an_unexpected_contact_is_told_with_link_side_and_place(caution: Watchful) -> None:
    events = after(caution, 0.05, good(stray=on_link(8, -5.0)))
    assert PATH is not None
    x, y = PATH.curve.position(np.array([good().middle(8)]))[0]
    assert f"unexpected contact link 9 left at ({x:.3f}, {y:.3f})" in events
    assert sum(event.startswith("unexpected") for event in events) == 1


def test_a_hard_unexpected_contact_stops_the_robot(caution: Watchful) -> None:
    events = after(caution, 0.01, good(stray=on_link(3, 16.0)))
    assert any("unexpected contact link 4 right" in event for event in events)
    assert any(event.startswith("stopped: unexpected contact on link 4") for event in events)
    after(caution, 0.9 * REST_TIME, good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS)))
    assert caution.speed_limit == 0.0
    assert caution.state is State.STOPPED


def test_a_post_that_is_not_there_is_told_once_and_changes_nothing_while_others_hold(
    caution: Watchful,
) -> None:
    assert after(caution, 0.1, good(absent=np.array([5]))) == ("post 5 not there",)
    assert caution.state is State.GO


def test_without_hold_it_goes_back_until_it_is_held_and_stops_with_the_reason(
    caution: Watchful,
) -> None:
    ahead = good(rate=0.04, desired=0.04, velocity=np.full(JOINTS, 0.12))
    events = after(caution, 0.1, ahead._replace(absent=np.array([5]), hold=0.1))
    assert caution.turned
    back = good(rate=-0.03, desired=-0.03, velocity=np.full(JOINTS, -0.09), absent=np.array([5]))
    after(caution, 0.5, back._replace(hold=0.1))
    assert caution.turned
    events += after(caution, 1.2 * HELD_WAY / 0.03, back)
    assert caution.state is State.STOPPED
    assert "post 5 not there" in events
    assert any(event.startswith("stopped: without post 5") for event in events)


def test_a_slow_robot_presses_gently_where_its_posts_do_not_balance_and_goes_on(
    caution: Watchful,
) -> None:
    assert not caution.weighing
    slow = good(rate=0.03, desired=0.03, velocity=np.full(JOINTS, 0.09))
    after(caution, 0.05, slow._replace(shape=0.04))
    assert caution.state is State.SLOW
    assert caution.weighing
    after(caution, 0.5, slow._replace(hold=0.0))
    assert caution.share == pytest.approx(SLOW_SHARE * LEAST_SHARE, rel=0.01)
    assert caution.state is State.SLOW
    after(caution, 0.5, slow)
    assert caution.share == pytest.approx(SLOW_SHARE, rel=0.01)
    after(caution, 0.1, slow._replace(rate=0.06))
    assert caution.state is State.SLOW
    assert not caution.weighing


@pytest.mark.parametrize(("speed", "weighing"), [(0.035, True), (0.06, False)])
def test_the_hold_is_weighed_where_momentum_does_not_carry_over_a_gap(
    caution: Watchful, speed: float, weighing: bool
) -> None:
    """Posts 40 mm off are met at 0.035 m/s."""
    after(caution, 0.1, good(rate=speed, desired=speed, velocity=np.full(JOINTS, 3 * speed)))
    assert caution.state is State.GO
    assert caution.weighing == weighing


def test_a_robot_that_its_posts_do_not_hold_is_weighed_until_they_do(caution: Watchful) -> None:
    """It does not get on, and the speed that it shall have rises meanwhile."""
    slow = good(rate=0.005, desired=0.02, velocity=np.zeros(JOINTS))
    after(caution, 0.5, slow._replace(hold=0.0))
    shall_be_fast = slow._replace(desired=0.06)
    after(caution, 0.1, shall_be_fast._replace(hold=0.0))
    assert caution.state is State.GO
    assert caution.weighing
    assert caution.share == pytest.approx(LEAST_SHARE, rel=0.01)
    after(caution, 0.1, shall_be_fast)
    assert not caution.weighing


@pytest.mark.parametrize("changed", [{"shape": 0.2}, {"touching": 2}])
def test_a_lost_robot_is_damped_and_drawn_softly_to_its_shape(
    caution: Watchful, changed: dict[str, Any]
) -> None:
    torque = np.full(JOINTS, 5.0)
    still = good(velocity=np.zeros(JOINTS), joint_rate=np.zeros(JOINTS), rate=0.0, desired=0.0)
    caution.update(still, TRAVEL)
    caution.temper(torque, np.zeros(JOINTS))
    after(caution, 0.4, still._replace(**changed))
    assert caution.state is State.LOST
    first = caution.temper(torque, np.zeros(JOINTS))
    assert (first <= torque).all()
    for _ in range(1000):
        caution.update(still, TRAVEL)
        last = caution.temper(torque, np.zeros(JOINTS))
    assert np.abs(last).max() < 1e-3
    fast = still._replace(joint_rate=np.full(JOINTS, 9.0))
    caution.update(fast, TRAVEL)
    braking = caution.temper(torque, np.zeros(JOINTS))
    assert (braking < 0).all()
    assert np.abs(braking).max() <= LOST_TORQUE + 1e-3


def test_a_lost_robot_is_not_dragged_along_by_a_reference_that_bends(caution: Watchful) -> None:
    """Post 3 of boa_circle missing: the head was, at 0.5 rad/s, and struck with 69 N."""
    still = good(joint_rate=np.zeros(JOINTS), velocity=np.zeros(JOINTS), rate=0.0, desired=0.0)
    caution.update(still, TRAVEL)
    after(caution, 0.4, still._replace(shape=0.2))
    assert caution.state is State.LOST
    caution.update(still._replace(velocity=np.full(JOINTS, -0.5)), TRAVEL)
    assert not caution.temper(np.zeros(JOINTS), np.zeros(JOINTS)).any()


def test_a_lost_robot_on_its_way_comes_to_rest_gradually(caution: Watchful) -> None:
    """0.1 m/s with 0.5 m/s2: 10 mm, on which the joints turn by 3 rad/m."""
    moving = good(shape=0.2)
    caution.update(moving, TRAVEL)
    first = caution.temper(np.zeros(JOINTS), np.zeros(JOINTS))
    assert np.abs(first).max() < 0.05
    for _ in range(1000):
        last = caution.temper(np.zeros(JOINTS), np.full(JOINTS, 0.03))
    resting = 3.0 * 0.3
    assert last == pytest.approx(np.full(JOINTS, -resting), abs=0.01)


def test_high_joint_forces_turn_torque_into_damping(caution: Watchful) -> None:
    torque = np.full(JOINTS, 4.0)
    caution.update(good(joint_force=0.9 * ROBOT.limits.joint_force_fault), TRAVEL)
    assert np.abs(caution.temper(torque, np.zeros(JOINTS))).max() < 1e-9


def test_a_robot_that_runs_away_without_hold_gives_way(caution: Watchful) -> None:
    events = after(caution, 0.01, good(absent=np.array([7]), hold=0.0, rate=0.09))
    assert caution.state is State.LOST
    assert any(event.startswith("lost: without post 7 too few hold") for event in events)


def test_reset_trusts_the_map_again(caution: Watchful) -> None:
    after(caution, 0.4, good(touching=1))
    assert caution.state is State.LOST
    caution.reset()
    assert after(caution, 0.2, good()) == ()
    assert caution.speed_limit == np.inf
