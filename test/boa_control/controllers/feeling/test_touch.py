# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Posts that the head has touched: bodies at rest that one post pushes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controllers.base_estimate import BaseMotion
from boa_control.controllers.feeling.touch import Felt, Touches, TouchSettings
from boa_control.controllers.feeling.way import Head
from boa_control.estimation.link_forces import neighbour_loads
from boa_control.model.dynamics import PlanarChain
from boa_control.plant import ForceSample, SensorFrame
from boa_description.arrays import Array
from boa_description.chain import joint_differences
from boa_description.load import load_robot

BOA = load_robot("boa13")
CHAIN = PlanarChain(BOA)
PITCH = BOA.link.pitch
REACH = BOA.link.radius + 0.05
AT = np.array([2.0, 1.0])  # tail end of the body, which lies along x
AXES = AT + np.column_stack((PITCH * np.arange(BOA.links + 1), np.zeros(BOA.links + 1)))


def pushed_by(link: int, offset: float, push: complex) -> tuple[SensorFrame, Array]:
    """Sensors of a straight body at rest, and the forces on its links, when a post pushes a link
    at an offset along it; the floor holds all links at their middles.
    """
    n = BOA.links
    push_on = np.zeros(n, complex)
    push_on[link] = push
    middle = PITCH * (np.arange(n) + 0.5)
    across = -np.array([push.imag, push.imag * (PITCH * link + offset)])
    rows = np.vstack((np.ones(n), middle))
    floor = -push.real / n + 1j * (np.linalg.pinv(rows) @ across)
    joint = -np.cumsum(push_on + floor)[:-1]
    nothing = np.zeros(n - 1)
    sample = ForceSample(1, np.column_stack([joint.real, joint.imag, nothing]))
    moment = neighbour_loads(sample.force, nothing, PITCH / 2).moment
    moment[link] += push.imag * (offset - PITCH / 2)
    torque = np.array(np.linalg.lstsq(joint_differences(n), moment, rcond=None)[0], float)
    frame = SensorFrame(1, nothing, nothing, torque, sample, None, nothing, nothing)
    return frame, push_on


def motion() -> BaseMotion:
    q = np.zeros(BOA.links + 2)
    return BaseMotion(CHAIN.posture(q), q, AT, np.zeros(2))


def moved(left: float) -> Array:
    """Axes of a body that believes itself so far to the left, m."""
    return AXES + np.array([0.0, left])


def touches() -> Touches:
    return Touches(
        CHAIN, BOA.link.radius, TouchSettings(force=4.0, lasting=0.0, post_radius=0.05), 0.01
    )


@given(st.floats(-1.2, 1.2), st.floats(4.5, 40.0))
def test_a_post_before_the_tip_stands_where_it_pushes_from(angle: float, size: float) -> None:
    """The tip is round: the force points from the post to the middle of the tip."""
    push = -size * np.exp(1j * angle)
    memory = touches()
    felt = memory.update(*pushed_by(12, PITCH, push), motion(), AXES)
    assert felt is not None
    where = complex(*AXES[-1]) + REACH * np.exp(1j * angle)
    assert abs(felt.place - where) < 1e-6
    assert memory.places == pytest.approx(np.array([[where.real, where.imag]]), abs=1e-6)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_post_beside_the_head_stands_beside_it(side: float) -> None:
    felt = touches().update(*pushed_by(11, 0.05, -10j * side), motion(), AXES)
    assert felt is not None
    assert abs(felt.place - complex(*AXES[11]) - complex(0.05, side * REACH)) < 2e-3


def test_what_is_lighter_than_the_threshold_or_behind_the_head_is_no_touch() -> None:
    memory = touches()
    assert memory.update(*pushed_by(12, PITCH, -3.9), motion(), AXES) is None
    assert memory.update(*pushed_by(9, 0.05, 20j), motion(), AXES) is None
    assert not memory.posts


def test_the_strongest_push_of_a_post_says_where_it_stands() -> None:
    """The robot has drifted by 3 cm meanwhile; a body of 8 cm does not fit between both places."""
    memory = touches()
    first = memory.update(*pushed_by(12, PITCH, -10 + 0j), motion(), AXES)
    assert first is not None
    for push, expected in ((-9.0, 0.0), (-11.0, 0.03), (-10.0, 0.03)):
        frame = pushed_by(12, PITCH, complex(push))
        assert memory.update(*frame, motion(), moved(0.03)) is None
        assert len(memory.posts) == 1 and memory.news == (push == -11.0)
        assert memory.posts[0].place == pytest.approx(first.place + 1j * expected)
    assert memory.update(*frame, motion(), moved(0.25)) is not None
    assert len(memory.posts) == 2


def test_a_post_that_is_known_is_the_one_that_is_touched_there() -> None:
    """It is one centimetre off the map, and found anew."""
    place = complex(*AXES[-1]) + REACH + 0.01j
    settings = TouchSettings(force=4.0)
    memory = Touches(CHAIN, BOA.link.radius, settings, 0.01, [Felt(place, 0.02, 0.0)])
    assert memory.places.tolist() == [[place.real, place.imag]]
    assert memory.update(*pushed_by(12, PITCH, -10 + 0j), motion(), AXES) is None
    assert memory.news and [post.place.imag for post in memory.posts] == [pytest.approx(AT[1])]
    memory.reset()
    assert [post.force for post in memory.posts] == [0.0]


def test_a_blow_on_a_flank_is_no_touch() -> None:
    """Half of the time that counts, again and again; then as long as that. One on the tip is."""
    memory = Touches(CHAIN, BOA.link.radius, TouchSettings(force=4.0, lasting=0.04), 0.01)
    push, nothing = pushed_by(12, 0.06, 10j), pushed_by(12, PITCH, 0j)
    for frame in (push, push, nothing, push, push, nothing, push, push, push, push):
        assert memory.update(*frame, motion(), AXES) is None
    assert memory.update(*push, motion(), AXES) is not None
    assert touches().update(*pushed_by(12, PITCH, -10 + 0j), motion(), AXES) is not None


def test_what_holds_up_the_head_unfelt_is_avoided_and_on_no_map() -> None:
    memory = touches()
    memory.suppose(Head(np.array([1.0, 2.0]), np.pi / 2, np.zeros(1)))
    assert memory.places == pytest.approx(np.array([[1.0, 2.0 + REACH]]))
    assert not memory.posts and not memory.news
