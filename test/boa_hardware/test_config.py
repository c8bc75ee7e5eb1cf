# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings of a robot: the shipped file says what the defaults are, and wrong ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_hardware.config import RobotSettings, load_robot_settings


def test_the_shipped_file_is_the_default_for_boa13() -> None:
    robot = load_robot("boa13")
    shipped, default = load_robot_settings(Path("config/robot.yaml")), RobotSettings()
    assert shipped.servo_settings(robot) == default.servo_settings(robot)
    assert shipped.model_copy(update={"servos": None}) == default


def test_no_file_is_the_default() -> None:
    assert load_robot_settings("") == load_robot_settings(None) == RobotSettings()


@pytest.mark.parametrize(
    "text", ["topology: can", "servos: {baud: 9}", "speed: 3", "command_hold: 0"]
)
def test_wrong_settings_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "robot.yaml"
    file.write_text(text)
    with pytest.raises(BoaError, match=r"robot\.yaml"):
        load_robot_settings(file)


def test_a_scenario_that_is_too_fast_is_refused_with_the_remedy() -> None:
    assert RobotSettings().control_rate(200.0) == 200.0
    with pytest.raises(
        BoaError, match=r"500 Hz, this robot at 250 Hz at most; give the launch control_rate:=200"
    ):
        RobotSettings().control_rate(500.0)
    with pytest.raises(BoaError, match=r"this robot at 100 Hz"):
        RobotSettings(topology="spine").control_rate(200.0)


def test_servos_behind_the_boards_answer_on_the_spine_and_nobody_waits_for_lost_frames() -> None:
    spine = RobotSettings(topology="spine").spine_settings()
    assert spine.servo_frames
    assert spine.patience == spine.deadline
    assert not RobotSettings().spine_settings().servo_frames


@pytest.mark.parametrize("changed", [{"direction": -1}, {"zero": 3.0}])
def test_what_link_boards_do_not_heed_is_refused(changed: dict[str, float]) -> None:
    """A joint that is said to turn the other way would get its torque the wrong way."""
    robot = load_robot("boa13")
    servos = RobotSettings().servo_settings(robot)
    joints = (*servos.joints[:4], servos.joints[4].model_copy(update=changed), *servos.joints[5:])
    settings = RobotSettings(servos=servos.model_copy(update={"joints": joints}))
    assert settings.servo_settings(robot).joints == joints
    with pytest.raises(BoaError, match=r"joint 5 has direction .* which link boards do not heed"):
        settings.model_copy(update={"topology": "spine"}).servo_settings(robot)
