# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The reference bends to posts off their places."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.post_map.deformation import (
    DeformedReference,
    ends_std,
    fitted_bend,
    flank_hold,
    kept_ends,
    leading_end,
)
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.model.path_model import PathState
from boa_description.arrays import Array
from test.boa_control.controllers.hoal.offset_circle import (
    BENT_SCHEDULE,
    CHAIN,
    IN_PLACE,
    MODEL,
    PATH,
    PERIOD,
)

BEND_STD = SHIPPED.post_map.bend_std
CONTACT_STD = SHIPPED.post_map.systematic
FOLLOW_SPEED = SHIPPED.post_map.follow_speed
PREVIEW = SHIPPED.post_map.preview


def settle(
    reference: DeformedReference,
    offsets: np.ndarray,
    s: float,
    ticks: int,
    located: bool = False,
) -> PathState:
    """The reference of a chain whose posts are known to stand at `offsets`, tick after tick."""
    fastest = 0.0
    for _ in range(ticks):
        state = reference.apply(MODEL.at(s))
        contacts = BENT_SCHEDULE.at(state, PREVIEW, offsets)
        gap, _ = contacts.rows(CHAIN, state, 0.0)
        reference.update(state, contacts, np.full(contacts.link.size, located))
        fastest = max(fastest, float(np.abs(gap @ reference.rate).max()))
    assert fastest <= 1.05 * FOLLOW_SPEED
    return reference.apply(MODEL.at(s))


@pytest.mark.parametrize(("bend_std", "most"), [(0.1, 5e-4), (BEND_STD, CONTACT_STD)])
def test_the_reference_bends_until_it_touches_the_true_posts(bend_std: float, most: float) -> None:
    """The dearer a bend, the more it trades for what it may miss the posts by."""
    post_map = SHIPPED.post_map.model_copy(update={"bend_std": bend_std})
    tuning = SHIPPED.model_copy(update={"post_map": post_map})
    rng = np.random.default_rng(4)
    offsets = rng.uniform(-0.01, 0.01, len(PATH.contacts))
    reference = DeformedReference(CHAIN, PERIOD, 0.007, tuning=tuning)
    state = settle(reference, offsets, 0.1, 1500)
    contacts = BENT_SCHEDULE.at(state, PREVIEW, offsets)
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
        contacts = BENT_SCHEDULE.at(MODEL.at(s), PREVIEW, IN_PLACE)
        leaving = (contacts.link == 0) & (np.abs(contacts.inside + 0.05) < 0.015)
        if not leaving.any():
            continue
        offsets = rng.uniform(-0.02, 0.02, len(PATH.contacts))
        reference = DeformedReference(CHAIN, PERIOD, 0.014)
        state = settle(reference, offsets, s, 700, located)
        after = BENT_SCHEDULE.at(state, PREVIEW, offsets)
        deepest.append(float(after.clearance[leaving].min()))
    assert len(deepest) > 3
    assert (min(deepest) > -3 * CONTACT_STD) == located


def test_a_tail_lets_its_post_go_evenly() -> None:
    """As its round end comes to the post, the reference had jumped, and the forces with it."""
    states = [MODEL.at(s) for s in np.arange(0.0, 1.0, 0.005)]
    planned = [BENT_SCHEDULE.at(state, PREVIEW, IN_PLACE) for state in states]
    nearest = [np.where(each.link == 0, np.abs(each.inside), np.inf) for each in planned]
    k = int(np.argmin([each.min() for each in nearest]))
    state, contacts, last = states[k], planned[k], int(nearest[k].argmin())
    assert nearest[k][last] < 0.01
    located = np.ones(contacts.link.size, bool)

    def bent(inside: float) -> Array:
        """The reference that has followed a gap of 1 mm there."""
        reference = DeformedReference(CHAIN, PERIOD, 0.014)
        here, distance = contacts.inside.copy(), contacts.distance.copy()
        here[last] = inside
        distance[last] += contacts.side[last] * 1e-3
        moved = contacts._replace(inside=here, distance=distance)
        for _ in range(300):
            reference.update(reference.apply(state), moved, located)
        return reference.bend

    assert bent(1e-6) == pytest.approx(bent(-1e-6), rel=0.01)
    assert np.abs(bent(1e-6)).max() > 1e-6


def test_a_bent_body_stays_where_it_is_when_the_frame_changes() -> None:
    """At the seam between two repeats of the path."""
    repeat = PATH.curve.repeat
    assert repeat is not None and repeat.rotation != 0.0
    reference = DeformedReference(CHAIN, PERIOD, 0.02, turning=repeat.rotation)
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
    before = DeformedReference(CHAIN, PERIOD, 0.02, turning=repeat.rotation)
    state = MODEL.at(1.9 * repeat.length)
    assert state.turn > 0
    before.apply(state)
    before.bend[:3] = 0.03, -0.01, 0.02
    in_world = complex(*before.bend[:2]) * np.exp(1j * state.turn * repeat.rotation)

    straight = DeformedReference(CHAIN, PERIOD, 0.02)
    straight.go_on_from(before)
    straight.apply(MODEL.at(0.0)._replace(turn=0))
    assert complex(*straight.bend[:2]) == pytest.approx(in_world, abs=1e-12)

    again = DeformedReference(CHAIN, PERIOD, 0.02, turning=repeat.rotation)
    again.go_on_from(before)
    again.apply(state)
    expected = in_world * np.exp(-1j * state.turn * repeat.rotation)
    assert complex(*again.bend[:2]) == pytest.approx(expected, abs=1e-12)
    assert again.bend[2] == 0.02


def test_a_tail_that_no_post_holds_stays_near_the_path() -> None:
    """The posts ahead of it turn the body; 0.3 m of tail had been led 48 mm off the path by posts
    that stand 10 mm off, and struck one that carries nothing.
    """
    error, farthest = 0.01, []
    for seed in range(8):
        rng, s = np.random.default_rng(seed), 0.1
        contacts = BENT_SCHEDULE.at(MODEL.at(s), PREVIEW, IN_PLACE)
        behind = contacts.link < 4
        assert behind.any()
        offsets = rng.uniform(-2 * error, 2 * error, len(PATH.contacts))
        reference = DeformedReference(CHAIN, PERIOD, error)
        for _ in range(700):
            state = reference.apply(MODEL.at(s))
            near = BENT_SCHEDULE.at(state, PREVIEW, offsets)
            kept = near.select(near.link >= 4)
            reference.update(state, kept, np.ones(kept.link.size, bool))
        tail = leading_end(CHAIN, MODEL.at(s), -1) @ reference.bend
        farthest.append(abs(float(tail)))
    assert max(farthest) < 2 * error


def test_the_tail_is_let_go_gradually_as_the_map_gets_worse() -> None:
    """Kept near the path up to one error, by less and less up to another: no jump at either."""
    law, post_map = SHIPPED.law, SHIPPED.post_map
    errors = np.linspace(law.known_error, law.equal_error, 200, endpoint=False)
    tail = np.array([ends_std(error, SHIPPED)[1] for error in errors])
    assert tail[0] == law.known_error
    assert np.all(np.diff(tail) > 0)
    assert tail[-1] > 100 * law.equal_error
    assert ends_std(law.equal_error, SHIPPED).size == 1

    state = MODEL.at(1.0)
    contacts = BENT_SCHEDULE.at(state, 0.0, np.zeros(len(PATH.contacts)))
    gap, _ = contacts.rows(CHAIN, state, 0.0)
    closed = np.full(contacts.contact.size, 0.01) * contacts.side
    hold = flank_hold(contacts, post_map)

    def fitted(error: float) -> Array:
        std = ends_std(error, SHIPPED)
        ends = kept_ends(CHAIN, state, 1, std.size)
        return fitted_bend(hold, gap, ends, closed, std, post_map).joints

    np.testing.assert_allclose(
        fitted(0.99999 * law.equal_error), fitted(law.equal_error), atol=1e-6
    )
