# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The calibration record of one robot: what `boa commission` has measured, step by step, with the
hardware that it belongs to. Its values win over those of the wiring (`config/robot.yaml`).
"""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Self

from pydantic import Field

from boa_description.errors import BoaError
from boa_description.robot import Block, NewtonMetre, NewtonMetreSecond, Radian, Robot
from boa_hardware.block_file import load_block, save_block
from boa_hardware.sensors.k3d40 import Calibration
from boa_hardware.servo.link import Identity
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint

UNSEALED = "unsealed"
REQUIRED_STEPS = ("buses", "imus", "joints", "straight", "forces", "torques", "friction", "dry_run")


class ServoIdentity(Block):
    """What a servo tells of itself; it has no serial number."""

    id: int
    model: int
    firmware: int

    @classmethod
    def of(cls, identity: Identity) -> Self:
        """Of its answer to a ping."""
        return cls(id=identity.id, model=identity.model, firmware=identity.firmware)

    def __str__(self) -> str:
        return f"servo {self.id} (model {self.model}, firmware {self.firmware})"


class SeenRange(Block):
    """The angles that a joint was seen at, rad."""

    lower: Radian
    upper: Radian


class Done(Block):
    """A step that is done."""

    date: datetime
    operator: str
    found: tuple[str, ...] = Field(default=(), description="what it found, one line each")


class JointFriction(Block):
    """What a joint's motor loses without load, with its standard deviation."""

    coulomb: NewtonMetre
    viscous: NewtonMetreSecond
    std: NewtonMetre = Field(gt=0, description="of coulomb")


class CalibrationRecord(Block):
    """Everything that has been measured of one robot. Values of joints are from tail to head."""

    version: Literal[1] = 1
    robot: str
    servos: tuple[ServoIdentity, ...] = Field(default=(), description="by ID")
    boards: tuple[int, ...] = Field(default=(), description="links whose boards answered")
    joints: tuple[ServoJoint, ...]
    ranges: tuple[SeenRange, ...] = ()
    forces: tuple[Calibration, ...] = Field(
        default=(), description="per joint; offset is the zero at the tare"
    )
    friction: tuple[JointFriction, ...] = ()
    steps: dict[str, Done] = Field(default={}, description="that are done, in their order")
    hash: str = Field(default=UNSEALED, description="of everything else, SHA-256")

    def digest(self) -> str:
        """Hash of everything but `hash`."""
        content = self.model_dump(mode="json", exclude={"hash"})
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def missing(self, required: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the required steps that are not done."""
        return tuple(name for name in required if name not in self.steps)

    def with_step(self, name: str, operator: str, found: tuple[str, ...]) -> Self:
        """With one more step done now."""
        done = Done(
            date=datetime.now(tz=UTC).replace(microsecond=0), operator=operator, found=found
        )
        return self.model_copy(update={"steps": {**self.steps, name: done}})

    def bus(self, servos: ServoBusSettings) -> ServoBusSettings:
        """The settings of the servo bus with the joints of the record."""
        return servos.model_copy(update={"joints": self.joints})


def begun(robot: Robot, servos: ServoBusSettings) -> CalibrationRecord:
    """A record without any step: the joints as the wiring says."""
    return CalibrationRecord(robot=robot.name, joints=servos.joints)


def load_record(path: str | Path, robot: Robot) -> CalibrationRecord:
    """Read a record.

    Raises:
        BoaError: it cannot be read, is of another robot, or was changed after it was written.
    """
    record = load_block(CalibrationRecord, path)
    if record.robot != robot.name or len(record.joints) != robot.joints:
        raise BoaError(
            f"{path}: the record is of {record.robot} with {len(record.joints)} joints, the robot "
            f"is {robot.name} with {robot.joints}; give its own"
        )
    if record.digest() != record.hash:
        raise BoaError(
            f"{path}: the record was changed after it was written (its hash differs); measure "
            "again with `boa commission`"
        )
    return record


def save_record(record: CalibrationRecord, path: str | Path) -> CalibrationRecord:
    """Write a record with its hash; the file is replaced at once. Returns what was written."""
    sealed = record.model_copy(update={"hash": record.digest()})
    save_block(sealed, path)
    return sealed


def differences(old: CalibrationRecord, new: CalibrationRecord) -> list[str]:
    """What differs between two records, one line each: name, value then, value now."""
    return [
        f"{name}: {before} -> {after}"
        for name, before, after in _values(old, new)
        if before != after
    ]


def _values(old: CalibrationRecord, new: CalibrationRecord) -> list[tuple[str, str, str]]:
    rows: list[tuple[str, str, str]] = [("boards", str(old.boards), str(new.boards))]
    for joint, (before, after) in enumerate(zip(old.joints, new.joints, strict=True), start=1):
        rows += [
            (f"joint_{joint:02d} {name}", shown(before), shown(after)) for name, shown in _SHOWN
        ]
    for then, now in zip(old.servos, new.servos, strict=False):
        rows.append((f"servo {then.id}", str(then), str(now)))
    for joint, (was, is_) in enumerate(zip(old.forces, new.forces, strict=False), start=1):
        rows += [
            (f"joint_{joint:02d} force sensor", was.serial, is_.serial),
            (f"joint_{joint:02d} force gains, N/(mV/V)", _gains(was), _gains(is_)),
        ]
    for joint, (lost, loses) in enumerate(zip(old.friction, new.friction, strict=False), start=1):
        values = (f"{lost.coulomb:.2f}", f"{loses.coulomb:.2f}")
        rows.append((f"joint_{joint:02d} dry friction, N m", *values))
    return rows


_SHOWN: tuple[tuple[str, Callable[[ServoJoint], str]], ...] = (
    ("servo ID", lambda joint: str(joint.id)),
    ("direction", lambda joint: f"{joint.direction:+d}"),
    ("zero, rad", lambda joint: f"{joint.zero:.3f}"),
    ("torque constant, N m/A", lambda joint: f"{joint.torque.constant:.3f}"),
)


def _gains(calibration: Calibration) -> str:
    return " ".join(f"{calibration.matrix[axis][axis]:.1f}" for axis in (0, 1))
