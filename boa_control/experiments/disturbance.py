# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What differs from the nominal experiment and the controller is not told: its settings."""

from typing import Literal, Self

from pydantic import Field, model_validator

from boa_control.experiments.wrong_map import MissingPosts, MovedPosts, UnmappedPosts
from boa_description.robot import Block, Metre, NewtonMetre, Radian, Ratio, Second


class FloorTilt(Block):
    """How far the floor is tilted, posts and all, and in which direction it falls."""

    angle: Radian = Field(default=0.0, ge=0, le=0.5, description="of the floor to the level")
    direction: Radian | None = Field(
        default=None, description="downhill, in the map; None: drawn from the seed"
    )


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
    def _possible(self) -> Self:
        if (self.kind == "offset") != (self.offset != 0.0):
            raise ValueError("kind: offset and an offset other than 0 go together")
        if self.sensor == "encoder" and self.kind == "silent":
            raise ValueError("a silent encoder is a lost servo, a fault of the plant; take frozen")
        return self


class StiffJoint(Block):
    """One joint with more dry friction than the others."""

    joint: int = Field(default=1, ge=1, description="from 1")
    torque: NewtonMetre = Field(default=0.0, ge=0, description="of its extra dry friction")


class Disturbance(Block):
    """Differences from the nominal experiment that the controller is not told. Random parts are
    drawn from the run's seed.
    """

    obstacle_offset: Metre = Field(
        default=0.0, ge=0, le=0.5, description="every post moved by this, random direction"
    )
    missing: MissingPosts = Field(default=MissingPosts(), description="posts only on the map")
    moved: MovedPosts = Field(default=MovedPosts(), description="posts that stand elsewhere")
    unmapped: UnmappedPosts = Field(default=UnmappedPosts(), description="posts on no map")
    floor_tilt: FloorTilt = Field(default=FloorTilt(), description="the floor is not level")
    post_radius_error: Metre = Field(
        default=0.0, ge=-0.04, le=0.1, description="by which every round post is thicker"
    )
    sensor_faults: tuple[SensorFault, ...] = Field(
        default=(), description="single sensors that fail"
    )
    stiff_joint: StiffJoint = Field(
        default=StiffJoint(), description="one joint has more dry friction"
    )
    initial_head_error: Metre = Field(
        default=0.0, ge=0, le=0.5, description="the start pose is wrong, the head by at most this"
    )
    sensor_noise: Ratio = Field(
        default=0.0, ge=0, le=1, description="white noise, share of each signal's rms"
    )
    sensor_delay_ticks: int = Field(
        default=0, ge=0, le=20, description="everything measured is so old; stamps do not show it"
    )
    stiction: NewtonMetre = Field(
        default=0.0, ge=0, description="extra dry friction in every joint"
    )
    extra_damping: float = Field(
        default=0.0, ge=0, description="extra viscous joint friction, N m s"
    )
    mass_error: Ratio = Field(
        default=0.0, ge=0, le=0.5, description="mass and inertia of every link off by up to this"
    )
    friction_error: Ratio = Field(
        default=0.0, ge=0, le=0.5, description="of contacts with obstacles or a solid floor"
    )
    torque_error: Ratio = Field(default=0.0, ge=0, le=0.5, description="of every joint's servo")
    ground_friction_error: float = Field(
        default=0.0,
        ge=-1,
        le=1,
        description="the controller is told 1 + this times the floor's friction",
    )
    contact_friction_error: float = Field(
        default=0.0,
        ge=-1,
        le=1,
        description="the controller is told 1 + this times the friction of the obstacles",
    )
    unknown_start: bool = Field(
        default=False, description="the controller is not told where it starts"
    )
