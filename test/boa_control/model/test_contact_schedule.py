# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contacts scheduled from the map, and the tables behind them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel
from boa_control.model.reference import ReferenceTable
from boa_control.paths.construct import build_path
from boa_description.load import load_robot
from boa_description.scene import GroundFriction
from test.boa_control.circle import circle
from test.boa_control.conftest import gap_rows, sliding_rows

BOA = load_robot("boa13")
PATH = build_path(circle(), BOA)
RAMP = 0.03


@pytest.fixture(scope="module")
def model() -> PathModel:
    reference = ReferenceTable(PATH.curve, BOA.links, BOA.link.pitch)
    return PathModel(PlanarChain(BOA), reference, GroundFriction(model="coulomb", mu=1.0))


@pytest.fixture(scope="module")
def schedule(model: PathModel) -> ContactSchedule:
    return ContactSchedule(PATH, model.reference, BOA.link.radius, RAMP)


def test_tables_agree_with_the_closed_form(model: PathModel) -> None:
    chain = model.chain
    for s in (0.123, 0.6, 2.345):
        state, at = model.at(s), model.reference.at(s)
        posture = chain.posture(at.q)
        np.testing.assert_allclose(state.q, at.q, atol=1e-12)
        np.testing.assert_allclose(state.mass, chain.mass_matrix(posture), atol=1e-4)
        np.testing.assert_allclose(state.across_rows, chain.across_rows(posture), atol=1e-4)
        np.testing.assert_allclose(state.axes, chain.joint_axes(at.q, posture) @ [1, 1j], atol=1e-5)


@pytest.mark.parametrize("s", [-0.3, 0.05, 0.9, 4.0, 8.1, 8.3, 16.5])
def test_every_post_between_tail_and_head_is_in_contact_at_its_flank(
    model: PathModel, schedule: ContactSchedule, s: float
) -> None:
    contacts = schedule.at(model.at(s))
    sigma, lap = model.at(s).sigma, PATH.curve.length
    wanted = [
        k
        for k, post in enumerate(PATH.contacts)
        if any(sigma[0] < post.s + turn * lap < sigma[-1] for turn in (-1, 0, 1, 2))
    ]
    assert sorted(contacts.contact.tolist()) == wanted
    assert np.all((contacts.offset >= -1e-6) & (contacts.offset <= BOA.link.pitch + 1e-6))
    np.testing.assert_allclose(contacts.clearance, 0.0, atol=2e-6)
    assert np.all(np.diff(contacts.link) >= 0)  # from tail to head


def test_activation_grows_behind_the_head_and_fades_before_the_tail(
    model: PathModel, schedule: ContactSchedule
) -> None:
    """A post carries in proportion to how far its place on the path lies within the body, over 30
    mm at either end.
    """
    growing = fading = 0
    for s in np.linspace(1.0, 1.7, 100):
        sigma, contacts = model.at(float(s)).sigma, schedule.at(model.at(float(s)))
        place = np.array([PATH.contacts[k].s for k in contacts.contact])
        behind_head, before_tail = sigma[-1] - place, place - sigma[0]
        assert min(behind_head.min(), before_tail.min()) >= 0
        np.testing.assert_allclose(
            contacts.inside, np.minimum(behind_head, before_tail), atol=1e-12
        )
        # the body is far longer
        expected = np.clip(behind_head / RAMP, 0, 1) * np.clip(before_tail / RAMP, 0, 1)
        np.testing.assert_allclose(contacts.activation, expected, atol=1e-12)
        growing += int((behind_head < RAMP).any())
        fading += int((before_tail < RAMP).any())
    assert growing > 2 and fading > 2


@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_contacts_push_along_their_normals_and_rub_against_the_motion_of_the_flank(
    model: PathModel, schedule: ContactSchedule, friction: float
) -> None:
    for s in (0.05, 0.31, 0.9, 8.1):
        state = model.at(s)
        contacts = schedule.at(state)
        gap, push = contacts.rows(model.chain, state, friction)
        posture = model.chain.posture(state.q)
        expected = gap_rows(model.chain, posture, contacts.link, contacts.offset, contacts.side)
        sliding = sliding_rows(model.chain, posture, contacts.link, contacts.side)
        assert (sliding @ state.dq > 0.5).all()  # every flank slides forwards past its post
        np.testing.assert_allclose(gap, expected, atol=1e-4)
        np.testing.assert_allclose(push, expected - friction * sliding, atol=1e-4)


def test_floor_friction_opposes_the_motion_of_every_link(model: PathModel) -> None:
    state = model.at(0.8)
    assert state.ground @ state.dq < 0
    lost = BOA.mass * 9.81  # every link slides at about the speed of the path
    assert -state.ground @ state.dq == pytest.approx(lost, rel=0.15)


def test_opposite_posts_are_one_contact_that_pushes_both_ways(model: PathModel) -> None:
    both = build_path(circle("B"), BOA)
    contacts = ContactSchedule(both, model.reference, BOA.link.radius, RAMP).at(model.at(0.9))
    assert contacts.opposed().all()
    place, count = np.unique(contacts.link, return_counts=True)
    assert set(count.tolist()) == {2}
    for link in place:
        pair = contacts.link == link
        assert contacts.redundant[pair].sum() == 1
        assert contacts.side[pair].sum() == 0
    desired, least = contacts.preload(contacts.activation, 5.0, 2.0)
    np.testing.assert_allclose(
        desired, np.where(contacts.redundant, -5.0, 5.0) * contacts.activation
    )
    assert not least.any()


def test_single_posts_are_preloaded_and_never_below_the_floor(
    model: PathModel, schedule: ContactSchedule
) -> None:
    contacts = schedule.at(model.at(0.9))
    desired, least = contacts.preload(contacts.activation, 5.0, 2.0)
    np.testing.assert_allclose(desired, 5.0 * contacts.activation)
    np.testing.assert_allclose(least, np.minimum(2.0, desired))
    assert not contacts.opposed().any()


@pytest.mark.parametrize("s", [0.05, 0.9, 8.1, 8.3])
def test_a_contact_that_is_added_is_one_like_the_others(
    model: PathModel, schedule: ContactSchedule, s: float
) -> None:
    """The schedule without post 5 to which it is added again, across the seam of the lap, too."""
    fewer = replace(PATH, contacts=PATH.contacts[:5] + PATH.contacts[6:])
    lacking = ContactSchedule(fewer, model.reference, BOA.link.radius, RAMP)
    again = lacking.with_contact(PATH.contacts[5], 23)
    expected, contacts = schedule.at(model.at(s)), again.at(model.at(s))
    np.testing.assert_array_equal(contacts.link, expected.link)
    np.testing.assert_array_equal(contacts.offset, expected.offset)
    np.testing.assert_array_equal(contacts.side, expected.side)
    index = np.where(expected.contact > 5, expected.contact - 1, expected.contact)
    index[expected.contact == 5] = 23
    np.testing.assert_array_equal(contacts.contact, index)
    np.testing.assert_array_equal(contacts.post, index)
    assert len(lacking.positions) == 23  # the other schedule stays as it is
