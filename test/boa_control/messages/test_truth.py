# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ground truth as messages and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.messages.cdr import MessageError
from boa_control.messages.topics import SIM_ODOMETRY
from boa_control.messages.truth import TruthCodec
from boa_control.plant import ContactTruth, GroundTruth, PlanarTruth, link_motions
from boa_description.load import load_robot

ROBOT = load_robot("boa13")


def sample(rng, stamp: int) -> GroundTruth:
    n = ROBOT.joints
    contact = ContactTruth.planar(3, 11, rng.normal(size=2), np.array([0.6, -0.8]), 4.0, -0.5)
    base = np.array([*rng.normal(size=2), rng.uniform(-np.pi, np.pi)])
    return PlanarTruth(
        stamp,
        base,
        rng.normal(size=3),
        rng.normal(size=n),
        rng.normal(size=n),
        (contact,),
        passed=rng.normal(size=n),
    )


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.integers(0, 2**60))
def test_round_trip(seed, stamp) -> None:
    sent = sample(np.random.default_rng(seed), stamp)
    codec = TruthCodec(ROBOT)
    got = codec.decode(*(raw for _, raw in codec.encode(sent)))
    assert got.stamp_ns == stamp and len(got.contacts) == 1
    np.testing.assert_allclose(got.base, sent.base, rtol=0, atol=1e-15 * 4)
    np.testing.assert_allclose(got.base_velocity, sent.base_velocity, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(got.joint_position, sent.joint_position)
    np.testing.assert_array_equal(got.joint_velocity, sent.joint_velocity)
    np.testing.assert_array_equal(got.delivered, sent.delivered)


def test_odometry_gives_the_velocity_in_the_frame_of_the_link(same_bytes) -> None:
    forward = np.array([np.cos(0.3), np.sin(0.3), 0.7])  # 1 m/s along the heading, 0.7 rad/s
    truth = PlanarTruth(2, np.array([1.0, 2.0, 0.3]), forward, np.zeros(12), np.zeros(12))
    content = same_bytes(TruthCodec(ROBOT).encode(truth)[0][1], SIM_ODOMETRY.msgtype)
    twist = content.twist.twist
    np.testing.assert_allclose(
        [twist.linear.x, twist.linear.y, twist.angular.z], [1.0, 0.0, 0.7], atol=1e-15
    )
    assert (content.header.frame_id, content.child_frame_id) == ("world", "link_01")


def test_ticks_are_not_mixed() -> None:
    rng = np.random.default_rng(0)
    codec = TruthCodec(ROBOT)
    first, second = codec.encode(sample(rng, 0)), codec.encode(sample(rng, 2))
    with pytest.raises(MessageError, match="different ticks"):
        codec.decode(first[0][1], second[1][1], first[2][1])


def test_foreign_odometry_is_refused() -> None:
    rng = np.random.default_rng(0)
    codec = TruthCodec(ROBOT)
    sent = [raw for _, raw in codec.encode(sample(rng, 0))]
    with pytest.raises(MessageError, match="not the odometry of link_01"):
        codec.decode(sent[0][:-8], *sent[1:])


def test_many_motions_in_the_plane_are_those_one_by_one() -> None:
    """In the plane all at once, from the headings; with one from a message among them one by one.
    Both are the same bits: a bag is the same however its ticks are gathered.
    """
    rng = np.random.default_rng(1)
    truths = [sample(rng, stamp) for stamp in range(5)]
    codec = TruthCodec(ROBOT)
    read = codec.decode(*(raw for _, raw in codec.encode(truths[0])))
    for given_truths in (truths, [*truths, read]):
        many = link_motions(given_truths)
        for name, column in many._asdict().items():
            each = np.array([getattr(truth, name) for truth in given_truths])
            np.testing.assert_array_equal(column, each, strict=True)
