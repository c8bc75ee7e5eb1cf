# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contacts, estimated and true."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controller import ContactEstimate, estimate_columns
from boa_control.messages.cdr import MessageError, deserialize, serialize, stamp_of
from boa_control.messages.contacts import EstimatedContactsCodec, TrueContactsCodec
from boa_control.messages.topics import CONTACTS, SIM_CONTACTS
from boa_control.plant import ContactTruth, truth_columns
from boa_description.load import load_robot

ROBOT = load_robot("boa13")
NUMBER = st.floats(-1e6, 1e6)

ESTIMATES = st.lists(
    st.builds(
        ContactEstimate,
        obstacle=st.none() | st.integers(0, 500),
        link=st.integers(0, 12),
        offset=NUMBER,
        side=st.sampled_from([-1, 1]),
        force=NUMBER,
    ),
    max_size=6,
)


def written(codec: EstimatedContactsCodec, stamp: int, contacts: list[ContactEstimate]) -> bytes:
    return codec.encode_many((stamp,), estimate_columns((contacts,)))[0]


def read(codec: EstimatedContactsCodec, raw: bytes) -> list[ContactEstimate]:
    return codec.decode_many((raw,)).singles()


@given(ESTIMATES, st.integers(0, 2**60))
def test_estimates_round_trip(contacts, stamp) -> None:
    codec = EstimatedContactsCodec(ROBOT)
    raw = written(codec, stamp, contacts)
    received = read(codec, raw)
    assert stamp_of(raw) == stamp and len(received) == len(contacts)
    for sent, got in zip(contacts, received, strict=True):
        assert (got.link, got.obstacle, got.side, got.offset, got.force) == (
            sent.link,
            sent.obstacle,
            sent.side,
            sent.offset,
            sent.force,
        )


def test_a_standard_reader_sees_link_point_normal_and_force(same_bytes) -> None:
    left = ContactEstimate(obstacle=7, link=4, offset=0.03, side=1, force=2.5)
    unmapped = ContactEstimate(obstacle=None, link=12, offset=0.1, side=-1, force=4.0)
    raw = written(EstimatedContactsCodec(ROBOT), 5, [left, unmapped])
    content = same_bytes(raw, CONTACTS.msgtype)
    assert content.joint_names == ["link_05/obstacle_07", "link_13"]
    at, push = content.transforms[0].translation, content.wrench[0].force
    # an obstacle on the left touches the left side ...
    assert (at.x, at.y) == (
        0.03,
        ROBOT.link.radius,
    )
    assert (push.x, push.y) == (0.0, -2.5)  # ... and pushes to the right
    assert content.wrench[1].force.y == 4.0


@given(st.integers(0, 2**32), st.integers(0, 8))
def test_truth_round_trips_in_the_world_frame(seed, count) -> None:
    rng = np.random.default_rng(seed)
    contacts = []
    for _ in range(count):
        angle = rng.uniform(-np.pi, np.pi)
        normal = np.array([np.cos(angle), np.sin(angle)])
        link, obstacle = int(rng.integers(13)), int(rng.integers(200))
        contacts.append(
            ContactTruth.planar(
                link,
                obstacle,
                rng.normal(size=2),
                normal,
                float(rng.exponential(10)),
                float(rng.normal()),
            )
        )
    codec = TrueContactsCodec(ROBOT)
    (raw,) = codec.encode_many((17,), truth_columns((contacts,)))
    content = deserialize(raw, SIM_CONTACTS.msgtype)
    assert content.header.frame_id == "world"
    stamp, received = codec.decode(raw)
    assert stamp == 17 and len(received) == count
    for sent, got, wrench in zip(contacts, received, content.wrench, strict=True):
        tangent = np.array([sent.normal[1], -sent.normal[0], 0.0])  # the normal by -90 degrees
        force = sent.normal_force * sent.normal + sent.tangential_force * tangent
        received_force = [wrench.force.x, wrench.force.y, wrench.force.z]
        np.testing.assert_allclose(received_force, force, atol=1e-12)
        assert (got.link, got.obstacle) == (sent.link, sent.obstacle)
        np.testing.assert_array_equal(got.point, sent.point)
        np.testing.assert_allclose(got.normal, sent.normal, atol=1e-14)
        np.testing.assert_allclose(
            [got.normal_force, got.tangential_force],
            [sent.normal_force, sent.tangential_force],
            atol=1e-12,
        )


@pytest.mark.parametrize(
    "name",
    ["link_14", "link_05/post_3", "link_05/obstacle_x", "", "obstacle_03", f"link_05/{10**20}"],
)
def test_unknown_names_are_refused(name: str) -> None:
    codec = EstimatedContactsCodec(ROBOT)
    contact = ContactEstimate(obstacle=7, link=4, offset=0.03, side=1, force=2.5)
    content = deserialize(written(codec, 5, [contact]), CONTACTS.msgtype)
    content.joint_names = [name]
    with pytest.raises(MessageError, match=f"'{name}' is no contact of this robot"):
        read(codec, serialize(content))


def test_names_without_forces_are_refused() -> None:
    codec = EstimatedContactsCodec(ROBOT)
    content = deserialize(written(codec, 5, []), CONTACTS.msgtype)
    content.joint_names = ["link_01"]
    with pytest.raises(MessageError, match="1 names, 0 transforms and 0 wrenches"):
        read(codec, serialize(content))


@given(st.lists(st.tuples(ESTIMATES, st.integers(1, 3)), min_size=1, max_size=4))
def test_sets_that_repeat_and_change_are_read_as_each_by_itself(sets) -> None:
    """The second of equal sets is read like the first, the third with the template of both."""
    codec = EstimatedContactsCodec(ROBOT)
    raws = [written(codec, stamp, contacts) for contacts, n in sets for stamp in range(n)]
    alone = [read(EstimatedContactsCodec(ROBOT), raw) for raw in raws]
    # repr: NaN is not equal to itself
    assert repr([read(codec, raw) for raw in raws]) == repr(alone)
    together = EstimatedContactsCodec(ROBOT).decode_many(raws)
    assert repr(together.singles()) == repr([one for contacts in alone for one in contacts])
    counts = [len(contacts) for contacts in alone]
    np.testing.assert_array_equal(together.report, np.repeat(np.arange(len(raws)), counts))


def test_between_messages_of_ours_those_of_others_are_read_field_by_field() -> None:
    codec = EstimatedContactsCodec(ROBOT)
    contact = ContactEstimate(obstacle=7, link=4, offset=0.03, side=1, force=2.5)
    ours = written(codec, 5, [contact])
    content = deserialize(ours, CONTACTS.msgtype)
    content.header.frame_id = "somewhere"
    raws = (ours, ours, serialize(content), ours)
    # repr: NaN is not equal to itself
    assert repr([read(codec, raw) for raw in raws]) == repr([[contact]] * 4)
    assert repr(codec.decode_many(raws).singles()) == repr([contact] * 4)
