# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the servos of a robot are wired and calibrated; one YAML file, SI units."""

import math
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from boa_description.errors import BoaError
from boa_description.robot import Ampere, Block, Celsius, Radian, Robot, Second, Volt
from boa_hardware.block_file import load_block
from boa_hardware.servo.protocol import MAX_ID
from boa_hardware.servo.registers import BAUD_RATES, CURRENT, WATCHDOG_TICK
from boa_hardware.servo.torque import TorqueModel

DEFAULT_BAUD = 3_000_000
STALL_CURRENT = 2.4  # A, e-manual; the register's default of 3.2 A lies above it


class ServoJoint(Block):
    """One servo and the joint it moves: phi = direction (servo angle - zero)."""

    id: int = Field(ge=0, le=MAX_ID)
    direction: Literal[1, -1] = Field(
        default=1, description="joint angle = direction (servo angle - zero)"
    )
    zero: Radian = Field(
        default=math.pi, description="servo angle at joint angle 0; pi is the middle of the range"
    )
    torque: TorqueModel = TorqueModel()


class ServoBusSettings(Block):
    """One RS-485 bus; `joints` from tail to head."""

    joints: tuple[ServoJoint, ...] = Field(min_length=1, max_length=100)
    baud: int = DEFAULT_BAUD
    reply_margin: Second = Field(
        default=0.003, gt=0, le=1, description="cyclic reply deadline = wire time + this"
    )
    watchdog: Second = Field(
        default=0.1,
        ge=WATCHDOG_TICK,
        le=127 * WATCHDOG_TICK,
        description="Bus Watchdog, in steps of 20 ms",
    )
    current_limit: Ampere = Field(
        default=STALL_CURRENT, gt=0, le=1_188 * CURRENT, description="0.8 A for a first day"
    )
    temperature_limit: Celsius = Field(
        default=80.0, gt=0, le=100, description="at which a servo shuts down"
    )
    lowest_voltage: Volt = Field(default=11.0, ge=11.0, le=30.0)
    highest_voltage: Volt = Field(
        default=30.0, ge=11.0, le=30.0, description="outside of both a servo shuts down"
    )
    warn_voltage: Volt = Field(
        default=20.0,
        ge=11.0,
        le=30.0,
        description="a lower supply is a warning: no-load speed 5.2 rad/s",
    )
    miss_limit: int = Field(
        default=6, ge=1, le=100, description="consecutive missed replies that make a fault"
    )
    silence: Second = Field(
        default=0.05, gt=0, le=1, description="so do three of them if they last longer"
    )

    @field_validator("baud")
    @classmethod
    def _known_baud(cls, baud: int) -> int:
        if baud not in BAUD_RATES.values():
            raise ValueError(f"must be one of {', '.join(map(str, BAUD_RATES.values()))}")
        return baud

    @model_validator(mode="after")
    def _unique_ids(self) -> Self:
        if len(set(self.ids)) != len(self.ids):
            raise ValueError(f"every servo needs its own id, got {list(self.ids)}")
        return self

    @model_validator(mode="after")
    def _ordered_voltages(self) -> Self:
        if self.lowest_voltage >= self.highest_voltage:
            raise ValueError(
                f"lowest_voltage {self.lowest_voltage} V must be below highest_voltage "
                f"{self.highest_voltage} V"
            )
        if not self.lowest_voltage <= self.warn_voltage < self.highest_voltage:
            raise ValueError(
                f"warn_voltage {self.warn_voltage} V must be between lowest_voltage "
                f"{self.lowest_voltage} V and highest_voltage {self.highest_voltage} V"
            )
        return self

    @property
    def ids(self) -> tuple[int, ...]:
        """Servo IDs in joint order."""
        return tuple(joint.id for joint in self.joints)

    @property
    def watchdog_counts(self) -> int:
        """Value of the Bus Watchdog register."""
        return max(1, round(self.watchdog / WATCHDOG_TICK))

    @property
    def current_limit_counts(self) -> int:
        """Value of the Current Limit register."""
        return int(self.current_limit / CURRENT + 1e-9)


def default_settings(robot: Robot) -> ServoBusSettings:
    """IDs 1 to n from tail to head, nominal torque constant and current limit of the robot's
    description.
    """
    torque = TorqueModel(constant=robot.actuator.torque_constant)
    joints = tuple(ServoJoint(id=number, torque=torque) for number in range(1, robot.joints + 1))
    return ServoBusSettings(
        joints=joints, current_limit=min(robot.actuator.current_limit, STALL_CURRENT)
    )


def load_settings(path: Path, robot: Robot | None = None) -> ServoBusSettings:
    """Read a settings file, or those of the servos in a wiring (config/robot.yaml).

    Raises:
        BoaError: not there, not YAML, a wrong key or value, or not as many joints as `robot` has.
    """
    settings = load_block(ServoBusSettings, path, "servos")
    if robot is not None and len(settings.joints) != robot.joints:
        raise BoaError(
            f"{path}: {len(settings.joints)} joints, but robot {robot.name} has {robot.joints}"
        )
    return settings
