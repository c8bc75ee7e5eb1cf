# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensors and joints that are not as the others: settings of a scenario's disturbance."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from boa_description.robot import Block, NewtonMetre, Second


class SensorFault(Block):
    """One sensor that does not tell what it should.

    `silent`: it does not answer; `zero`: it answers 0, whatever happens; `frozen`: its last value;
    `offset`: so much more on every axis in the plane.
    """

    sensor: Literal["encoder", "joint_force", "imu"] = Field(description="which kind fails")
    number: int = Field(ge=1, description="of the joint, or of the link of an IMU, from 1")
    kind: Literal["offset", "silent", "zero", "frozen"] = Field(
        description="so much more; no answer; always 0; always its last value"
    )
    offset: float = Field(
        default=0.0, description="rad of an encoder, N of a force sensor, m/s2 of an accelerometer"
    )
    time: Second = Field(default=0.0, ge=0, description="of the run, from which on it is so")

    @model_validator(mode="after")
    def _possible(self) -> SensorFault:
        if (self.kind == "offset") != (self.offset != 0.0):
            raise ValueError("kind: offset and an offset other than 0 go together")
        if self.sensor == "encoder" and self.kind == "silent":
            raise ValueError("a silent encoder is a lost servo, a fault of the plant; take frozen")
        return self


class StiffJoint(Block):
    """One joint with more dry friction than the others."""

    joint: int = Field(default=1, ge=1, description="from 1")
    torque: NewtonMetre = Field(default=0.0, ge=0, description="of its extra dry friction")
