# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forces as arrows: where they begin, where they point, and in which frame."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controller import ContactEstimate
from boa_control.messages.cdr import deserialize, stamp_of
from boa_control.messages.force_arrows import (
    FORCE_SCALE,
    HEIGHT,
    ContactForceArrows,
    JointForceArrows,
    TrueContactForceArrows,
)
from boa_control.messages.topics import (
    CONTACT_FORCE_MARKERS,
    JOINT_FORCE_MARKERS,
    SIM_CONTACT_FORCE_MARKERS,
    STAMP_IN_LIST,
)
from boa_control.plant import ContactTruth
from boa_description.load import load_robot

BOA = load_robot("boa13")
STAMP = 12_345_678_901
DELETE_ALL, ARROW = 3, 0


def ends(marker) -> np.ndarray:
    return np.array([[p.x, p.y, p.z] for p in marker.points])


def arrows_of(content) -> list:
    """The arrows of a message, whose first marker clears what was there before."""
    first, *rest = content.markers
    assert first.action == DELETE_ALL
    assert [m.id for m in rest] == list(range(len(rest)))
    assert all((m.action, m.type) == (0, ARROW) and m.color.a == 1.0 for m in rest)
    stamps = {m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for m in content.markers}
    assert stamps == {STAMP}
    return rest


def test_an_estimated_contact_pushes_the_link_away_from_the_post(same_bytes) -> None:
    left = ContactEstimate(obstacle=2, link=4, offset=0.05, side=1, force=20.0)
    right = ContactEstimate(obstacle=None, link=0, offset=0.10, side=-1, force=10.0)
    raw = ContactForceArrows(BOA).encode(STAMP, (left, right))
    assert stamp_of(raw, STAMP_IN_LIST) == STAMP
    first, second = arrows_of(same_bytes(raw, CONTACT_FORCE_MARKERS.msgtype))
    assert (first.header.frame_id, second.header.frame_id) == ("link_05", "link_01")
    radius, height = BOA.link.radius, HEIGHT - BOA.link.radius
    np.testing.assert_allclose(
        ends(first), [[0.05, radius, height], [0.05, radius - 20 * FORCE_SCALE, height]]
    )
    np.testing.assert_allclose(
        ends(second), [[0.10, -radius, height], [0.10, -radius + 10 * FORCE_SCALE, height]]
    )


def test_a_true_contact_has_normal_and_friction(same_bytes) -> None:
    contact = ContactTruth.planar(3, 7, np.array([1.0, 2.0]), np.array([0.0, 1.0]), 30.0, 4.0)
    raw = TrueContactForceArrows().encode(STAMP, (contact,))
    (arrow,) = arrows_of(same_bytes(raw, SIM_CONTACT_FORCE_MARKERS.msgtype))
    assert arrow.header.frame_id == "world"
    # the tangential force is along the normal turned by -90 degrees: +x here
    tip = [1.0 + 4 * FORCE_SCALE, 2.0 + 30 * FORCE_SCALE, HEIGHT]
    np.testing.assert_allclose(ends(arrow), [[1.0, 2.0, HEIGHT], tip])


def test_joint_forces_are_given_in_the_frames_of_their_sensors(same_bytes) -> None:
    force = np.arange(3.0 * BOA.joints).reshape(-1, 3)
    raw = JointForceArrows(BOA).encode(STAMP, force)
    arrows = arrows_of(same_bytes(raw, JOINT_FORCE_MARKERS.msgtype))
    assert [m.header.frame_id for m in arrows] == [f"{name}_force" for name in BOA.joint_names]
    for arrow, expected in zip(arrows, force, strict=True):
        tail, tip = ends(arrow)
        np.testing.assert_allclose(tail, [0.0, 0.0, HEIGHT - BOA.link.radius])
        np.testing.assert_allclose((tip - tail) / FORCE_SCALE, expected, atol=1e-9)


@given(missing=st.sets(st.integers(0, BOA.joints - 1)))
def test_a_missing_force_has_no_arrow(missing: set[int]) -> None:
    force = np.ones((BOA.joints, 3))
    force[list(missing), 1] = np.nan
    content = deserialize(JointForceArrows(BOA).encode(STAMP, force), JOINT_FORCE_MARKERS.msgtype)
    shown = {m.header.frame_id for m in arrows_of(content)}
    assert shown == {f"{name}_force" for k, name in enumerate(BOA.joint_names) if k not in missing}


def test_a_force_that_is_not_measured_along_z_lies_in_the_plane(same_bytes) -> None:
    force = np.tile([30.0, -40.0, np.nan], (BOA.joints, 1))
    raw = JointForceArrows(BOA).encode(STAMP, force)
    arrows = arrows_of(same_bytes(raw, JOINT_FORCE_MARKERS.msgtype))
    assert len(arrows) == BOA.joints
    tail, tip = ends(arrows[0])
    np.testing.assert_allclose((tip - tail) / FORCE_SCALE, [30.0, -40.0, 0.0])


def test_no_contact_clears_the_picture(same_bytes) -> None:
    unknown = ContactEstimate(obstacle=0, link=0, offset=0.0, side=1, force=float("nan"))
    for contacts in ((), (unknown,)):
        raw = ContactForceArrows(BOA).encode(STAMP, contacts)
        assert arrows_of(same_bytes(raw, CONTACT_FORCE_MARKERS.msgtype)) == []


def test_changing_sets_of_contacts_do_not_mix() -> None:
    codec = ContactForceArrows(BOA)
    rng = np.random.default_rng(0)
    for _ in range(50):
        links = rng.choice(BOA.links, rng.integers(0, 5), replace=False)
        contacts = [ContactEstimate(None, int(k), 0.01 * k, 1, 1.0 + k) for k in links]
        content = deserialize(codec.encode(STAMP, contacts), CONTACT_FORCE_MARKERS.msgtype)
        arrows = arrows_of(content)
        assert [m.header.frame_id for m in arrows] == [BOA.link_names[k] for k in links]
        for contact, arrow in zip(contacts, arrows, strict=True):
            tail, tip = ends(arrow)
            np.testing.assert_allclose(tail[0], contact.offset)
            np.testing.assert_allclose(tip[1] - tail[1], -FORCE_SCALE * contact.force)
