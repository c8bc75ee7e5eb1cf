# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wiring and calibration of a bus."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from pydantic import ValidationError

from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_hardware.block_file import save_block
from boa_hardware.servo.registers import CURRENT
from boa_hardware.servo.settings import (
    ServoBusSettings,
    ServoJoint,
    default_settings,
    load_settings,
)
from boa_hardware.servo.torque import TorqueModel


def test_the_real_boa_has_servos_1_to_12_at_3_megabit() -> None:
    robot = load_robot("boa13")
    settings = default_settings(robot)
    assert settings.ids == tuple(range(1, 13))
    assert settings.baud == 3_000_000
    assert settings.joints[0].torque.constant == pytest.approx(robot.actuator.torque_constant)
    assert settings.joints[0].zero == math.pi
    assert settings.watchdog_counts == 5
    assert settings.current_limit_counts == 892  # 2.4 A
    assert settings.current_limit_counts * CURRENT <= settings.current_limit


def test_files_survive(tmp_path: Path) -> None:
    joints = (
        ServoJoint(id=7, direction=-1, zero=3.0, torque=TorqueModel(coulomb=0.1)),
        ServoJoint(id=2),
    )
    settings = ServoBusSettings(joints=joints, baud=1_000_000)
    save_block(settings, tmp_path / "servos.yaml")
    assert load_settings(tmp_path / "servos.yaml") == settings
    with pytest.raises(BoaError, match="2 joints, but robot boa13 has 12"):
        load_settings(tmp_path / "servos.yaml", load_robot("boa13"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("joints: [{id: 1}, {id: 1}]", "own id"),
        ("joints: [{id: 253}]", "252"),
        ("joints: [{id: 1, direction: 2}]", "direction"),
        ("joints: [{id: 1}]\nbaud: 12345", "3000000"),
        ("joints: [{id: 1}]\nwatchdog: 3.0", "2.54"),
        ("joints: [{id: 1}]\ncurent_limit: 1.0", "did you mean 'current_limit'"),
        ("joints: []", "joints"),
    ],
)
def test_wrong_files_name_the_key(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "servos.yaml").write_text(text)
    with pytest.raises(BoaError, match=words):
        load_settings(tmp_path / "servos.yaml")


def test_the_current_limit_cannot_exceed_the_register() -> None:
    with pytest.raises(ValidationError):
        ServoBusSettings(joints=(ServoJoint(id=1),), current_limit=3.3)
