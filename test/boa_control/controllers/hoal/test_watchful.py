"""Caution on a map that may be wrong: the band of good runs, and what follows outside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.controllers.hoal.bands import SLOW_SPEED
from boa_control.controllers.hoal.caution import Signals
from boa_control.controllers.hoal.frontier import Frontier
from boa_control.controllers.hoal.soft_hold import LOST_TORQUE
from boa_control.controllers.hoal.steering import Travel
from boa_control.controllers.hoal.watchful import (
    CALM_DRIFT,
    CLOSING_TIME,
    FREE_WAY,
    HELD_WAY,
    LEAST_SHARE,
    MOST_DRIFT,
    QUIET_WAY,
    REST_TIME,
    SLOW_SHARE,
    STOPS,
    STUCK_TIME,
    State,
    Watchful,
)
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.load import load_robot

ROBOT = load_robot("boa13")
PERIOD = 0.002
TRAVEL = Travel(1, 0.1)
JOINTS, LINKS = ROBOT.joints, ROBOT.links
NONE = np.zeros(0, int)
PATH = prepare(load_scenario("boa_missing_post")).path


def good(**changed: Any) -> Signals:
    """Signals in the middle of a good run, with some of them changed."""
    signals = Signals(
        middle=1.0 + 0.13 * np.arange(LINKS),
        rate=0.1,
        desired=0.1,
        shape=0.01,
        velocity=np.full(JOINTS, 0.3),
        joint_rate=np.full(JOINTS, 0.3),
        along=np.full(JOINTS, 3.0),
        stray=np.zeros(LINKS),
        axial=np.zeros(LINKS),
        joint_force=12.0,
        hold=0.9,
        pressed=8.0,
        contacts=5,
        touching=5,
        absent=NONE,
        drift=0.0,
        closing=False,
        settling=False,
    )
    return signals._replace(**changed)


def on_link(link: int, force: float) -> Any:
    forces = np.zeros(LINKS)
    forces[link] = force
    return forces


@pytest.fixture
def caution() -> Watchful:
    assert PATH is not None
    return Watchful(ROBOT, PATH.curve, Frontier(PATH.curve, np.inf), PERIOD)


def after(caution: Watchful, seconds: float, signals: Signals) -> tuple[str, ...]:
    """The events while the signals last."""
    events: tuple[str, ...] = ()
    for _ in range(round(seconds / PERIOD)):
        caution.update(signals, TRAVEL)
        events += caution.pop_events()
    return events


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


def test_a_single_sample_does_not_count(caution: Watchful) -> None:
    caution.update(good(shape=0.05), TRAVEL)
    caution.update(good(), TRAVEL)
    assert after(caution, 0.1, good()) == ()
    assert caution.state is State.GO


def test_after_a_quiet_way_it_trusts_the_map_again(caution: Watchful) -> None:
    after(caution, 0.05, good(shape=0.04))
    slow = good(desired=0.03, rate=0.03, velocity=np.full(JOINTS, 0.09))
    after(caution, 0.9 * QUIET_WAY / 0.03, slow)
    assert caution.state is State.SLOW
    after(caution, 0.2 * QUIET_WAY / 0.03, slow)
    assert caution.state is State.GO
    after(caution, 1.0, good())
    assert caution.speed_limit == np.inf


def test_an_unexpected_contact_is_told_with_link_side_and_place(caution: Watchful) -> None:
    events = after(caution, 0.05, good(stray=on_link(8, -5.0)))
    assert PATH is not None
    x, y = PATH.curve.position(good().middle[8:9])[0]
    assert f"unexpected contact link 9 left at ({x:.3f}, {y:.3f})" in events
    assert sum(event.startswith("unexpected") for event in events) == 1


def test_a_hard_unexpected_contact_stops_the_robot(caution: Watchful) -> None:
    events = after(caution, 0.01, good(stray=on_link(3, 16.0)))
    assert any("unexpected contact link 4 right" in event for event in events)
    assert any(event.startswith("stopped: unexpected contact on link 4") for event in events)
    after(caution, 1.0, good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS)))
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


def test_while_closing_the_shape_may_be_off(caution: Watchful) -> None:
    assert after(caution, 1.5, good(closing=True, touching=0, shape=0.3)) == ()
    assert after(caution, 5.0, good(closing=True, touching=3, shape=0.3)) == ()


def test_a_start_at_which_posts_do_not_hold_is_given_up(caution: Watchful) -> None:
    (event,) = after(caution, 4.0, good(closing=True, touching=2))
    assert event.startswith("lost: 2 of 5 planned posts measured at the start, at (")
    torque = np.full(JOINTS, 5.0)
    assert np.abs(caution.temper(torque, np.zeros(JOINTS))).max() < 5.0


def test_a_start_at_which_no_post_is_measured_is_given_up_once_they_are_pressed(
    caution: Watchful,
) -> None:
    """Before, posts at their places are pressed too gently to be measured."""
    none = good(closing=True, touching=0)
    assert after(caution, 5.0, none._replace(pressed=0.4)) == ()
    (event,) = after(caution, 2.1, none._replace(pressed=0.6))
    assert event.startswith("lost: 0 of 5 planned posts measured at the start")


def test_while_closing_a_body_that_drifts_towards_a_post_is_pressed_less(
    caution: Watchful,
) -> None:
    """One that was pressed on drifted 35 mm/s fast into its third post: 41 N in a joint."""
    shares = []
    for drift in (0.0, CALM_DRIFT, 0.5 * (CALM_DRIFT + MOST_DRIFT), MOST_DRIFT, 0.1):
        after(caution, PERIOD, good(closing=True, drift=drift))
        shares.append(caution.share)
    assert shares == pytest.approx([1.0, 1.0, 0.5, 0.0, 0.0])
    after(caution, PERIOD, good(drift=0.1))
    assert caution.share == 1.0, "only while closing"


def test_a_start_on_its_way_to_the_next_post_is_not_given_up_early(caution: Watchful) -> None:
    drifting = good(closing=True, touching=2, drift=0.015)
    assert after(caution, 4.0, drifting) == ()
    after(caution, CLOSING_TIME + 0.01, drifting._replace(drift=0.0))
    assert caution.lost


@pytest.mark.parametrize("touching", [3, 4])
def test_a_start_that_ends_by_its_time_with_too_few_posts_is_not_set_in_motion(
    caution: Watchful, touching: int
) -> None:
    after(caution, 1.0, good(closing=True, touching=touching))
    assert not caution.lost
    after(caution, PERIOD, good(touching=touching))
    assert caution.lost == (touching < 4)


def test_what_a_rubbing_floor_holds_is_not_given_up() -> None:
    """0.2 times 22 N carry more of a link than the first forces are."""
    assert PATH is not None
    rubbing = Watchful(ROBOT, PATH.curve, Frontier(PATH.curve, np.inf), PERIOD, friction=0.2)
    assert after(rubbing, 4.9, good(closing=True, touching=0, pressed=3.0)) == ()


def test_the_shape_of_the_start_may_give_way(caution: Watchful) -> None:
    assert after(caution, 1.0, good(shape=0.05, settling=True)) == ()
    assert after(caution, 0.1, good(shape=0.09, settling=True))


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


def test_where_the_body_has_not_been_it_goes_at_the_blind_speed() -> None:
    assert PATH is not None
    frontier = Frontier(PATH.curve, 0.04)
    body = 0.13 * np.arange(LINKS)
    assert frontier.limit(body, 1) == 0.04
    assert frontier.limit(body + 0.5, 1) == 0.04
    assert frontier.limit(body + 0.4, -1) > 0.2  # back the way it came
    assert frontier.limit(body + 0.45, 1) == pytest.approx(np.hypot(0.04, np.sqrt(0.1 * 0.05)))
    assert frontier.limit(body + 0.499, 1) < 0.042, "a millimetre back it goes no faster"
    assert frontier.limit(body - 0.1, -1) == 0.04
    assert frontier.limit(body + 0.6, 1) == 0.04


def test_after_a_lap_all_of_a_closed_path_is_known() -> None:
    assert PATH is not None
    frontier = Frontier(PATH.curve, 0.04)
    body = 0.13 * np.arange(LINKS)
    limits = [frontier.limit(body + s, 1) for s in np.arange(0.0, 9.0, 0.1)]
    first = limits.index(np.inf)
    assert body[-1] + 0.1 * first == pytest.approx(PATH.curve.length, abs=0.1)
    assert limits[first:] == [np.inf] * (len(limits) - first)


def blow() -> Signals:
    return good(joint_force=0.8 * ROBOT.limits.joint_force_fault)


def test_after_a_blow_it_goes_on_slowly_once_it_has_stood_quietly(caution: Watchful) -> None:
    after(caution, 0.01, blow())
    assert caution.state is State.STOPPED
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS))
    after(caution, 0.5 * REST_TIME, still)
    assert caution.state is State.STOPPED and caution.speed_limit == 0.0
    after(caution, 0.1, still._replace(shape=0.05))
    after(caution, 0.9 * REST_TIME, still)
    assert caution.state is State.STOPPED, "the rest begins anew"
    assert caution.halted.startswith("stopped: joint force")
    assert "slow: goes on" in after(caution, 0.2 * REST_TIME, still)[-1]
    assert caution.halted == ""
    after(caution, 1.0, still)
    assert 0.0 < caution.speed_limit <= SLOW_SPEED


@pytest.mark.parametrize("doubt", [{"hold": 0.2}, {"touching": 3}, {"absent": np.array([5])}])
def test_a_robot_that_is_not_held_does_not_go_on(caution: Watchful, doubt: dict[str, Any]) -> None:
    after(caution, 0.01, blow())
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS))
    after(caution, 3 * REST_TIME, still._replace(**doubt))
    assert caution.state in (State.STOPPED, State.LOST)


def test_blows_again_and_again_at_one_place_end_it(caution: Watchful) -> None:
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS))
    for _ in range(STOPS):
        assert caution.state is not State.STOPPED
        after(caution, 0.01, blow())
        after(caution, 2 * REST_TIME, still)
    assert caution.state is State.STOPPED
    after(caution, 2 * REST_TIME, still)
    assert caution.state is State.STOPPED


def test_beside_an_unexpected_post_it_stays(caution: Watchful) -> None:
    after(caution, 0.01, good(stray=on_link(3, 16.0)))
    after(caution, 3 * REST_TIME, good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS)))
    assert caution.state is State.STOPPED
    assert caution.pop_strange() == (3,)
    assert caution.pop_strange() == ()


def test_a_stopped_robot_that_swings_gives_the_contact_model_up(caution: Watchful) -> None:
    after(caution, 0.01, good(stray=on_link(3, 16.0)))
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS))
    swinging = still._replace(velocity=np.full(JOINTS, 0.3))
    after(caution, 0.5 * REST_TIME, swinging)
    assert caution.state is State.STOPPED, "it may come to rest first"
    after(caution, REST_TIME, still)
    assert caution.state is State.STOPPED
    assert after(caution, 0.01, swinging)[-1].startswith("lost: does not stand still, a joint")


def test_a_robot_that_does_not_get_on_stops_with_the_reason(caution: Watchful) -> None:
    stuck = good(rate=0.0, velocity=np.zeros(JOINTS))
    after(caution, 0.9 * STUCK_TIME, stuck)
    assert caution.state is State.GO
    assert after(caution, 0.2 * STUCK_TIME, stuck)[-1].startswith("stopped: no way made in 15 s")
    after(caution, 3 * REST_TIME, stuck._replace(desired=0.0))
    assert caution.state is State.STOPPED


@pytest.mark.parametrize("speed", [0.003, 0.006, 0.03])
def test_where_something_has_pressed_a_robot_that_gets_on_slowly_is_not_stuck(
    caution: Watchful, speed: float
) -> None:
    slowly = good(exact=True, rate=speed, desired=speed, velocity=np.full(JOINTS, 3.0 * speed))
    after(caution, 0.05, slowly._replace(stray=on_link(5, 5.0)))
    assert caution.state is State.SLOW
    for tick in range(round(6.0 / PERIOD)):
        way = speed * PERIOD * tick
        caution.update(slowly._replace(middle=slowly.middle + way), TRAVEL)
        assert caution.state is State.SLOW
    stuck = slowly._replace(rate=0.0, velocity=np.zeros(JOINTS))
    events = after(caution, 0.6 * STUCK_TIME if speed > 0.003 else STUCK_TIME, stuck)
    assert events[-1].startswith("stopped: no way made in ")


def test_a_robot_that_is_told_to_stand_is_not_stuck(caution: Watchful) -> None:
    after(caution, 2 * STUCK_TIME, good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS)))
    assert caution.state is State.GO


def test_from_where_it_stopped_it_may_be_sent_back(caution: Watchful) -> None:
    """What it ran into presses on at first, and must not stop it again."""
    pressed = good(stray=on_link(12, 16.0), rate=0.0, desired=0.0)
    after(caution, 0.1, pressed)
    assert caution.state is State.STOPPED
    for goal in (1, 0):
        caution.update(pressed, TRAVEL._replace(goal=goal))
        assert caution.state is State.STOPPED
    caution.update(pressed, TRAVEL._replace(goal=-1))
    assert caution.state is State.SLOW
    assert "goes back" in caution.pop_events()[0]
    assert caution.halted == ""
    back = pressed._replace(rate=-0.03, desired=-0.03)
    for _ in range(round(0.9 * FREE_WAY / 0.03 / PERIOD)):
        caution.update(back, Travel(-1, 0.05, -1))
    assert caution.state is State.SLOW
    for _ in range(round(0.2 * FREE_WAY / 0.03 / PERIOD)):
        caution.update(back, Travel(-1, 0.05, -1))
    assert caution.state is State.STOPPED, "another post on the way back"


def test_sent_forward_again_it_is_stopped_at_once_by_what_it_ran_into(caution: Watchful) -> None:
    pressed = good(stray=on_link(12, 16.0), rate=0.0, desired=0.0)
    after(caution, 0.1, pressed)
    caution.update(pressed, TRAVEL._replace(goal=-1))
    back = pressed._replace(rate=-0.03, desired=-0.03)
    for _ in range(round(0.2 * FREE_WAY / 0.03 / PERIOD)):
        caution.update(back, Travel(-1, 0.05, -1))
    caution.update(back, Travel(-1, 0.05, 1))
    assert caution.state is State.SLOW, "it still goes back"
    caution.update(pressed, TRAVEL)
    assert caution.state is State.STOPPED
    caution.update(pressed, TRAVEL._replace(goal=-1))
    assert caution.state is State.SLOW, "and may be sent back again"


def test_a_lost_robot_is_not_sent_back(caution: Watchful) -> None:
    after(caution, 0.1, good(shape=0.2))
    caution.update(good(), Travel(1, 0.1, -1))
    assert caution.state is State.LOST
