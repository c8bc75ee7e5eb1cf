# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The calibration record on disk, its hash, and what differs from another."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_hardware.assembly import robot_plant
from boa_hardware.calibration.angles import rezeroed, servo_angle, wraps
from boa_hardware.calibration.record import begun, differences, load_record, save_record
from boa_hardware.config import RobotSettings
from boa_hardware.servo.settings import ServoJoint, default_settings

ROBOT = load_robot("boa13")
RECORD = begun(ROBOT, default_settings(ROBOT)).with_step("buses", "somebody", ("supply 24 V",))


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    written = save_record(RECORD, tmp_path / "r.yaml")
    assert load_record(tmp_path / "r.yaml", ROBOT) == written
    assert written.hash == RECORD.digest()


def test_a_record_that_was_edited_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    save_record(RECORD, path)
    path.write_text(path.read_text().replace("direction: 1", "direction: -1", 1))
    with pytest.raises(BoaError, match="changed after it was written"):
        load_record(path, ROBOT)


def test_a_record_of_another_robot_is_refused(tmp_path: Path) -> None:
    save_record(RECORD, tmp_path / "r.yaml")
    with pytest.raises(BoaError, match="of boa13 with 12 joints"):
        load_record(tmp_path / "r.yaml", load_robot("boa20"))


def test_differences_name_the_value_then_and_now() -> None:
    joints = (RECORD.joints[0].model_copy(update={"direction": -1}), *RECORD.joints[1:])
    assert differences(RECORD, RECORD) == []
    after = RECORD.model_copy(update={"joints": joints})
    assert differences(RECORD, after) == ["joint_01 direction: +1 -> -1"]


def test_the_joints_of_the_record_win_over_the_wiring(tmp_path: Path) -> None:
    joints = (RECORD.joints[0].model_copy(update={"direction": -1}), *RECORD.joints[1:])
    save_record(RECORD.model_copy(update={"joints": joints}), tmp_path / "r.yaml")
    plant = robot_plant(ROBOT, RobotSettings(calibration=str(tmp_path / "r.yaml")))
    assert plant._settings.servo_settings(ROBOT).joints[0].direction == -1


@pytest.mark.parametrize("direction", [1, -1])
def test_a_new_zero_is_where_the_joint_was(direction: int) -> None:
    joint = ServoJoint(id=1, direction=direction, zero=3.0)
    moved = rezeroed(joint, 0.2)
    assert servo_angle(np.zeros(1), [moved]) == pytest.approx(servo_angle(np.array([0.2]), [joint]))


def test_counts_wrap_where_the_range_leaves_the_first_turn() -> None:
    """Boa's joints go 90 deg each way; 5 deg are kept free at each end of the turn."""
    for degrees, expected in ((180, False), (94, True), (96, False), (264, False), (266, True)):
        assert wraps(ServoJoint(id=1, zero=math.radians(degrees)), ROBOT.joint) is expected
