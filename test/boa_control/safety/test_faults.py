# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults as values: read, written, latched; what frames and commands show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.plant import ForceSample, SensorFrame
from boa_control.safety.faults import (
    Fault,
    FaultName,
    command_faults,
    frame_faults,
    judge_frame,
    latch,
    silence_fault,
)
from boa_description.load import load_robot

ROBOT = load_robot("boa3")
LIMITS = ROBOT.limits
JOINTS = ("joint_01", "joint_02")
HOT = Fault(FaultName.TEMPERATURE, "joint_02", "joint_02: temperature 80 degC; let it cool down")


def frame(**changes: Any) -> SensorFrame:
    zero = np.zeros(2)
    values = {"joint_force": None, "imu": None, "temperature": zero, "joint_age": zero}
    return SensorFrame(0, zero, zero, zero, **(values | changes))


# --- as values ------------------------------------------------------------------------------------


def test_a_record_is_read_back() -> None:
    assert Fault.of(HOT.record()) == HOT


@pytest.mark.parametrize(
    "record",
    [
        {"subject": "joint_02", "message": "hot"},
        {"name": "temperature", "message": "hot"},
        {"name": "temperature", "subject": "joint_02"},
        "temperature",
    ],
)
def test_a_record_that_lacks_something_is_refused(record: Any) -> None:
    with pytest.raises(ValueError, match="is no fault: name, subject, message needed"):
        Fault.of(record)


def test_an_old_story_of_a_command_is_about_the_command() -> None:
    fault = Fault.of_story("command_lost: no torque command for 0.4 s: gone")
    assert (fault.name, fault.subject) == (FaultName.COMMAND_LOST, "command")


# --- latching -------------------------------------------------------------------------------------


def test_the_same_fault_twice_in_one_tick_is_latched_once() -> None:
    first = Fault(FaultName.PLANT, "servo 3", "servo 3: hot")
    again = Fault(FaultName.PLANT, "servo 3", "servo 3: hotter")
    assert latch((), (first, again)) == (first,)


# --- frames ---------------------------------------------------------------------------------------


def test_a_fault_of_a_frame_says_joint_value_limit_and_remedy() -> None:
    force = ForceSample(0, np.array([[0.0, 0.0, 0.0], [0.0, -600.0, 5.0]]))
    seen = frame(
        joint_age=np.array([1.5, 0.0]),
        temperature=np.array([20.0, 90.0]),
        joint_force=force,
        faults=("servo 1 (joint_01): overload",),
    )
    assert frame_faults(seen, LIMITS, JOINTS) == (
        Fault(FaultName.PLANT, "servo 1 (joint_01)", "servo 1 (joint_01): overload"),
        Fault(
            FaultName.JOINT_STALE,
            "joint_01",
            f"joint_01: last reply is old: 1.500 s, limit {LIMITS.sensor_age} s; "
            "check cable and power",
        ),
        Fault(
            FaultName.TEMPERATURE,
            "joint_02",
            f"joint_02: temperature 90.000 degC, limit {LIMITS.temperature_fault} degC; "
            "let it cool down",
        ),
        Fault(
            FaultName.JOINT_FORCE,
            "joint_02",
            f"joint_02: joint force 600.000 N, limit {LIMITS.joint_force_fault} N; "
            "unload the joint",
        ),
    )


def test_joints_that_are_silent_all_at_once_are_one_fault_of_none_of_them() -> None:
    (fault,) = frame_faults(frame(joint_age=np.array([0.07, 0.08])), LIMITS, JOINTS)
    assert fault == Fault(
        FaultName.JOINT_STALE,
        "all joints",
        f"all joints: last reply is old: 0.080 s, limit {LIMITS.sensor_age} s; check supply and "
        "adapter, and stop other programs of a busy computer",
    )


def test_warnings_begin_at_their_limit() -> None:
    def warned(temperature: float, force: float) -> tuple[str, ...]:
        sample = ForceSample(0, np.array([[force, 0.0, 0.0], [0.0, 0.0, 0.0]]))
        seen = frame(temperature=np.array([20.0, temperature]), joint_force=sample)
        return judge_frame(seen, LIMITS, JOINTS)[1]

    hot, loaded = LIMITS.temperature_warn, LIMITS.joint_force_warn
    assert warned(np.nextafter(hot, 0), np.nextafter(loaded, 0)) == ()
    assert warned(hot, -loaded) == (
        f"joint_02: temperature {hot:.0f} degC, warning at {hot} degC",
        f"joint_01: joint force {loaded:.1f} N, warning at {loaded} N",
    )


# --- commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("temperature", "warned", "faulty"),
    [
        (np.nextafter(LIMITS.temperature_warn, 0), False, False),
        (LIMITS.temperature_warn, True, False),
        (np.nextafter(LIMITS.temperature_fault, 0), True, False),
        (LIMITS.temperature_fault, True, True),
    ],
)
def test_warmth_alone_is_a_warning_first_and_then_a_fault(
    temperature: float, warned: bool, faulty: bool
) -> None:
    """Of a robot without force sensors, whose forces are no reason either way."""
    faults, warnings = judge_frame(frame(temperature=np.array([20.0, temperature])), LIMITS, JOINTS)
    assert bool(warnings) == warned
    assert [fault.name for fault in faults] == [FaultName.TEMPERATURE] * faulty


def test_faults_of_a_command_say_what_is_wrong_and_the_remedy() -> None:
    assert command_faults(np.zeros(2), JOINTS) == ()
    assert command_faults(np.zeros(3), JOINTS) == (
        Fault(
            FaultName.COMMAND_SHAPE,
            "command",
            "torque command has shape (3,), the robot has 2 joints; "
            "start the controller with this robot",
        ),
    )
    assert command_faults(np.array([0.0, np.inf]), JOINTS) == (
        Fault(
            FaultName.COMMAND_NOT_FINITE,
            "joint_02",
            "torque command for joint_02 is inf; stop and repair the controller",
        ),
    )


def test_silence_latches_only_when_longer_than_the_patience() -> None:
    assert silence_fault(0.5, 0.5) == ()
    assert silence_fault(0.501, 0.5) == (
        Fault(
            FaultName.COMMAND_LOST,
            "command",
            "no torque command for 0.501 s, limit 0.500 s; restart the controller",
        ),
    )
