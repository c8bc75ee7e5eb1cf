# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot that supervision has stopped: when it goes on, goes back, or stays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision.interface import Signals
from boa_control.controllers.hoal.supervision.supervisor import MapSupervisor
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.events import SupervisionState as State
from test.boa_control.controllers.hoal.supervision.watched import (
    JOINTS,
    PERIOD,
    ROBOT,
    TRAVEL,
    after,
    along,
    good,
    on_link,
    supervisor,
    update,
)

SLOW_SPEED = SHIPPED.steering.slow_speed

FREE_WAY = ROBOT.link.pitch
PERSISTENCE = SHIPPED.supervision.persistence
PRESSED_TIME = SHIPPED.supervision.pressed_time
QUIET_WAY = SHIPPED.supervision.quiet_way
REST_TIME = SHIPPED.start.settling_time
RETURN_WAY = SHIPPED.supervision.return_way
SLOW_TIME = SHIPPED.supervision.slow_time
STOPS = SHIPPED.steering.tries
STUCK_TIME = SHIPPED.supervision.stuck_time
SWING_TIME = SHIPPED.steering.long_patience


def blow() -> Signals:
    return good(joint_force=0.8 * ROBOT.limits.joint_force_fault)


def test_after_a_blow_it_goes_on_slowly_once_it_has_stood_quietly(
    supervision: MapSupervisor,
) -> None:
    after(supervision, 0.01, blow())
    assert supervision.state is State.STOPPED
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS))
    after(supervision, 0.5 * REST_TIME, still)
    assert supervision.state is State.STOPPED and supervision.speed_limit == 0.0
    after(supervision, 0.1, still._replace(shape=0.05))
    after(supervision, 0.9 * REST_TIME, still)
    assert supervision.state is State.STOPPED, "the rest begins anew"
    assert supervision.halted.startswith("stopped: joint force")
    assert "slow: goes on" in after(supervision, 0.2 * REST_TIME, still)[-1]
    assert supervision.halted == ""
    after(supervision, 1.0, still)
    assert 0.0 < supervision.speed_limit <= SLOW_SPEED


def test_a_planned_post_met_head_on_stops_it_and_it_goes_on(supervision: MapSupervisor) -> None:
    met = good(met=7, thrust=25.0)
    assert after(supervision, PERIOD, met)[-1].startswith("stopped: post 7 met by the tip")
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS))
    assert after(supervision, 1.1 * REST_TIME, still)[-1].startswith("slow: goes on")
    assert after(supervision, 0.1, good(met=7, thrust=5.0, rate=0.03, desired=0.03)) == ()


@pytest.mark.parametrize("doubt", [{"balance": 0.2}, {"measured": 3}])
def test_a_robot_that_is_not_held_does_not_go_on(
    supervision: MapSupervisor, doubt: dict[str, Any]
) -> None:
    after(supervision, 0.01, blow())
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS))
    after(supervision, 3 * REST_TIME, still._replace(**doubt))
    assert supervision.state in (State.STOPPED, State.LOST)


def test_held_by_the_others_it_goes_on_without_a_post(supervision: MapSupervisor) -> None:
    without = {"absent": np.array([5])}
    after(supervision, 0.01, blow()._replace(**without))
    assert supervision.halted.startswith("stopped: joint force")
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS), **without)
    after(supervision, 1.2 * REST_TIME, still._replace(exact=True))
    assert supervision.state is State.STOPPED, "there another path is planned"
    assert after(supervision, 1.2 * REST_TIME, still)[-1].startswith("slow: goes on")


def test_blows_again_and_again_at_one_place_end_it(supervision: MapSupervisor) -> None:
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS))
    for _ in range(STOPS):
        assert supervision.state is not State.STOPPED
        after(supervision, 0.01, blow())
        after(supervision, 2 * REST_TIME, still)
    assert supervision.state is State.STOPPED
    after(supervision, 2 * REST_TIME, still)
    assert supervision.state is State.STOPPED


def test_beside_an_unexpected_post_it_stays(supervision: MapSupervisor) -> None:
    after(supervision, 0.01, good(stray=on_link(3, 16.0), exact=True))
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS), exact=True)
    after(supervision, 3 * REST_TIME, still)
    assert supervision.state is State.STOPPED
    assert supervision.pop_strange() == (3,)
    assert supervision.pop_strange() == ()


def test_where_posts_stand_elsewhere_it_goes_on_once_nothing_unexpected_presses(
    supervision: MapSupervisor,
) -> None:
    after(supervision, 0.01, good(stray=on_link(3, 16.0)))
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS))
    after(supervision, 3 * REST_TIME, still._replace(stray=on_link(3, 5.0)))
    assert supervision.state is State.STOPPED
    assert after(supervision, 1.2 * REST_TIME, still)[-1].startswith("slow: goes on")


def test_held_by_its_posts_a_robot_has_longer_to_come_to_rest(supervision: MapSupervisor) -> None:
    after(supervision, 0.01, blow())
    swinging = good(rate=0.0, desired=0.0, velocity=np.full(JOINTS, 0.5))
    after(supervision, 0.9 * SWING_TIME, swinging)
    assert supervision.state is State.STOPPED
    assert after(supervision, 0.2 * SWING_TIME, swinging)[-1].startswith(
        "lost: does not stand still"
    )


def test_a_stopped_robot_that_swings_gives_the_contact_model_up(supervision: MapSupervisor) -> None:
    after(supervision, 0.01, good(stray=on_link(3, 16.0)))
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS), balance=0.2)
    swinging = still._replace(velocity=np.full(JOINTS, 0.3))
    after(supervision, 0.5 * REST_TIME, swinging)
    assert supervision.state is State.STOPPED, "it may come to rest first"
    after(supervision, REST_TIME, still)
    assert supervision.state is State.STOPPED
    assert after(supervision, 0.01, swinging)[-1].startswith("lost: does not stand still, a joint")


def test_a_robot_that_does_not_get_on_stops_with_the_reason(supervision: MapSupervisor) -> None:
    stuck = good(rate=0.0, velocity=np.zeros(JOINTS))
    assert after(supervision, 0.9 * SLOW_TIME, stuck) == ()
    assert after(supervision, 0.2 * SLOW_TIME, stuck)[-1].startswith("slow: no way made in 3 s")
    assert supervision.weighing, "posts that push it back are pressed no more"
    after(supervision, 0.9 * STUCK_TIME - 1.1 * SLOW_TIME, stuck)
    assert supervision.state is State.SLOW
    assert after(supervision, 0.2 * STUCK_TIME, stuck)[-1].startswith(
        "stopped: no way made in 15 s"
    )
    after(supervision, 3 * REST_TIME, stuck._replace(desired=0.0))
    assert supervision.state is State.STOPPED


@pytest.mark.parametrize("speed", [0.003, 0.006, 0.03])
def test_where_something_has_pressed_a_robot_that_gets_back_slowly_is_not_stuck(
    supervision: MapSupervisor, speed: float
) -> None:
    slowly = good(exact=True, rate=-speed, desired=-speed, velocity=np.full(JOINTS, -3.0 * speed))
    after(supervision, 0.05, good(exact=True, stray=on_link(5, 5.0)))
    assert supervision.state is State.STOPPED
    back = Travel(-1, 0.05, -1)
    for tick in range(round(6.0 / PERIOD)):
        way = speed * PERIOD * tick
        update(supervision, slowly._replace(sigma=slowly.sigma - way), back)
        assert supervision.state is State.SLOW
    stuck = slowly._replace(rate=0.0, velocity=np.zeros(JOINTS))
    events = after(supervision, 0.6 * STUCK_TIME if speed > 0.003 else STUCK_TIME, stuck)
    assert events[-1].startswith("stopped: no way made in ")


def test_beside_a_post_that_an_exact_map_has_not_it_stops_and_blames_no_other(supervision) -> None:
    pressed = good(exact=True, stray=on_link(12, 5.0))
    assert after(supervision, 0.8 * PERSISTENCE, pressed) == (), "noise and single samples"
    assert [text.split(" at ")[0].rstrip(",") for text in after(supervision, 0.01, pressed)] == [
        "unexpected contact link 13 right",
        "stopped: unexpected contact on link 13",
    ]
    pushed_aside = pressed._replace(stray=on_link(4, 7.0), rate=0.0, desired=0.0)
    assert after(supervision, 0.1, pushed_aside) == ()


def test_on_a_new_path_a_robot_that_was_slow_stays_slow(supervision: MapSupervisor) -> None:
    fresh = supervisor()
    fresh.go_on_from(supervision)
    assert fresh.state is State.GO
    after(supervision, 0.02, good(rate=0.17))
    assert supervision.state is State.SLOW
    fresh.go_on_from(supervision)
    assert fresh.state is State.SLOW
    assert along(fresh, 0.9 * QUIET_WAY, good()) == ()
    assert along(fresh, 0.2 * QUIET_WAY, good())[-1].startswith("go: as planned again")


def test_a_robot_that_is_told_to_stand_is_not_stuck(supervision: MapSupervisor) -> None:
    after(supervision, 2 * STUCK_TIME, good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS)))
    assert supervision.state is State.GO


def test_from_where_it_stopped_it_may_be_sent_back(supervision: MapSupervisor) -> None:
    """What it ran into presses on at first, and must not stop it again."""
    pressed = good(stray=on_link(12, 16.0), rate=0.0, desired=0.0)
    after(supervision, 0.1, pressed)
    assert supervision.state is State.STOPPED
    for goal in (1, 0):
        supervision.update(pressed, TRAVEL._replace(goal=goal))
        assert supervision.state is State.STOPPED
    supervision.update(pressed, TRAVEL._replace(goal=-1))
    assert supervision.state is State.SLOW
    assert supervision.events.pop()[0].reason == "goes_back"
    assert supervision.halted == ""
    back = pressed._replace(rate=-0.03, desired=-0.03)
    for _ in range(round(0.9 * FREE_WAY / 0.03 / PERIOD)):
        supervision.update(back, Travel(-1, 0.05, -1))
    assert supervision.state is State.SLOW
    for _ in range(round(0.2 * FREE_WAY / 0.03 / PERIOD)):
        supervision.update(back, Travel(-1, 0.05, -1))
    assert supervision.state is State.STOPPED, "another post on the way back"


def test_sent_forward_again_it_is_stopped_at_once_by_what_it_ran_into(
    supervision: MapSupervisor,
) -> None:
    pressed = good(stray=on_link(12, 16.0), rate=0.0, desired=0.0)
    after(supervision, 0.1, pressed)
    supervision.update(pressed, TRAVEL._replace(goal=-1))
    back = pressed._replace(rate=-0.03, desired=-0.03)
    for _ in range(round(0.2 * FREE_WAY / 0.03 / PERIOD)):
        supervision.update(back, Travel(-1, 0.05, -1))
    supervision.update(back, Travel(-1, 0.05, 1))
    assert supervision.state is State.SLOW, "it still goes back"
    supervision.update(pressed, TRAVEL)
    assert supervision.state is State.STOPPED
    supervision.update(pressed, TRAVEL._replace(goal=-1))
    assert supervision.state is State.SLOW, "and may be sent back again"


def test_a_lost_robot_is_not_sent_back(supervision: MapSupervisor) -> None:
    after(supervision, 0.1, good(shape=0.2))
    supervision.update(good(), Travel(1, 0.1, -1))
    assert supervision.state is State.LOST


@pytest.fixture
def lacking() -> MapSupervisor:
    """Of a map that may lack posts."""
    return supervisor(blind_speed=0.03)


def test_beside_a_post_that_is_not_located_it_stops_for_good(lacking: MapSupervisor) -> None:
    """It slid on along one until posts let go: 68 N. All the while it is told where to search."""
    pressed = good(stray=on_link(12, 5.0))
    events = after(lacking, 0.9 * PRESSED_TIME, pressed)
    assert lacking.state is State.SLOW
    assert sum(text.startswith("unexpected contact link 13") for text in events) == 1
    assert set(lacking.pop_strange()) == {12}
    after(lacking, 0.01, pressed)
    assert set(lacking.pop_strange()) == {12}
    assert after(lacking, 0.2 * PRESSED_TIME, pressed)[-1].startswith("stopped: an unexpected")
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS))
    after(lacking, 3 * REST_TIME, still)
    assert lacking.state is State.STOPPED


def test_where_posts_are_taken_for_others_it_stops_for_good(lacking: MapSupervisor) -> None:
    misled = good(misled="posts are taken for others")
    assert after(lacking, PERIOD, misled)[-1].startswith("stopped: posts are taken")
    still = good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS))
    after(lacking, 3 * REST_TIME, still)
    assert lacking.state is State.STOPPED


@pytest.mark.parametrize(("way", "stops"), [(0.9, False), (1.1, True)])
def test_one_that_slips_back_stays(supervision: MapSupervisor, way: float, stops: bool) -> None:
    """Held by its posts all the time, by more than one may go back to be held again."""
    assert after(supervision, PERIOD, good()) == ()
    slipping = good(rate=-0.01)
    told = along(supervision, -way * RETURN_WAY, slipping)
    stopped = [line for line in told if line.startswith("stopped: ")]
    assert ["slips back, 0.20 m by now" in line for line in stopped] == [True] * stops
    after(supervision, 3 * REST_TIME, good(rate=0.0, desired=0.0, velocity=np.zeros(JOINTS)))
    assert (supervision.state is State.STOPPED) is stops
