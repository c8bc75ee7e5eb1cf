# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pushes and poses as messages: what is read, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.messages.cdr import MessageError, header, message, serialize
from boa_control.messages.intervention import STRONGEST, decode_state, decode_wrench
from boa_control.plant import PlanarTruth
from boa_description.load import load_robot

ROBOT = load_robot("boa13", links=4)
PRESENT = PlanarTruth(
    0, np.array([1.0, 2.0, 3.0]), np.zeros(3), np.array([0.1, 0.2, 0.3]), np.zeros(3)
)
values = st.floats(-STRONGEST, STRONGEST)


def wrench(link: str = "link_02", **parts: float) -> bytes:
    def vector(name: str):
        return message(
            "geometry_msgs/msg/Vector3",
            **{axis: parts.get(f"{name}_{axis}", 0.0) for axis in "xyz"},
        )

    body = message("geometry_msgs/msg/Wrench", force=vector("force"), torque=vector("torque"))
    return serialize(
        message("geometry_msgs/msg/WrenchStamped", header=header(0, link), wrench=body)
    )


def state(names: list[str], position: list[float], velocity: tuple[float, ...] = ()) -> bytes:
    return serialize(
        message(
            "sensor_msgs/msg/JointState",
            header=header(),
            name=names,
            position=np.array(position, float),
            velocity=np.array(velocity, float),
            effort=np.zeros(0),
        )
    )


@given(values, values, values)
def test_a_wrench_is_read_as_it_was_sent(along, across, torque) -> None:
    link, read = decode_wrench(wrench(force_x=along, force_y=across, torque_z=torque), ROBOT)
    assert link == 1 and read.tolist() == [along, across, torque]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"link": "link_05"}, "'link_05' is no link; expected link_01 to link_04"),
        ({"link": ""}, "is no link"),
        ({"force_x": float("nan")}, "expected at most 1000"),
        ({"torque_z": -1001.0}, "expected at most 1000"),
        ({"force_z": 1.0}, "the robot is planar"),
        ({"torque_x": float("nan")}, "the robot is planar"),
    ],
)
def test_a_wrench_that_cannot_act_is_refused(wrong, why) -> None:
    with pytest.raises(MessageError, match=why):
        decode_wrench(wrench(**wrong), ROBOT)


def test_what_a_state_does_not_name_stays() -> None:
    base, joints = decode_state(state(["joint_03", "base_y"], [-0.4, 5.0]), ROBOT, PRESENT)
    assert base.tolist() == [1.0, 5.0, 3.0] and joints.tolist() == [0.1, 0.2, -0.4]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (state([], []), "0 names"),
        (state(["joint_01"], []), "1 names and 0 positions"),
        (state(["joint_01", "joint_01"], [0.0, 0.1]), "no name twice"),
        (state(["elbow"], [0.0]), "'elbow' is no joint; expected base_x"),
        (state(["joint_01"], [float("inf")]), "position of joint_01 is inf"),
        (state(["joint_01"], [float("nan")]), "position of joint_01 is nan"),
        (state(["base_x"], [1e300]), "position of base_x is 1e\\+300; expected at most 1000"),
        (state(["joint_01"], [0.0], (0.1,)), "velocities cannot be set"),
        (b"", "0 bytes"),
    ],
)
def test_a_state_that_cannot_be_is_refused(wrong, why) -> None:
    with pytest.raises(MessageError, match=why):
        decode_state(wrong, ROBOT, PRESENT)
