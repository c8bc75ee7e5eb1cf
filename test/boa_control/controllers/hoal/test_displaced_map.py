"""Posts off their places: geometry of a bent chain, touch, limit and the bent reference against
exact geometry.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.controllers.contact_report import transitions
from boa_control.controllers.hoal import deformation
from boa_control.controllers.hoal.contact_plan import ContactPlan
from boa_control.controllers.hoal.deformation import (
    BEND_STD,
    CONTACT_STD,
    FOLLOW_SPEED,
    PREVIEW,
    SEARCH_SPEED,
    DeformedReference,
)
from boa_control.controllers.hoal.displaced_map import DisplacedMap, gap_rates
from boa_control.controllers.hoal.engagement import APPROACH, Engagement
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.speed_limit import REACH, SpeedLimit
from boa_control.controllers.hoal.steering import Travel
from boa_control.controllers.hoal.succession import SameContacts
from boa_control.estimation.sideways_balance import measured_deviations, measured_forces
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel, PathState
from boa_control.model.reference import ReferenceTable
from boa_control.paths.path import PlannedPath
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.load import load_robot
from boa_description.scene import Circle, GroundFriction
from boa_tools.evaluation.contact_metrics import chatter, contact_history
from boa_tools.runs.drive import run_experiment

pytestmark = pytest.mark.closed_loop

BOA = load_robot("boa13")
CHAIN = PlanarChain(BOA)


def planned() -> PlannedPath:
    path = prepare(load_scenario("boa_offset_10mm")).path
    assert path is not None
    return path


PATH = planned()
TABLE = ReferenceTable(PATH.curve, BOA.links, BOA.link.pitch)
MODEL = PathModel(CHAIN, TABLE, GroundFriction())
SCHEDULE = ContactSchedule(PATH, TABLE, BOA.link.radius, 0.03)
PERIOD = 0.002


def test_what_was_found_on_one_path_is_known_on_the_next() -> None:
    """The next path has every other post, one of them moved, and one that was unexpected before."""
    parameters = Parameters(map_error=0.007)
    before = DisplacedMap(BOA, CHAIN, SCHEDULE, PATH, PERIOD, parameters)
    posts = before._posts
    posts.mean = posts.mean + 0.01
    posts.sightings[np.arange(24) != 5] = 20
    posts.covariance = 0.04 * posts.covariance
    before._record.miss([5])
    before._record.add(0.0 + 0.0j, 0.004, posts)
    before._record.add(3.0 + 0.0j, 0.004, posts)
    news = before.news()
    assert news is not None and [post.number for post in news.posts[-2:]] == [24, 25]

    kept = [post for k, post in enumerate(PATH.posts) if k % 2 == 0]
    moved = kept[0].model_copy(update={"y": kept[0].y + 0.06})
    bystanders = (moved, *kept[1:], Circle(x=0.0, y=0.01, radius=0.05))
    numbers = (*range(0, len(PATH.posts), 2), 24)
    after_path = PlannedPath(PATH.curve, (), bystanders, numbers)
    after = DisplacedMap(BOA, CHAIN, SCHEDULE, after_path, PERIOD, parameters)
    none = np.zeros(0, dtype=np.intp)
    after.go_on_from(before, SameContacts(none, none))
    news = after.news()
    assert news is not None and news.missing == (5,)
    found = {post.number: post for post in news.posts}
    assert sorted(found) == sorted({*range(26)} - {5})
    for number, post in enumerate(PATH.posts):
        if number not in (0, 5):
            assert found[number].x == pytest.approx(post.x + 0.01)
            assert found[number].kind == "touched"
    assert found[0].kind == found[24].kind == "mapped", "moved, and unexpected before"
    assert found[0].y == moved.y
    assert (found[25].kind, found[25].x) == ("unexpected", 3.0)


def bent(s: float, bend: np.ndarray) -> PathState:
    reference = DeformedReference(CHAIN, len(PATH.obstacles), PERIOD, 0.007)
    reference.bend = bend
    return reference.apply(MODEL.at(s))


def true_clearance(q: np.ndarray, post: np.ndarray, radius: float) -> float:
    """Distance between a round post and the chain of capsules."""
    axes = CHAIN.joint_axes(q, CHAIN.posture(q))
    arm, link = post - axes[:-1], np.diff(axes, axis=0)
    along = np.clip(np.sum(arm * link, axis=1) / np.sum(link**2, axis=1), 0.0, 1.0)
    return float(np.hypot(*(arm - along[:, None] * link).T).min() - radius - BOA.link.radius)


def centres(contacts: ContactSet, state: PathState, offsets: np.ndarray) -> np.ndarray:
    """The posts moved by `offsets` towards the path, which passes them straight; frame of the
    state, shape (nc, 2).
    """
    moved = []
    for post in contacts.post:
        planned = PATH.obstacles[post]
        heading = float(PATH.curve.heading(np.array([planned.s]))[0])
        towards = -planned.side * np.array([-np.sin(heading), np.cos(heading)])
        moved.append(np.array([planned.x, planned.y]) + offsets[post] * towards)
    return TABLE.to_pattern(np.array(moved), state.turn)


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_clearance_and_its_gradient_are_those_of_capsules_and_moved_posts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    state = bent(
        rng.uniform(0, 3),
        np.concatenate([rng.normal(scale=0.005, size=3), rng.normal(scale=0.02, size=12)]),
    )
    offsets = rng.normal(scale=0.01, size=len(PATH.obstacles))
    contacts = SCHEDULE.at(state, PREVIEW, offsets)
    rows, push = contacts.rows(CHAIN, state, 0.0)
    assert rows is push or np.array_equal(rows, push)
    for k, centre in enumerate(centres(contacts, state, offsets)):
        if not (0.0 <= contacts.offset[k] <= BOA.link.pitch) or contacts.inside[k] < 0.15:
            continue  # beyond the ends the flank is meant to go on straight
        radius = PATH.obstacles[contacts.post[k]].radius
        clearance = true_clearance(state.q, centre, radius)
        if clearance < -0.05:
            # the axis of a link runs through the post: on which side it stands is no longer clear
            continue
        assert contacts.clearance[k] == pytest.approx(clearance, abs=1e-9)
        numeric = np.array(
            [
                (
                    true_clearance(state.q + step, centre, radius)
                    - true_clearance(state.q - step, centre, radius)
                )
                / 2e-6
                for step in 1e-6 * np.eye(state.q.size)
            ]
        )
        np.testing.assert_allclose(rows[k], numeric, atol=1e-4)


def test_a_nose_on_the_path_is_beside_the_next_post_before_it_gets_there() -> None:
    """Within the straight piece of path at the post, although the head link still lies in the bend
    before it.
    """
    seen = 0
    for s in np.linspace(0.0, 1.4, 200):
        contacts = SCHEDULE.at(MODEL.at(float(s)), PREVIEW)
        outside = (contacts.inside < 0) & (contacts.inside > -0.12)
        np.testing.assert_allclose(contacts.clearance[outside], 0.0, atol=1e-5)
        seen += int(outside.sum())
    assert seen > 50


@pytest.mark.parametrize("seed", range(3))
def test_a_contact_passes_every_joint_once(seed: int) -> None:
    """At a joint both links are equally near the post; rounding must not make the contact jump to
    and fro.
    """
    rng = np.random.default_rng(seed)
    bend = np.concatenate([np.zeros(3), rng.normal(scale=0.02, size=12)])
    offsets = rng.normal(scale=0.007, size=len(PATH.obstacles))
    before, links = None, dict[int, list[int]]()
    for s in np.linspace(0.3, 1.0, 3500):
        now = SCHEDULE.at(bent(float(s), bend), PREVIEW, offsets)
        now = now.select(now.inside > 0.03)
        for event in transitions(before, now):
            kind, _, post, _, link, *onwards = event.split()
            if kind == "pass":
                links.setdefault(int(post), [int(link)]).append(int(onwards[-1]))
        before = now
    assert sum(map(len, links.values())) > 20
    for passed in links.values():
        assert np.all(np.diff(passed) == -1), passed  # from head to tail, link by link


def frame(position: np.ndarray, force: np.ndarray, acceleration: np.ndarray) -> SensorFrame:
    unknown = np.full(BOA.joints, np.nan)
    return SensorFrame(
        stamp_ns=0,
        position=position,
        velocity=np.zeros(BOA.joints),
        effort=np.zeros(BOA.joints),
        joint_force=ForceSample(0, np.column_stack([force, np.zeros(BOA.joints)])),
        imu=ImuSample.planar(0, np.zeros(BOA.links), np.zeros(BOA.links), acceleration),
        temperature=unknown,
        joint_age=np.zeros(BOA.joints),
    )


def test_a_place_without_posts_teaches_nothing() -> None:
    learning = DisplacedMap(BOA, CHAIN, SCHEDULE, PATH, PERIOD, Parameters(map_error=0.007))
    state, _ = learning.fit(MODEL.at(1.0), np.zeros(BOA.joints))
    contacts = learning.plan(state)
    contacts = contacts.select(np.zeros(contacts.post.size, bool))
    nothing, none = np.zeros(0), np.zeros(0, bool)
    still = frame(state.q[3:], np.zeros((BOA.joints, 2)), np.zeros((BOA.links, 2)))
    torques = np.zeros(BOA.joints)
    felt = learning.update(
        still, state, contacts, nothing, nothing, none, False, Travel(1, 0.1), lambda: torques
    )
    learning.unexpected(3)
    assert felt.size == 0 and learning.news() is None


@pytest.mark.parametrize("pressing", [0.0, 6.0])
def test_a_swinging_head_does_not_feel_its_own_inertia(pressing: float) -> None:
    """The head link alone accelerates sideways at 2 m/s2, pushed by its joint, and by a post or
    not.
    """
    state = MODEL.at(0.25)
    contacts = SCHEDULE.at(state)
    head = np.flatnonzero(contacts.link == BOA.links - 1)
    contacts = contacts.select(np.isin(np.arange(contacts.post.size), head))
    assert contacts.post.size == 1 and 0.03 < contacts.offset[0] < 0.1
    acceleration = np.zeros((BOA.links, 2))
    acceleration[-1, 1] = 2.0
    force = np.zeros((BOA.joints, 2))
    # of the head on its neighbour
    force[-1, 1] = -(2.0 * BOA.link.mass + contacts.side[0] * pressing)
    sample = frame(state.q[3:], force, acceleration)
    found = measured_forces(sample, contacts, CHAIN, state.sideways(0.0, 0.0))
    assert found is not None
    np.testing.assert_allclose(found, pressing, atol=1e-9)


def test_felt_forces_are_unbiased_and_as_uncertain_as_they_say() -> None:
    """Noise of 0.2 N on every axis of the force sensors and of 0.03 m/s2 on the IMUs; posts at
    flanks and at joints.
    """
    rng = np.random.default_rng(0)
    for s in (0.25, 0.31):
        state = MODEL.at(s)
        contacts = SCHEDULE.at(state)
        shape, rest = state.q[3:], state.sideways(0.0, 0.0)
        still, nothing = np.zeros((BOA.links, 2)), np.zeros((BOA.joints, 2))
        clean = measured_forces(frame(shape, nothing, still), contacts, CHAIN, rest)
        found = np.array(
            [
                measured_forces(
                    frame(
                        shape,
                        rng.normal(0.0, 0.2, nothing.shape),
                        rng.normal(0.0, 0.03, still.shape),
                    ),
                    contacts,
                    CHAIN,
                    rest,
                )
                for _ in range(2000)
            ]
        )
        said = measured_deviations(shape, contacts, CHAIN, 0.2, 0.03)
        np.testing.assert_allclose(found.std(axis=0), said, rtol=0.06)
        np.testing.assert_allclose(found.mean(axis=0), clean, atol=0.03)
        assert said.max() < 0.3


def nose(inside: float) -> ContactSet:
    contacts = SCHEDULE.at(MODEL.at(0.25))
    last = contacts.select(np.arange(contacts.post.size) == contacts.post.size - 1)._replace(
        inside=np.array([inside])
    )
    return last._replace(link=np.array([BOA.links - 1]))


@pytest.mark.parametrize("turn", [-1.0, -0.5, 0.5, 1.0])
def test_a_post_that_the_tail_has_left_stays_left_however_the_tail_swings(turn: float) -> None:
    """Across a tail that points elsewhere it may lie, but not beside it."""
    left = 0
    for s in np.arange(0.0, 1.4, 0.02):
        state = MODEL.at(s)
        straight = state.along[0] * CHAIN.pitch
        swing = straight - straight * np.exp(1j * turn)  # the joint at the link's other end stays
        bend = np.zeros(CHAIN.links + 2)
        bend[:4] = swing.real, swing.imag, turn, -turn
        located = np.full(len(PATH.posts), 1e-6 + 0.0j)
        before = SCHEDULE.at(state, PREVIEW, np.zeros(len(PATH.obstacles)))
        after = SCHEDULE.at(bent(s, bend), PREVIEW, np.zeros(len(PATH.obstacles)), located)
        gone = (before.inside < -0.08) & (before.link == 0)
        left += int(np.count_nonzero(gone))
        assert (after.inside[gone] < 0.0).all() and (after.activation[gone] == 0.0).all()
    assert left > 5


AHEAD = Travel(1, 0.1)
NOT_YET = np.zeros(1)  # searched


def loaded(force: float) -> SensorFrame:
    joints = np.zeros((BOA.joints, 2))
    joints[4, 0] = force
    return frame(np.zeros(BOA.joints), joints, np.zeros((BOA.links, 2)))


def test_the_nose_meets_an_unknown_post_slowly_and_leaves_it_gently() -> None:
    parameters = Parameters(speed=0.1, entry_speed=0.03, acceleration=0.1)
    limit, seen = SpeedLimit(parameters, BOA, PERIOD), []
    unfelt, felt, doubt = np.array([0.2]), np.array([1.0]), np.array([0.01])
    for inside in np.arange(-0.3, 0.05, 0.1 * PERIOD):
        limit.update(nose(inside), unfelt, doubt, NOT_YET, loaded(0.0), AHEAD)
        seen.append(limit.speed)
    assert seen[0] == 0.1
    assert seen[-1] == pytest.approx(0.03)
    assert (
        max(
            s for s, x in zip(seen, np.arange(-0.3, 0.05, 0.1 * PERIOD), strict=True) if x >= -REACH
        )
        <= 0.0301
    )
    before = limit.speed
    limit.update(nose(0.05), felt, doubt, NOT_YET, loaded(0.0), AHEAD)
    assert limit.speed == pytest.approx(before + 0.1 * PERIOD)
    for _ in range(1000):
        limit.update(nose(0.05), felt, doubt, NOT_YET, loaded(0.0), AHEAD)
    assert limit.speed == 0.1


def settled(
    contacts: ContactSet, level: float, doubt: float, searched: float = 0.0, travel: Travel = AHEAD
) -> float:
    """The limit after 2 s of it."""
    limit = SpeedLimit(Parameters(speed=0.2, map_error=0.02), BOA, PERIOD)
    shape = contacts.post.shape
    for _ in range(1000):
        limit.update(
            contacts,
            np.full(shape, level),
            np.full(shape, doubt),
            np.full(shape, searched),
            loaded(0.0),
            travel,
        )
    return limit.speed


def entry_speed(doubt: float) -> float:
    """17 N in a joint: a table in docs/first_touch.md has them for the offset of a post beside the
    axis of the head, at 0.1 m/s, where both radii are 90 mm.
    """
    offset = 0.09 * (1 - doubt / (BOA.link.radius + PATH.posts[0].radius))
    at_speed = np.interp(offset, [0.045, 0.06, 0.07, 0.08, 0.085], [75.6, 51.9, 35.1, 18.3, 11.1])
    return float(0.1 * 17.0 / at_speed)


FAST = Travel(1, 0.2)


def test_a_post_may_stand_nearer_along_the_path_by_two_deviations() -> None:
    """One 30 mm off was struck 129 mm before its contact point, at 0.084 m/s with 88 N."""
    doubt = 0.021
    assert settled(nose(-0.129), 0.2, doubt, travel=FAST) == pytest.approx(entry_speed(doubt))
    assert settled(nose(-0.17), 0.2, doubt, travel=FAST) > entry_speed(doubt)
    assert settled(nose(-0.129), 0.2, 0.001, travel=FAST) == 0.2


@pytest.mark.parametrize(("doubt", "speed"), [(0.007, 0.121), (0.0105, 0.089), (0.028, 0.035)])
def test_the_less_is_known_of_a_post_the_more_slowly_it_is_met(doubt: float, speed: float) -> None:
    limit = settled(nose(-0.03), 0.2, doubt, travel=FAST)
    assert limit == pytest.approx(entry_speed(doubt)) == pytest.approx(speed, abs=5e-4)


def test_a_post_that_presses_on_the_tip_is_passed_slowly() -> None:
    """However surely its place seemed to be known."""
    assert settled(nose(-0.03), 0.2, 0.001) == 0.1
    assert settled(nose(-0.03), 1.0, 0.001) == pytest.approx(entry_speed(0.02))
    assert settled(nose(0.01), 1.0, 0.001) == 0.1


def test_beside_a_post_that_it_does_not_feel_the_robot_goes_as_slowly_as_the_search_needs() -> None:
    """Over 90 mm the search goes on from one deviation clear of the post to three on its far side;
    further away it is searched slowly.
    """
    for doubt in (0.007, 0.0105, 0.028):
        time = 4 * doubt / SEARCH_SPEED
        limit = settled(nose(0.04), 0.2, doubt, searched=-doubt, travel=FAST)
        assert limit == pytest.approx(0.09 / time)
    assert settled(nose(0.04), 0.2, 0.002, searched=-0.005) == 0.1
    assert settled(nose(0.04), 0.2, 0.002, searched=-0.007) == pytest.approx(0.03)
    assert settled(nose(0.16), 0.2, 0.028, searched=-0.1) == 0.1, "given up"


def test_the_limit_falls_gradually() -> None:
    limit, doubt = SpeedLimit(Parameters(speed=0.2), BOA, PERIOD), np.array([0.02])
    speeds = [0.2]
    for _ in range(1000):
        limit.update(nose(0.04), np.array([0.2]), doubt, NOT_YET, loaded(0.0), FAST)
        speeds.append(limit.speed)
    assert -np.diff(speeds).min() == pytest.approx(0.2 * PERIOD)


def test_the_post_that_is_known_least_decides() -> None:
    limit = SpeedLimit(Parameters(speed=0.2), BOA, PERIOD)
    both = nose(-0.03)._replace(
        post=np.array([0, 1]), link=np.full(2, BOA.links - 1), inside=np.array([-0.03, -0.09])
    )
    both = both._replace(reach=np.full(2, both.reach[0]))
    doubt, unfelt, searched = np.array([0.001, 0.02]), np.full(2, 0.2), np.zeros(2)
    for _ in range(1000):
        limit.update(both, unfelt, doubt, searched, loaded(0.0), FAST)
    assert limit.speed == pytest.approx(entry_speed(0.02))


def test_backwards_it_is_the_tail_that_meets_unknown_posts_slowly() -> None:
    back = Travel(-1, 0.1)
    assert settled(nose(0.0), 0.2, 0.02, travel=back) == 0.1, "what the nose leaves"
    tail = nose(0.0)._replace(link=np.array([0]))
    assert settled(tail, 0.2, 0.02) == 0.1
    assert settled(tail, 0.2, 0.02, travel=back) == pytest.approx(entry_speed(0.02))


@pytest.mark.parametrize("strength", [1.0, 2.0])
@pytest.mark.parametrize(("force", "share"), [(18.0, 1.0), (24.0, 0.5), (35.0, 0.0)])
def test_high_joint_forces_hold_the_robot_back(force: float, share: float, strength: float) -> None:
    """Boa, whose sensors carry 50 N, and a robot with stronger ones."""
    limits = BOA.limits.model_copy(
        update={"joint_force_fault": strength * BOA.limits.joint_force_fault}
    )
    limit = SpeedLimit(Parameters(speed=0.1), BOA.model_copy(update={"limits": limits}), PERIOD)
    for _ in range(500):
        load = loaded(strength * force)
        limit.update(nose(0.3), np.array([1.0]), np.array([0.01]), NOT_YET, load, AHEAD)
    assert limit.speed == pytest.approx(0.1 * share, abs=1e-4)


def settle(
    reference: DeformedReference,
    offsets: np.ndarray,
    s: float,
    ticks: int,
    level: float,
    located: bool = False,
) -> PathState:
    """The reference of a chain whose posts are known to stand at `offsets`, tick after tick."""
    fastest = 0.0
    for _ in range(ticks):
        state = reference.apply(MODEL.at(s))
        contacts = SCHEDULE.at(state, PREVIEW, reference.searched + offsets)
        gap, _ = contacts.rows(CHAIN, state, 0.0)
        felt = np.where(contacts.inside > 0.03, level, 0.2)
        doubt = np.full(felt.size, 0.007)
        still = np.zeros(felt.size)
        known = np.full(felt.size, located)
        reference.update(
            state, contacts, felt, still, search=level < 1.0, doubt=doubt, located=known
        )
        fastest = max(fastest, float(np.abs(gap @ reference.rate).max()))
    assert fastest <= 1.05 * FOLLOW_SPEED
    return reference.apply(MODEL.at(s))


@pytest.mark.parametrize(("bend_std", "most"), [(0.1, 5e-4), (BEND_STD, CONTACT_STD)])
def test_the_reference_bends_until_it_touches_the_true_posts(
    bend_std: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dearer a bend, the more it trades for what it may miss the posts by."""
    monkeypatch.setattr(deformation, "BEND_STD", bend_std)
    rng = np.random.default_rng(4)
    offsets = rng.uniform(-0.01, 0.01, len(PATH.obstacles))
    reference = DeformedReference(CHAIN, len(PATH.obstacles), PERIOD, 0.007)
    state = settle(reference, offsets, 0.1, 1500, 1.0)
    contacts = SCHEDULE.at(state, PREVIEW, offsets)
    touching = contacts.inside > 0.05
    gap, _ = contacts.rows(CHAIN, state, 0.0)
    remaining = contacts.clearance[touching]
    rigid = gap[touching][:, :3]  # the pose of the whole is not seen, and does not matter
    remaining = remaining - rigid @ np.linalg.lstsq(rigid, remaining, rcond=None)[0]
    assert np.abs(contacts.clearance[touching]).max() < 0.03
    assert np.abs(remaining).max() < most


@pytest.mark.parametrize("located", [True, False])
def test_the_tail_is_led_past_a_post_that_it_leaves(located: bool) -> None:
    """The round end may touch it for 90 mm more. A reference that forgot the post was drawn up to
    13 mm into it: the tail pressed with 16 N, was pushed forwards at three times its speed, and a
    run ended by the blow that followed.
    """
    rng, deepest = np.random.default_rng(1), []
    for s in np.arange(0.0, 1.4, 0.02):
        contacts = SCHEDULE.at(MODEL.at(s), PREVIEW)
        leaving = (contacts.link == 0) & (np.abs(contacts.inside + 0.05) < 0.015)
        if not leaving.any():
            continue
        offsets = rng.uniform(-0.02, 0.02, len(PATH.obstacles))
        reference = DeformedReference(CHAIN, len(PATH.obstacles), PERIOD, 0.014)
        state = settle(reference, offsets, s, 700, 1.0, located)
        after = SCHEDULE.at(state, PREVIEW, offsets)
        deepest.append(float(after.clearance[leaving].min()))
    assert len(deepest) > 3
    assert (min(deepest) > -3 * CONTACT_STD) == located


def test_a_bent_body_stays_where_it_is_when_the_frame_changes() -> None:
    """At the seam between two repeats of the path."""
    repeat = PATH.curve.repeat
    assert repeat is not None and repeat.rotation != 0.0
    reference = DeformedReference(CHAIN, len(PATH.obstacles), PERIOD, 0.02, turning=repeat.rotation)
    seam = next(
        s for s in np.arange(0.0, 2.0, 0.001) if MODEL.at(s).turn != MODEL.at(s + 0.001).turn
    )

    def tail(s: float) -> complex:
        state = reference.apply(MODEL.at(s))
        place = complex(*state.q[:2])
        return complex(place * np.exp(1j * state.turn * repeat.rotation))

    before = tail(seam)
    reference.bend[:2] = 0.03, -0.01
    moved = tail(seam) - before
    after = tail(seam + 0.001)
    reference.bend[:2] = 0.0
    assert reference.due
    assert after - tail(seam + 0.001) == pytest.approx(moved, abs=1e-12)


def test_a_bent_body_stays_where_it_is_on_a_new_path() -> None:
    """Also where the robot lies on a later repeat of the path that it leaves."""
    repeat = PATH.curve.repeat
    assert repeat is not None
    contacts, none = len(PATH.obstacles), np.zeros(0, dtype=np.intp)
    before = DeformedReference(CHAIN, contacts, PERIOD, 0.02, turning=repeat.rotation)
    state = MODEL.at(1.9 * repeat.length)
    assert state.turn > 0
    before.apply(state)
    before.bend[:3] = 0.03, -0.01, 0.02
    in_world = complex(*before.bend[:2]) * np.exp(1j * state.turn * repeat.rotation)

    straight = DeformedReference(CHAIN, contacts, PERIOD, 0.02)
    straight.go_on_from(before, none, none)
    straight.apply(MODEL.at(0.0)._replace(turn=0))
    assert complex(*straight.bend[:2]) == pytest.approx(in_world, abs=1e-12)

    again = DeformedReference(CHAIN, contacts, PERIOD, 0.02, turning=repeat.rotation)
    again.go_on_from(before, none, none)
    again.apply(state)
    expected = in_world * np.exp(-1j * state.turn * repeat.rotation)
    assert complex(*again.bend[:2]) == pytest.approx(expected, abs=1e-12)
    assert again.bend[2] == 0.02


def test_what_is_not_felt_is_sought_further_away_but_not_for_ever() -> None:
    reference = DeformedReference(CHAIN, len(PATH.obstacles), PERIOD, 0.007)
    offsets = np.zeros(len(PATH.obstacles))
    settle(reference, offsets, 0.1, 300, 0.2)
    inside = [
        k for k in SCHEDULE.at(MODEL.at(0.1)).post if SCHEDULE.at(MODEL.at(0.1)).inside.min() >= 0
    ]
    assert np.all(reference.searched[inside] < -0.01)
    settle(reference, offsets, 0.1, 1200, 0.2)
    np.testing.assert_allclose(reference.searched[inside], -0.028, atol=1e-9)
    some = np.array(inside[:2])
    reference.found(some)
    np.testing.assert_array_equal(reference.searched[some], 0.0)


def with_one_unfelt() -> tuple[np.ndarray, np.ndarray]:
    """Gap Jacobian and activations of contacts of which one in the middle is not felt."""
    state = MODEL.at(0.25)
    contacts = SCHEDULE.at(state)
    gap, _ = contacts.rows(CHAIN, state, 0.0)
    activation = np.ones(contacts.post.size)
    activation[contacts.post.size // 2] = 0.0
    return gap, activation


def moving(gap: np.ndarray, rates: np.ndarray, seed: int) -> np.ndarray:
    """Rates of base and joints of a chain whose gaps open at `rates`, shape (nc,), m/s."""
    known = np.linalg.lstsq(gap, rates, rcond=None)[0]
    free = np.linalg.svd(gap)[2][len(gap) :]
    qd: np.ndarray = known + np.random.default_rng(seed).normal(scale=0.1, size=len(free)) @ free
    np.testing.assert_allclose(gap @ qd, rates, atol=1e-12)
    return qd


@pytest.mark.parametrize("seed", range(3))
def test_the_gap_of_a_post_that_is_not_felt_is_seen_while_the_others_stay_closed(seed: int) -> None:
    gap, activation = with_one_unfelt()
    rates = np.where(activation > 0, 0.0, 0.1)
    found = gap_rates(gap, activation, moving(gap, rates, seed)[3:])
    np.testing.assert_allclose(found, rates, atol=2e-3)


def test_a_motion_of_the_base_alone_opens_no_gaps_that_joints_could_show() -> None:
    gap, activation = with_one_unfelt()
    np.testing.assert_array_equal(gap_rates(gap, activation, np.zeros(BOA.joints)), 0.0)
    # any base explains it
    np.testing.assert_array_equal(gap_rates(gap[:3], activation[:3], np.ones(BOA.joints)), 0.0)


def test_a_post_that_is_not_felt_is_approached_at_the_search_speed() -> None:
    """Its gap is pulled shut from rest and left alone at that speed; opening gaps of the others are
    braked.
    """
    gap, activation = with_one_unfelt()
    posts = DisplacedMap(
        BOA, CHAIN, SCHEDULE, PATH, PERIOD, Parameters(map_error=0.007, contact_damping=50.0)
    )

    def slip(felt: np.ndarray, joint_rate: np.ndarray) -> np.ndarray:
        contacts = SCHEDULE.at(MODEL.at(0.25))
        contacts = contacts._replace(activation=np.ones(felt.size))
        result = posts.slip(gap, ContactPlan(contacts, felt, 0.5), joint_rate, False)
        assert result is not None
        return result

    at_rest = slip(activation, np.zeros(BOA.joints))
    np.testing.assert_allclose(at_rest, np.where(activation > 0, 0.0, -50.0 * SEARCH_SPEED))
    closing = moving(gap, np.where(activation > 0, 0.0, -SEARCH_SPEED), 0)
    np.testing.assert_allclose(slip(activation, closing[3:]), 0.0, atol=50.0 * 0.02 * SEARCH_SPEED)
    all_felt = np.ones_like(activation)
    opening = moving(gap, np.array([0.05, -0.05, *np.zeros(len(gap) - 2)]), 0)
    braking = slip(all_felt, opening[3:])
    assert braking @ (gap @ opening) < 0.0


def test_a_post_that_was_left_behind_is_approached_anew() -> None:
    engagement, contacts = Engagement(len(PATH.obstacles), PERIOD), SCHEDULE.at(MODEL.at(0.25))
    pressed = np.full(contacts.post.size, 5.0)
    for _ in range(200):
        level = engagement.update(contacts, pressed)
    np.testing.assert_array_equal(level, 1.0)
    others = contacts.select(np.arange(contacts.post.size) > 0)
    engagement.update(others, pressed[1:])
    level = engagement.update(contacts, np.zeros(contacts.post.size))
    assert level[0] == APPROACH
    assert engagement.force(contacts)[0] == 0.0
    assert (level[1:] > 0.9).all()


def test_posts_10_mm_off_the_map_are_met_gently_and_held() -> None:
    """The start from the first touch on, and a post under the nose that stands further away than
    the map says.
    """
    scenario = load_scenario("boa_offset_10mm").model_dump()
    scenario["duration"], scenario["distance"], scenario["initial"]["progress"] = 6.0, None, 0.1
    experiment = prepare(Scenario.model_validate(scenario))
    result = run_experiment(experiment, seed=0)
    assert result.ended.reason == "duration", result.ended
    history = contact_history(result.log, experiment.obstacles)
    assert history.force is not None
    assert history.force.max() < 50.0
    held = chatter(history.force, history.established, experiment.control_period)
    assert held.lost == 0.0
    assert result.log.debug["progress_m"][-1] > 0.11


@pytest.mark.parametrize(("share", "held"), [(1.0, 1.0), (0.4, 0.4), (0.0, 0.0)])
def test_a_post_that_is_due_and_not_touched_undoes_the_balance_of_forces(
    share: float, held: float
) -> None:
    """One of the inner posts has been taken on by a share; the others fully."""
    contacts = SCHEDULE.at(MODEL.at(0.25))
    inner = int(np.argmax(contacts.inside))
    felt = np.ones(contacts.post.size)
    felt[inner] = share
    assert ContactPlan(contacts, felt, 1.0).held == pytest.approx(held)
    assert ContactPlan(contacts, None, 1.0).held == 1.0


def test_a_post_that_only_comes_into_reach_does_not() -> None:
    contacts = SCHEDULE.at(MODEL.at(0.25), PREVIEW, np.zeros(len(PATH.obstacles)))
    outside = contacts.activation == 0.0
    assert outside.any()
    assert ContactPlan(contacts, np.where(outside, 0.0, 1.0), 1.0).held == 1.0
