# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Places of touches from joint forces and torques: bodies in balance between known contacts."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.estimation.link_forces import neighbour_loads
from boa_control.estimation.touch_points import ACROSS_STD, APART, PassedOn, Pressed, TouchPoints
from boa_control.model.bent_schedule import BentSchedule
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel, PathState
from boa_control.model.reference import ReferenceTable
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.arrays import Array
from boa_description.chain import joint_differences
from boa_description.load import load_robot
from boa_description.scene import GroundFriction
from test.boa_control.controllers.hoal.offset_circle import PATH
from test.boa_control.controllers.hoal.offset_circle import frame as frame_with

BOA = load_robot("boa13")
CHAIN = PlanarChain(BOA)
TABLE = ReferenceTable(PATH.curve, BOA.links, BOA.link.pitch)
MODEL = PathModel(CHAIN, TABLE, GroundFriction())
SCHEDULE = ContactSchedule(PATH, TABLE, BOA.link.radius, 0.03)
BENT = BentSchedule(SCHEDULE, CHAIN.pitch)


def balanced(contacts: ContactSet, state: PathState, size: float = 8.0) -> Array:
    """Positive contact forces in equilibrium, their mean `size`, N."""
    rows, _ = contacts.rows(CHAIN, state, 0.0)
    null = np.linalg.svd(rows[:, :3].T)[2][3:]
    force = null.T @ (null @ np.ones(len(rows)))
    assert (force > 0.2).all()
    return np.asarray(size * force / force.mean())


def frame_of(contacts: ContactSet, state: PathState, force: Array) -> tuple[SensorFrame, PassedOn]:
    """What the sensors of a body at rest say, and what its joints pass on."""
    n, phi = BOA.links, state.q[3:]
    heading = np.exp(1j * np.concatenate([[0.0], np.cumsum(phi)]))
    push = np.zeros(n, complex)  # in the frame of link 1
    moment = np.zeros(n)
    for k in range(force.size):
        across = -contacts.side[k] * force[k]
        push[contacts.link[k]] += across * 1j * heading[contacts.link[k]]
        moment[contacts.link[k]] += across * (contacts.offset[k] - BOA.link.pitch / 2)
    joint = -np.cumsum(push)[:-1] / heading[1:]  # of link i + 1 on link i, frame of link i + 1
    sample = ForceSample(1, np.column_stack([joint.real, joint.imag, np.zeros(n - 1)]))
    loads = neighbour_loads(sample.force, phi, BOA.link.pitch / 2)
    torque = np.linalg.lstsq(joint_differences(n), moment + loads.moment, rcond=None)[0]
    nothing = np.zeros(n - 1)
    frame = SensorFrame(1, phi, nothing, torque, sample, None, nothing, nothing)
    return frame, PassedOn(torque, nothing)


@pytest.mark.parametrize("s", [0.2, 0.45, 0.9, 1.7])
def test_posts_are_seen_where_they_stand(s: float) -> None:
    state = MODEL.at(s)
    contacts = SCHEDULE.at(state)
    frame, passed_on = frame_of(contacts, state, balanced(contacts, state))
    seen = TouchPoints(CHAIN).read(frame, passed_on, contacts, np.ones(contacts.contact.size, bool))
    assert seen.post.size >= 4
    base = complex(*state.q[:2])
    where = {int(post): k for k, post in enumerate(contacts.post)}
    true = TABLE.to_pattern(SCHEDULE.positions[contacts.contact], state.turn)
    for post, centre in zip(seen.post, seen.centre, strict=True):
        x, y = true[where[int(post)]]
        assert base + centre * np.exp(1j * state.q[2]) == pytest.approx(complex(x, y), abs=1e-6)
    np.testing.assert_array_equal(seen.across_std, ACROSS_STD)


def test_a_post_that_the_plan_has_on_the_neighbour_is_seen_where_it_presses() -> None:
    """As where a post stands off its place along the path."""
    state = MODEL.at(0.2)
    contacts = SCHEDULE.at(state)
    frame, passed_on = frame_of(contacts, state, balanced(contacts, state))
    all_touch = np.ones(contacts.contact.size, bool)
    right = TouchPoints(CHAIN).read(frame, passed_on, contacts, all_touch)
    wrong = contacts.link + np.where(contacts.link < BOA.links - 1, 1, -1)
    seen = TouchPoints(CHAIN).read(frame, passed_on, contacts._replace(link=wrong), all_touch)
    assert set(seen.post) <= set(right.post) and seen.post.size >= 3
    at = {int(post): centre for post, centre in zip(right.post, right.centre, strict=True)}
    for post, centre in zip(seen.post, seen.centre, strict=True):
        assert centre == pytest.approx(at[int(post)], abs=1e-9)


def test_a_post_before_the_nose_does_not_hide_the_one_that_its_link_touches() -> None:
    """In fields two posts are planned on the link of the nose, and only one is beside it."""
    state = MODEL.at(0.2)
    contacts = SCHEDULE.at(state)
    frame, passed_on = frame_of(contacts, state, balanced(contacts, state))
    last = contacts.contact.size - 1
    near = BENT.at(state, 0.18, np.zeros(len(PATH.contacts)))
    both = near._replace(link=np.where(near.inside < 0.0, contacts.link[last], near.link))
    inside = near.inside
    assert (inside < 0.0).sum() == 1
    alone = TouchPoints(CHAIN).read(frame, passed_on, contacts, np.ones(last + 1, bool))
    seen = TouchPoints(CHAIN).read(frame, passed_on, both, inside >= 0.0)
    assert contacts.post[last] in seen.post
    np.testing.assert_array_equal(seen.post, alone.post)


def test_weak_and_silent_touches_are_left_out_and_weaker_ones_are_less_certain() -> None:
    state = MODEL.at(0.2)
    contacts = SCHEDULE.at(state)
    touching = np.ones(contacts.contact.size, bool)
    frame, passed_on = frame_of(contacts, state, balanced(contacts, state, 8.0))
    strong = TouchPoints(CHAIN).read(frame, passed_on, contacts, touching)
    frame, passed_on = frame_of(contacts, state, balanced(contacts, state, 4.0))
    weaker = TouchPoints(CHAIN).read(frame, passed_on, contacts, touching)
    assert weaker.along_std.min() > strong.along_std.min()
    frame, passed_on = frame_of(contacts, state, balanced(contacts, state, 0.3))
    assert TouchPoints(CHAIN).read(frame, passed_on, contacts, touching).post.size == 0
    frame, passed_on = frame_of(contacts, state, balanced(contacts, state, 8.0))
    assert frame.joint_force is not None
    frame.joint_force.force[contacts.link[2]] = np.nan
    fewer = TouchPoints(CHAIN).read(frame, passed_on, contacts, touching)
    assert contacts.post[2] not in fewer.post
    assert np.isfinite(fewer.centre).all() and fewer.post.size < strong.post.size


def test_the_less_is_known_of_what_joints_pass_on_the_less_places_along_their_links_are() -> None:
    """A torque that is off by dT moves the quotient of moment and force by dT / F, for each of the
    two joints of the link.
    """
    state = MODEL.at(0.2)
    contacts = SCHEDULE.at(state)
    touching = np.ones(contacts.contact.size, bool)
    frame, passed_on = frame_of(contacts, state, balanced(contacts, state, 8.0))
    known = TouchPoints(CHAIN).read(frame, passed_on, contacts, touching)
    vague = passed_on._replace(std=np.full(BOA.joints, 0.4))
    seen = TouchPoints(CHAIN).read(frame, vague, contacts, touching)
    np.testing.assert_array_equal(seen.centre, known.centre)
    np.testing.assert_array_equal(seen.across_std, known.across_std)
    across = np.abs(TouchPoints(CHAIN)._pressed(frame, passed_on).across)
    more = np.sqrt(seen.along_std**2 - known.along_std**2)
    force = across[[int(contacts.link[contacts.post == post][0]) for post in seen.post]]
    inner = np.isin(seen.post, contacts.post[(contacts.link > 0) & (contacts.link < BOA.joints)])
    assert inner.sum() >= 3
    np.testing.assert_allclose(more[inner], np.sqrt(2.0) * 0.4 / force[inner], rtol=1e-6)


def test_a_post_that_nothing_plans_is_located_too() -> None:
    state = MODEL.at(0.2)
    contacts = SCHEDULE.at(state)
    frame, passed_on = frame_of(contacts, state, balanced(contacts, state))
    seen = TouchPoints(CHAIN).read(frame, passed_on, contacts, np.ones(contacts.contact.size, bool))
    k = 2
    beside = TouchPoints(CHAIN).beside(
        frame, passed_on, int(contacts.link[k]), float(contacts.reach[k])
    )
    assert beside is not None
    expected = seen.centre[list(seen.post).index(contacts.post[k])]
    heading = np.exp(1j * np.concatenate([[0.0], np.cumsum(frame.position)]))
    axis = CHAIN.pitch * heading[: beside.link].sum()
    assert axis + heading[beside.link] * beside.centre == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("link", [0, BOA.links - 1])
@pytest.mark.parametrize("angle", [-60.0, -15.0, 0.0, 45.0])
def test_a_post_at_a_tip_stands_where_its_force_comes_from(link: int, angle: float) -> None:
    """A straight body slides against it; all links brake alike, and nothing turns it."""
    n, head = BOA.links, link > 0
    size, reach = 20.0, 0.09
    towards = (1.0 if head else -1.0) * np.exp(1j * np.radians(angle))  # from tip to post
    force = -size * towards
    braking = force / (n * BOA.link.mass)
    push = np.zeros(n, complex)
    push[link] = force
    joint = np.cumsum(BOA.link.mass * braking - push)[:-1]
    nothing = np.zeros(n - 1)
    sample = ForceSample(1, np.column_stack([joint.real, joint.imag, nothing]))
    motion = np.zeros((n, 3))
    motion[:, :2] = braking.real, braking.imag
    imu = ImuSample(1, np.tile([0.0, 0.0, 0.0, 1.0], (n, 1)), np.zeros((n, 3)), motion, np.zeros(n))
    frame = SensorFrame(1, nothing, nothing, nothing, sample, imu, nothing, nothing)
    touch = TouchPoints(CHAIN).beside(frame, PassedOn(nothing, nothing), link, reach)
    assert touch is not None
    assert touch.link == link
    tip = CHAIN.pitch * head
    assert touch.centre == pytest.approx(tip + reach * towards, abs=1e-9)
    assert touch.std == pytest.approx(0.1 * reach), "0.1 rad, while the robot still brakes"


@pytest.mark.parametrize("link", [0, BOA.links - 1])
def test_a_post_beside_a_tip_is_located_although_it_hardly_pushes_along(link, monkeypatch) -> None:
    """3 mm from the end of the body, from the right; `read` waits until the flank touches it."""
    push, reach = complex(0.2, 5.0), 0.09
    along, across, moment = np.zeros((3, BOA.links))
    arm = (CHAIN.pitch / 2 - 0.003) * (1.0 if link else -1.0)
    along[link], across[link], moment[link] = push.real, push.imag, push.imag * arm
    points = TouchPoints(CHAIN)
    monkeypatch.setattr(
        points, "_pressed", lambda *_: Pressed(along, across, moment, np.zeros(BOA.links))
    )
    touch = points.beside(None, None, link, reach)
    end = CHAIN.pitch * (link > 0)
    assert touch.centre == pytest.approx(end - reach * push / abs(push), abs=1e-9)
    moment[link] = push.imag * arm / 2
    touch = points.beside(None, None, link, reach)
    assert touch.centre == pytest.approx(CHAIN.pitch / 2 + arm / 2 - 1j * reach, abs=1e-9)


@pytest.mark.parametrize("link", [0, BOA.links - 1])
@pytest.mark.parametrize("flank", [0.02, 0.07, 0.11])
def test_a_post_on_the_tip_beside_one_on_the_flank(link, flank, monkeypatch) -> None:
    """Only the tip bears force along the link; nearer than 30 mm they are not told apart."""
    end, reach = CHAIN.pitch * (link > 0), 0.09
    push, other = complex(-6.0 if link else 6.0, 8.0), -15.0
    along, across, moment = np.zeros((3, BOA.links))
    along[link], across[link] = push.real, push.imag + other
    middle = CHAIN.pitch / 2
    moment[link] = push.imag * (end - middle) + other * (flank - middle)
    points = TouchPoints(CHAIN)
    monkeypatch.setattr(
        points, "_pressed", lambda *_: Pressed(along, across, moment, np.zeros(BOA.links))
    )
    monkeypatch.setattr(points, "_on_end", lambda _, k: complex(along[k], across[k]))
    touch = points.on_tip(None, None, link, reach, flank)
    if abs(end - flank) < APART:
        assert touch is None
    else:
        assert touch.centre == pytest.approx(end - reach * push / abs(push), abs=1e-9)
    along[link] = 0.0
    assert points.on_tip(None, None, link, reach, flank) is None


@pytest.mark.parametrize("silent", [False, True])
def test_the_force_on_an_end_link_is_that_of_the_balance_of_all(silent: bool) -> None:
    rng = np.random.default_rng(2)
    force, acceleration = rng.normal(size=(BOA.joints, 2)), rng.normal(size=(BOA.links, 2))
    if silent:
        acceleration[[0, -1], [0, 1]] = np.nan
    measured = frame_with(rng.normal(size=BOA.joints), force, acceleration)
    points = TouchPoints(CHAIN)
    outside, _ = points._outside(measured)
    for link in (0, BOA.links - 1):
        found = points._on_end(measured, link)
        assert found == pytest.approx(complex(outside.along[link], outside.across[link]), abs=1e-12)


def before_the_nose(angle: float, force: float) -> tuple[SensorFrame, PassedOn, ContactSet]:
    """A body whose nose runs on a post, `angle` (rad) to the left of its axis."""
    state = MODEL.at(0.2)
    contacts = SCHEDULE.at(state)
    frame, passed_on = frame_of(contacts, state, balanced(contacts, state))
    assert frame.joint_force is not None
    push = -force * np.exp(1j * angle)  # on the last link, which passes it on
    frame.joint_force.force[-1, :2] = push.real, push.imag
    return frame, passed_on, contacts


@pytest.mark.parametrize("angle", [-0.7, 0.0, 0.3])
def test_a_post_before_the_nose_is_seen_by_the_direction_of_its_push(angle: float) -> None:
    frame, passed_on, contacts = before_the_nose(angle, 30.0)
    k, last = 0, BOA.links - 1
    contacts.link[k] = last
    points = TouchPoints(CHAIN)
    seen = points.read(frame, passed_on, contacts, np.zeros(contacts.contact.size, bool), k)
    assert list(seen.post) == [contacts.post[k]]
    heading = np.exp(1j * np.concatenate([[0.0], np.cumsum(frame.position)]))
    towards = heading[last] * np.exp(1j * angle)
    centre = CHAIN.pitch * heading.sum() + float(contacts.reach[k]) * towards
    assert seen.centre[0] == pytest.approx(centre, abs=1e-9)
    assert abs((seen.along[0] * np.conj(towards)).real) < 1e-9, "less known across the push"
    assert seen.along_std[0] > 3 * seen.across_std[0]


@pytest.mark.parametrize(
    ("angle", "left", "right"), [(0.0, True, True), (-1.2, True, False), (1.2, False, True)]
)
def test_a_push_to_the_side_on_which_it_shall_pass_is_not_head_on(
    angle: float, left: bool, right: bool
) -> None:
    """`left`, `right`: where the post is planned, and whether the push counts then."""
    frame, *_ = before_the_nose(angle, 40.0)
    points, last = TouchPoints(CHAIN), BOA.links - 1
    assert (points.head_on(frame, last, 1.0) > 0.0) == left
    assert (points.head_on(frame, last, -1.0) > 0.0) == right
