# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A map that may lack posts: what presses in vain is not there."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

from boa_control.controllers.hoal.contacts.plan import SameContacts
from boa_control.controllers.hoal.factory import make_map
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map.presence_map import PresenceMap
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.touch_points import Touch
from boa_control.events import EventKind
from boa_control.experiments.build import briefing
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.paths.corrected_map import CorrectedPost
from boa_control.paths.path import PlannedPath
from boa_description.chain import joint_axes
from boa_sim.wrong_map import unmapped
from boa_tools.runs.drive import run_experiment
from boa_tools.runs.runlog import held_force
from test.boa_control.controllers.hoal.random_field import (
    CHAIN,
    EXPERIMENT,
    MODEL,
    PATH,
    REFERENCE,
    ROBOT,
)
from test.boa_control.controllers.hoal.robot_rate import at_robot_rate
from test.boa_control.controllers.hoal.ticks import engaged

APPROACH = SHIPPED.contacts.approach
ASTRAY = SHIPPED.post_map.astray
FELT_FORCE = SHIPPED.contacts.felt_force
IN_VAIN = SHIPPED.post_map.in_vain
PATIENCE = SHIPPED.contacts.blow_time
PROBE_FORCE = SHIPPED.post_map.probe_force
TELLING_FORCE = SHIPPED.contacts.telling_force
TIP = SHIPPED.post_map.tip

PERIOD = 0.002
# a cursor overwrites the state that it gave before
START, LATER = MODEL.cursor()(0.92), MODEL.cursor()(1.5)


@pytest.fixture
def schedule() -> ContactSchedule:
    return ContactSchedule(PATH, REFERENCE, ROBOT.link.radius, 0.03)


@pytest.fixture
def checked(schedule: ContactSchedule) -> PresenceMap:
    """The robot has taken hold of its first posts."""
    checked = PresenceMap(CHAIN, schedule, PATH, PERIOD, Parameters())
    tick(checked, START, closing=True)
    return checked


def tick(checked, state, force=0.0, undetected=(), closing=False, silent=False, level=APPROACH):
    """All contacts are detected, but for those of the `undetected` numbers, which press with
    `force`; of these the sensors are `silent`, and they are taken on to `level`.
    """
    contacts = checked.plan(state)
    lacking = np.isin(contacts.post, undetected)
    measured = np.where(lacking, 0.0, 5.0)
    levels = np.where(lacking, level, 1.0)
    quiet = lacking & silent
    frame = SimpleNamespace(position=state.q[3:])
    known = {"level": levels, "force": measured, "silent": quiet, "closing": closing}
    checked.update(engaged(state, frame, contacts=contacts, **known))
    checked.pressed(contacts, np.where(lacking, force, 5.0))
    return contacts


def ticks(seconds: float) -> range:
    return range(round(seconds / PERIOD) + 2)


def newest(checked: PresenceMap) -> int:
    """The last of the posts beside the body."""
    return int(checked.plan(LATER).post[-1])


def test_blind_speed_without_map_error_calls_for_it(schedule):
    told = briefing(EXPERIMENT)
    for parameters, kind in ((Parameters(), False), (Parameters(blind_speed=0.05), True)):
        made = make_map(told, PATH, MODEL, schedule, parameters)
        assert isinstance(made, PresenceMap) == kind


def test_posts_that_are_felt_stay(checked):
    for _ in ticks(1.0):
        contacts = tick(checked, LATER)
    assert checked.absent(contacts).size == 0
    assert checked.probed(contacts) is None
    assert checked.news() is None


@pytest.mark.parametrize(("before", "early"), [(0.8 * TIP, True), (1.2 * TIP, False)])
def test_a_round_tip_may_touch_its_post_before_that_is_planned(checked, before, early):
    newest = checked.plan(LATER).contact[-1] + 1
    head = LATER.sigma[-1] - LATER.s
    state = MODEL.cursor()(PATH.contacts[newest].s - head - before)
    planned = checked.plan(state)
    expected = checked.expected(engaged(state, contacts=planned)).contacts
    pressing = [(newest, ROBOT.links - 1)] if early else []
    told = list(zip(expected.contact.tolist(), expected.link.tolist(), strict=True))
    assert told == [*zip(planned.contact.tolist(), planned.link.tolist(), strict=True), *pressing]


def test_a_post_that_was_felt_once_is_there_whatever_comes(checked):
    number = newest(checked)
    tick(checked, LATER)
    for _ in ticks(1.0):
        contacts = tick(checked, LATER, PROBE_FORCE, (number,))
    assert checked.absent(contacts).size == 0


def test_until_it_is_felt_a_post_is_pressed_gently(checked):
    number = newest(checked)
    contacts = tick(checked, LATER, 0.0, (number,))
    assert list(contacts.post[checked.probed(contacts)]) == [number]
    assert 2 * FELT_FORCE < PROBE_FORCE


@pytest.mark.parametrize(
    ("force", "seconds"), [(PROBE_FORCE, IN_VAIN / PROBE_FORCE), (TELLING_FORCE, PATIENCE)]
)
def test_a_post_that_is_not_there_is_given_up(checked, force, seconds):
    number = newest(checked)
    for _ in ticks(seconds):
        contacts = tick(checked, LATER, force, (number,))
    assert number not in contacts.post
    assert list(checked.absent(contacts)) == [number]
    news = checked.news()
    assert news.missing == (number,)
    assert {post.number for post in news.posts} == set(range(len(PATH.posts))) - {number}
    assert checked.news() is None, "told once"
    checked.reset()
    assert number in checked.plan(LATER).post


def test_a_post_that_was_given_up_on_a_former_path_is_still_missing(checked, schedule):
    """The next path goes round it; then another one is missing."""
    number = newest(checked)
    for _ in ticks(PATIENCE):
        tick(checked, LATER, PROBE_FORCE, (number,))
    numbers = tuple(k + 100 * (k == number) for k in range(len(PATH.posts)))
    round_it = PlannedPath(PATH.curve, PATH.contacts, PATH.bystanders, numbers)
    after = PresenceMap(CHAIN, schedule, round_it, PERIOD, Parameters())
    none = np.zeros(0, dtype=np.intp)
    after.go_on_from(checked, SameContacts(none, none))
    tick(after, START, closing=True)
    for _ in ticks(PATIENCE):  # the schedule still has the numbers of the first path
        tick(after, LATER, PROBE_FORCE, (number,))
    assert after.news().missing == (number, number + 100)


def test_neither_pressing_nor_time_gives_a_post_up_too_early(checked):
    number = newest(checked)
    for _ in range(round(0.5 * PATIENCE / PERIOD)):
        contacts = tick(checked, LATER, 0.5 * PROBE_FORCE, (number,))
    assert number in contacts.post


def test_a_post_that_is_pressed_more_gently_than_sensors_tell_stays(checked):
    number = newest(checked)
    for _ in ticks(1.0):
        contacts = tick(checked, LATER, 0.9 * TELLING_FORCE, (number,))
    assert number in contacts.post
    for _ in ticks(IN_VAIN / TELLING_FORCE):
        contacts = tick(checked, LATER, TELLING_FORCE, (number,))
    assert number not in contacts.post


@pytest.mark.parametrize(
    ("inside", "detected", "given_up"),
    [
        (1.2 * ASTRAY, False, True),
        (1.2 * ASTRAY, True, True),
        (0.8 * ASTRAY, True, False),
        (-1.2 * ASTRAY, True, True),
        (-1.2 * ASTRAY, False, False),
    ],
)
def test_a_body_off_its_path_shows_that_a_post_stands_elsewhere(
    checked, inside, detected, given_up
):
    """Its last joint is bent so that the middle of the last link is `inside` the post's place."""
    contacts = checked.plan(LATER)
    k = int(contacts.link.argmax())
    assert contacts.link[k] == CHAIN.links - 1
    bent = LATER.q[3:].copy()
    bent[-1] += contacts.side[k] * inside / (CHAIN.pitch / 2)
    force = np.full(contacts.contact.size, 5.0)
    force[k] *= detected
    level, quiet = np.full(force.size, APPROACH), np.zeros(force.size, bool)
    frame = SimpleNamespace(position=bent)
    known = {"level": level, "force": force, "silent": quiet}
    checked.update(engaged(LATER, frame, contacts=contacts, **known))
    assert (int(contacts.post[k]) not in checked.plan(LATER).post) == given_up


@pytest.mark.parametrize(("away", "given_up"), [(0.05, True), (0.2, False)])
def test_a_nose_that_another_post_pushes_aside_tells_nothing_of_its_own(
    checked, monkeypatch, away, given_up
):
    """What is found within 0.1 m of a post of the map may be that post, moved."""
    contacts = checked.plan(LATER)
    k = int(contacts.link.argmax())
    own = EXPERIMENT.obstacles[int(contacts.post[k])]
    bent = LATER.q[3:].copy()
    bent[-1] += contacts.side[k] * 1.2 * ASTRAY / (CHAIN.pitch / 2)
    frame = SimpleNamespace(position=bent)
    quiet = np.zeros(contacts.contact.size, bool)
    known = {
        "level": np.full(quiet.size, APPROACH),
        "force": np.full(quiet.size, 5.0),
        "silent": quiet,
    }
    one = CorrectedPost(999, own.x + away, own.y, own.radius, 1e-3, "unexpected")
    monkeypatch.setattr(checked, "_met", (one,))
    checked.update(engaged(LATER, frame, contacts=contacts, **known))
    assert (int(contacts.post[k]) not in checked.plan(LATER).post) == given_up


def test_while_its_sensors_are_silent_nothing_is_concluded_of_a_post(checked):
    number = newest(checked)
    for _ in ticks(1.0):
        contacts = tick(checked, LATER, PROBE_FORCE, (number,), silent=True)
    assert number in contacts.post
    assert list(contacts.post[checked.probed(contacts)]) == [number], "gently, as before"
    for _ in ticks(PATIENCE):
        contacts = tick(checked, LATER, PROBE_FORCE, (number,))
    assert number not in contacts.post


def test_without_sensors_every_post_counts_as_felt(checked):
    """As `Engagement` takes them on then."""
    number = newest(checked)
    for _ in ticks(1.0):
        contacts = tick(checked, LATER, PROBE_FORCE, (number,), level=1.0)
    assert number in contacts.post
    assert checked.probed(contacts) is None


def test_an_unexpected_post_beside_the_only_one_of_the_map(schedule, monkeypatch):
    only = PlannedPath(PATH.curve, (), PATH.posts[:1])
    checked = PresenceMap(CHAIN, schedule, only, PERIOD, Parameters())
    monkeypatch.setattr(checked._points, "beside", lambda *_: Touch(3, 0.07 - 0.1j, 0.01))
    contacts = schedule.at(LATER)
    sensors = SimpleNamespace(joint_force=np.zeros(0), position=LATER.q[3:])
    force = np.full(contacts.contact.size, 5.0)
    checked._tick = engaged(LATER, sensors, contacts=contacts, force=force)
    checked.unexpected(3)
    (event,) = checked.events.pop()
    assert event.kind is EventKind.UNMAPPED_POST
    assert [post.number for post in checked.news().posts] == [0, 1]
    nowhere = contacts.select(np.zeros(contacts.contact.size, bool))
    checked._tick = engaged(LATER, sensors, contacts=nowhere, force=force)
    checked.unexpected(3)
    assert checked.news() is None and not checked.events.pop(), "nothing tells its size"


def test_a_post_that_bends_the_body_is_located_on_the_bent_body(checked, monkeypatch):
    """The last joint gives way by 0.05 rad: the tip is 7 mm off the path, and the post with it."""
    touch = Touch(CHAIN.links - 1, 0.12 + 0.08j, 0.01)
    monkeypatch.setattr(checked._points, "beside", lambda *_: touch)
    contacts = checked.plan(LATER)
    force = np.where(contacts.link == touch.link, 0.0, 5.0)
    bent = LATER.q[3:].copy()
    bent[-1] += 0.05
    sensors = SimpleNamespace(joint_force=np.zeros(0), position=bent)
    checked._tick = engaged(LATER, sensors, contacts=contacts, force=force)
    checked.unexpected(touch.link)
    axes = joint_axes(CHAIN.pitch, LATER.q[:3], bent) @ [1, 1j]
    place = axes[-2] + (axes[-1] - axes[-2]) / CHAIN.pitch * touch.centre
    found = checked.news().posts[-1]
    assert (found.x, found.y) == pytest.approx((place.real, place.imag), abs=5e-4)


@pytest.mark.closed_loop
def test_closed_loop_a_missing_post_on_a_planned_path_is_noticed_gently():
    """With the map trusted, the same run ends by 55 N in a joint."""
    scenario = changed(
        at_robot_rate(load_scenario("boa_random_field")),
        {
            "disturbance": {"missing": {"posts": [6]}},
            "controller.parameters.blind_speed": 0.06,
            "duration": 7.5,
        },
    )
    log = run_experiment(prepare(scenario)).log
    assert any(event.text == "post 6 not there" for event in log.events)
    force = held_force(log)[..., :2]
    assert np.nanmax(np.linalg.norm(force, axis=-1)) <= 20.0


@pytest.mark.closed_loop
def test_closed_loop_a_post_that_is_on_no_map_is_run_into_gently_and_located():
    """0.035 m/s, from which no first touch gives more than 45 N; 20 mm: 0.1 rad at 90 mm, and the
    body gives way.
    """
    scenario = changed(
        at_robot_rate(load_scenario("boa_random_field")),
        {
            "disturbance": {"unmapped": {"posts": [{"s": 1.96, "side": "left", "into": 0.04}]}},
            "controller.parameters.blind_speed": 0.035,
            "duration": 5.5,
        },
    )
    experiment = prepare(scenario)
    (post,) = unmapped(experiment, experiment.obstacles, 0)
    log = run_experiment(experiment).log
    texts = [event.text for event in log.events]
    assert any(text.startswith("stopped: unexpected contact on link 13") for text in texts)
    told = next(text for text in texts if text.startswith("a post that the map has not there"))
    x, y = map(float, re.findall(r"-?\d+\.\d+", told))
    assert np.hypot(x - post.x, y - post.y) <= 0.02
    force = held_force(log)[..., :2]
    assert np.nanmax(np.linalg.norm(force, axis=-1)) <= 45.0
