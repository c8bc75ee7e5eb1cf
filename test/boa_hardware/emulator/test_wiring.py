# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wrong wirings: what the buses of the emulated robot tell of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from boa_control.plant import SensorFrame
from boa_description.errors import BoaError
from boa_hardware.config import RobotSettings
from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.emulator.wiring import Wiring
from test.boa_hardware.virtual import VirtualRobot


def moved(wiring: dict[str, Any]) -> SensorFrame:
    """A frame of a robot whose joint 5 hands have bent by 0.4 rad, with 10 N on joint 3."""
    boa = EmulatedBoa(RobotSettings(), wiring=Wiring.model_validate(wiring))
    robot = VirtualRobot(boa)
    with robot.plant as plant:
        plant.read()
        boa.body.hands.bend({4: 0.4}, 0.3)
        boa.body.hands.hang(2, 10.0, -5.0)
        for _ in range(300):
            frame = plant.read()
    return frame


@pytest.fixture(scope="module")
def right() -> SensorFrame:
    """Of the robot that is wired as it should be."""
    return moved({})


def test_hands_bend_one_joint_and_load_one_sensor(right: SensorFrame) -> None:
    assert right.position == pytest.approx(np.where(np.arange(12) == 4, 0.4, 0.0), abs=0.02)
    assert right.joint_force is not None
    assert right.joint_force.force[2, :2] == pytest.approx([10.0, -5.0], abs=0.3)
    assert np.abs(np.delete(right.joint_force.force[:, :2], 2, axis=0)).max() < 0.3


@pytest.mark.parametrize(
    ("wiring", "joint", "angle"),
    [
        ({"joint": 5, "reversed": True}, 4, -0.4),
        ({"joint": 5, "turned": 0.3}, 4, 0.7),
        ({"joint": 5, "turned": math.pi}, 4, 0.4 - math.pi),  # its first turn begins there
    ],
)
def test_a_servo_that_sits_otherwise_counts_otherwise(
    wiring: dict[str, Any], joint: int, angle: float
) -> None:
    assert moved({"servos": [wiring]}).position[joint] == pytest.approx(angle, abs=0.02)


def test_exchanged_ids_and_boards_answer_for_each_other(right: SensorFrame) -> None:
    frame = moved(
        {
            "servos": [{"joint": 5, "id": 6}, {"joint": 6, "id": 5}],
            "boards": [{"link": 5, "id": 6}, {"link": 6, "id": 5}],
        }
    )
    assert frame.position[5] == pytest.approx(right.position[4], abs=0.01)
    assert frame.imu is not None
    assert right.imu is not None
    order = [0, 1, 2, 3, 5, 4, *range(6, 13)]
    assert frame.imu.yaw == pytest.approx(right.imu.yaw[order], abs=0.01)


def test_sensors_show_their_mounting_and_leads(right: SensorFrame) -> None:
    frame = moved(
        {
            "imus": [{"link": 13, "upside_down": True}],
            "forces": [
                {"joint": 3, "read_at": 4, "scale": -0.5, "zero": [1.0, 0.0]},
                {"joint": 4, "read_at": 3},
            ],
        }
    )
    assert frame.imu is not None
    assert right.imu is not None
    assert frame.imu.yaw[12] == pytest.approx(-right.imu.yaw[12], abs=0.01)
    assert frame.joint_force is not None
    assert frame.joint_force.force[3, :2] == pytest.approx([-4.0, 2.5], abs=0.3)


@pytest.mark.parametrize(
    ("wiring", "complaint"),
    [
        ({"servos": [{"joint": 13}]}, "joint 13, robot boa13 has joints 1 to 12"),
        ({"imus": [{"link": 14}]}, "link 14, robot boa13 has links 1 to 13"),
    ],
)
def test_what_the_robot_has_not_is_refused(wiring: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BoaError, match=complaint):
        EmulatedBoa(RobotSettings(), wiring=Wiring.model_validate(wiring))
