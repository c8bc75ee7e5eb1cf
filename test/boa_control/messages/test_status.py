# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Clock and diagnostics."""

from __future__ import annotations

import numpy as np

from boa_control.messages.status import (
    Diagnosis,
    Level,
    decode_diagnostics,
    encode_clock,
    encode_diagnostics,
    gate_diagnosis,
    joints_diagnosis,
    loop_diagnosis,
)
from boa_control.messages.topics import CLOCK, DIAGNOSTICS, RECORDED
from boa_control.plant import SensorFrame
from boa_control.safety.faults import Fault, FaultName
from boa_control.safety.supervisor import Status


def frame(robot, **changes) -> SensorFrame:
    n = robot.joints
    nothing = np.zeros(n)
    healthy = SensorFrame(0, nothing, nothing, nothing, None, None, np.full(n, 31.25), nothing)
    return healthy._replace(**changes)


def test_clock_is_a_stamp(same_bytes) -> None:
    assert same_bytes(encode_clock(12_000_000_034), CLOCK.msgtype).clock.nanosec == 34
    assert same_bytes(encode_clock(12_000_000_034), RECORDED.msgtype).sec == 12


def test_diagnostics_round_trip(same_bytes) -> None:
    lines = (
        Diagnosis("boa/plant: gate", Level.ERROR, "joint hot", {"a": "1", "b": ""}),
        Diagnosis("x", Level.OK, ""),
    )
    raw = encode_diagnostics(7, lines, "boa13")
    same_bytes(raw, DIAGNOSTICS.msgtype)
    assert decode_diagnostics(raw) == (7, lines)


def test_gate_line_names_fault_state_and_trips() -> None:
    fault = Fault(FaultName.COMMAND_LOST, "controller", "no command for 1.0 s; is it running?")
    line = gate_diagnosis(
        Status(False, (fault,), (), 12, {"command_lost": 1, "rate": 3}), "inactive"
    )
    assert line.level is Level.ERROR and "no command for 1.0 s" in line.text
    assert (line.values["state"], line.values["armed"], line.values["trips"]) == (
        "inactive",
        "false",
        "4",
    )
    assert line.values["trips/rate"] == "3"
    assert gate_diagnosis(Status(True, (), ("joint_01 warm",), 1, {}), "active").level is Level.WARN
    assert gate_diagnosis(Status(True, (), (), 1, {}), "active").text == "armed"


def test_joints_line_has_temperatures_ages_and_plant_faults(robot) -> None:
    age = np.zeros(robot.joints)
    age[2] = 0.004
    line = joints_diagnosis(robot, frame(robot, joint_age=age))
    assert line.level is Level.WARN and "joint_03" in line.text
    assert (line.values["joint_01/temperature_degc"], line.values["joint_03/age_s"]) == (
        "31.2",
        "0.0040",
    )
    broken = joints_diagnosis(
        robot, frame(robot, faults=("servo 3 (joint_03): no reply; check its cable",))
    )
    assert broken.level is Level.ERROR and "servo 3" in broken.text


def test_loop_line_gives_percentiles() -> None:
    line = loop_diagnosis("boa/plant: loop", [float(k) for k in range(101)], real_time_factor=0.5)
    assert line.values == {"loop_us_p50": "50", "loop_us_p99": "99", "real_time_factor": "0.5"}
    assert loop_diagnosis("boa/plant: loop", []).values["loop_us_p50"] == "nan"
