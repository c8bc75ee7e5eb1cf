# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What arming asks: every reason not to, with its remedy; and the robot plant that asks it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from boa_control.plant import PlantError
from boa_description.load import load_robot
from boa_hardware.arming import ALWAYS, CALIBRATED, Present, require
from boa_hardware.calibration.record import (
    REQUIRED_STEPS,
    CalibrationRecord,
    ServoIdentity,
    begun,
)
from boa_hardware.config import RobotSettings
from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.sensors.k3d40 import nominal_calibration
from boa_hardware.sensors.tare import TareFile
from boa_hardware.servo.settings import default_settings
from test.boa_hardware.virtual import VirtualRobot

ROBOT = load_robot("boa13")
SERVOS = tuple(ServoIdentity(id=number, model=1150, firmware=46) for number in range(1, 13))
LINKS = tuple(range(1, 14))
FORCES = tuple(
    nominal_calibration(50.0).model_copy(update={"serial": f"K{n}", "date": date(2026, 1, 1)})
    for n in range(12)
)


def whole() -> CalibrationRecord:
    """A record with every step done."""
    record = begun(ROBOT, default_settings(ROBOT)).model_copy(
        update={"servos": SERVOS, "boards": LINKS, "forces": FORCES}
    )
    for step in REQUIRED_STEPS:
        record = record.with_step(step, "somebody", ())
    return record


READY = Present(
    robot=ROBOT,
    joints=default_settings(ROBOT).joints,
    record=whole(),
    servos=SERVOS,
    links=LINKS,
    angle=np.zeros(12),
    force_serials=tuple(sensor.serial for sensor in FORCES),
    foreign_tare="",
)
BENT = np.where(np.arange(12) == 4, 1.7, 0.0)
OTHER = (*SERVOS[:4], ServoIdentity(id=5, model=1150, firmware=45), *SERVOS[5:])
NEAR_COUNT_0 = tuple(
    joint.model_copy(update={"zero": 0.05}) if joint.id == 6 else joint for joint in READY.joints
)


def test_a_robot_like_its_record_may_be_armed() -> None:
    require((*CALIBRATED, *ALWAYS), READY)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"record": None}, "no calibration record; run `boa commission`"),
        (
            {"record": whole().model_copy(update={"steps": {}})},
            "lacks buses, imus, joints, straight, forces, torques, friction, dry_run",
        ),
        ({"servos": OTHER}, "of servo 5 .*firmware 46.*has servo 5 .*firmware 45"),
        ({"links": LINKS[:-1]}, "board of link 13 does not answer"),
        ({"angle": BENT}, "joint_05 is at 97 deg, range -90 to 90 deg"),
        ({"joints": NEAR_COUNT_0}, "joint_06: servo 6 is at 3 deg, where its count wraps"),
        ({"force_serials": ("nominal",) * 12}, "joint_01 has the nominal calibration"),
        ({"foreign_tare": "the tare is of another"}, "the tare is of another; tare again"),
    ],
)
def test_every_reason_is_named_with_its_remedy(change: dict[str, object], text: str) -> None:
    with pytest.raises(PlantError, match=text):
        require((*CALIBRATED, *ALWAYS), replace(READY, **change))


def test_without_a_record_range_and_wraps_are_asked_all_the_same() -> None:
    uncalibrated = replace(READY, record=None, force_serials=("nominal",) * 12)
    require(ALWAYS, uncalibrated)
    with pytest.raises(PlantError, match="joint_05"):
        require(ALWAYS, replace(uncalibrated, angle=BENT))


def test_a_joint_without_reading_is_never_in_range() -> None:
    with pytest.raises(PlantError, match="joint_03 has no valid reading"):
        require(ALWAYS, replace(READY, angle=np.where(np.arange(12) == 2, np.nan, 0.0)))


def test_the_robot_plant_asks_before_it_switches_torque_on() -> None:
    robot = VirtualRobot(EmulatedBoa(RobotSettings()))
    robot.plant._questions = CALIBRATED
    with robot.plant as plant:
        plant.read()
        with pytest.raises(PlantError, match="no calibration record"):
            plant.arm()
        assert not plant.armed
        robot.plant._questions = ALWAYS
        plant.arm()
        assert plant.armed


def test_a_tare_of_other_sensors_is_foreign() -> None:
    tare = TareFile(
        joints=("joint_01",),
        zero=((0.0, 0.0, None),),
        stamp_ns=0,
        temperature=(None,),
        noise=((None, None, None),),
        serials=("K1",),
    )
    assert tare.foreign(("joint_01",), ("K1",)) == ""
    assert "of force sensor K1, now it has K2" in tare.foreign(("joint_01",), ("K2",))
    assert "does not say" in tare.model_copy(update={"serials": ()}).foreign(("joint_01",), ("K1",))
