# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals of RViz: what is taken, and one clear line for each that is not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.messages.cdr import header, message, point, quaternion, serialize
from boa_control.messages.frame_tree import FrameTree
from boa_control.messages.goals import read_goal
from boa_description.errors import BoaError
from boa_description.quaternion import yaw_quaternion


def goal(x=1.0, y=2.0, turn=(0.0, 0.0, 0.0, 1.0), frame="world") -> bytes:
    pose = message(
        "geometry_msgs/msg/Pose",
        position=point(np.array([x, y, 0.0])),
        orientation=quaternion(np.array(turn)),
    )
    return serialize(message("geometry_msgs/msg/PoseStamped", header=header(0, frame), pose=pose))


@given(st.floats(-900, 900), st.floats(-900, 900), st.floats(-3.1, 3.1))
def test_a_goal_is_read(x, y, heading):
    found = read_goal(goal(x, y, yaw_quaternion(heading)), FrameTree())
    assert (found.x, found.y) == (x, y)
    assert found.heading == pytest.approx(heading, abs=1e-9)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (goal(frame="odom"), "its frame 'odom' is not known to tf; 'world' and 'map' always are"),
        (goal(frame=""), "its frame '' is not known"),
        (goal(x=math.nan), "no place on the map"),
        (goal(y=math.inf), "no place on the map"),
        (goal(x=2500.0), "give m"),
        (goal(turn=(0.0, 0.0, 0.0, 0.0)), "quaternion has length 0"),
        (goal(turn=(0.0, 0.0, math.nan, 1.0)), "quaternion has length nan"),
    ],
)
def test_what_is_no_goal_is_named(raw, words):
    with pytest.raises(BoaError, match=words):
        read_goal(raw, FrameTree())
