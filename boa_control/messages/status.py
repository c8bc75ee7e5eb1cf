# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Clock and diagnostics: the state of plant, gate, sensors and loops, a few times per second."""

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import numpy.ma  # np.percentile imports it at its first call, which would hold up the run

from boa_control.messages.cdr import (
    HEADER,
    SECOND,
    deserialize,
    header,
    message,
    nanoseconds,
    serialize,
)
from boa_control.plant import SensorFrame
from boa_control.safety.supervisor import Status
from boa_description.robot import Robot


class Level(IntEnum):
    """Severity, as in diagnostic_msgs/DiagnosticStatus."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One line of /diagnostics: a thing, how it is, and named values."""

    name: str
    level: Level
    text: str
    values: Mapping[str, str] = field(default_factory=dict)


def encode_clock(stamp_ns: int) -> bytes:
    """rosgraph_msgs/Clock, and builtin_interfaces/Time: both are just a stamp."""
    return HEADER + struct.pack("<iI", *divmod(int(stamp_ns), SECOND))


def encode_diagnostics(stamp_ns: int, diagnoses: Iterable[Diagnosis], hardware_id: str) -> bytes:
    """diagnostic_msgs/DiagnosticArray."""
    status = [
        message(
            "diagnostic_msgs/msg/DiagnosticStatus",
            level=int(item.level),
            name=item.name,
            message=item.text,
            hardware_id=hardware_id,
            values=[
                message("diagnostic_msgs/msg/KeyValue", key=k, value=v)
                for k, v in item.values.items()
            ],
        )
        for item in diagnoses
    ]
    return serialize(
        message("diagnostic_msgs/msg/DiagnosticArray", header=header(stamp_ns), status=status)
    )


def decode_diagnostics(raw: bytes) -> tuple[int, tuple[Diagnosis, ...]]:
    """Return stamp (ns) and lines. Raises MessageError."""
    content = deserialize(raw, "diagnostic_msgs/msg/DiagnosticArray")
    lines = tuple(
        Diagnosis(s.name, Level(s.level), s.message, {item.key: item.value for item in s.values})
        for s in content.status
    )
    return nanoseconds(content.header.stamp), lines


def gate_diagnosis(status: Status, state: str) -> Diagnosis:
    """Torque gate: armed or not, latched faults, trips, and the life-cycle state of the plant."""
    if status.faults:
        level, text = Level.ERROR, str(status.faults[0])
    elif status.warnings:
        level, text = Level.WARN, status.warnings[0]
    else:
        level, text = Level.OK, "armed" if status.armed else "disarmed"
    values = {
        "state": state,
        "armed": str(status.armed).lower(),
        "faults": "; ".join(map(str, status.faults)),
        "warnings": "; ".join(status.warnings),
        "ticks": str(status.ticks),
        "trips": str(sum(status.trips.values())),
    }
    values |= {f"trips/{name}": str(count) for name, count in sorted(status.trips.items())}
    return Diagnosis("boa/plant: gate", level, text, values)


def joints_diagnosis(robot: Robot, frame: SensorFrame) -> Diagnosis:
    """Temperatures and ages of the joints' readings, and what the plant itself complains about."""
    values = {"faults": "; ".join(frame.faults)}
    for name, degrees, age in zip(
        robot.joint_names, frame.temperature, frame.joint_age, strict=True
    ):
        values[f"{name}/temperature_degc"] = f"{degrees:.1f}"
        values[f"{name}/age_s"] = f"{age:.4f}"
    stale = [name for name, age in zip(robot.joint_names, frame.joint_age, strict=True) if age > 0]
    if frame.faults:
        return Diagnosis("boa/plant: joints", Level.ERROR, frame.faults[0], values)
    if stale:
        return Diagnosis(
            "boa/plant: joints", Level.WARN, f"no fresh reading of {', '.join(stale)}", values
        )
    return Diagnosis("boa/plant: joints", Level.OK, "all joints answer", values)


def warnings_diagnosis(warnings: Sequence[str]) -> Diagnosis:
    """Diagnosis of the warnings: sensor failures that do not stop the plant."""
    values = {"warnings": "; ".join(warnings)}
    if warnings:
        return Diagnosis("boa/plant: sensors", Level.WARN, warnings[0], values)
    return Diagnosis("boa/plant: sensors", Level.OK, "no warnings", values)


def loop_diagnosis(name: str, durations_us: Sequence[float], **values: float) -> Diagnosis:
    """Loop times since the last report: median and 99th percentile, us, and further numbers."""
    p50, p99 = np.percentile(durations_us, [50, 99]) if len(durations_us) else (np.nan, np.nan)
    numbers = {"loop_us_p50": p50, "loop_us_p99": p99, **values}
    text = f"median {p50:.0f} us, 99 % within {p99:.0f} us"
    return Diagnosis(name, Level.OK, text, {key: f"{value:.6g}" for key, value in numbers.items()})
