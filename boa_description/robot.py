# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Frozen description of a robot, which every other part reads.

All values are SI: m, kg, s, rad, N, N m, A, degC. Links are numbered from the tail (1) to the head
(n); joint i joins link i and link i + 1; its angle phi_i = theta_{i+1} - theta_i is positive
counter-clockwise.
"""

from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from boa_description import frames
from boa_description.errors import BoaError
from boa_description.units import Unit

Metre = Annotated[float, Unit("m")]
Kilogram = Annotated[float, Unit("kg")]
KilogramMetre2 = Annotated[float, Unit("kg m2")]
Second = Annotated[float, Unit("s")]
Hertz = Annotated[float, Unit("Hz")]
Radian = Annotated[float, Unit("rad")]
RadianPerSecond = Annotated[float, Unit("rad/s")]
NewtonMetre = Annotated[float, Unit("N m")]
NewtonMetrePerSecond = Annotated[float, Unit("N m/s")]
NewtonMetreSecond = Annotated[float, Unit("N m s")]
Newton = Annotated[float, Unit("N")]
Ampere = Annotated[float, Unit("A")]
Volt = Annotated[float, Unit("V")]
NewtonMetrePerAmpere = Annotated[float, Unit("N m/A")]
Celsius = Annotated[float, Unit("degC")]
MetrePerSecond2 = Annotated[float, Unit("m/s2")]
Ratio = Annotated[float, Unit("1")]


class Block(BaseModel):
    """A frozen block of parameters; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Link(Block):
    """One link: a capsule whose spine runs from joint axis to joint axis.

    Neighbouring capsules share their end sphere, so a contact passes a joint without a step. An
    `inset` gives each its own: a floor then knows which of the two it carries.
    """

    pitch: Metre = Field(gt=0, le=2, description="distance between neighbouring joint axes")
    radius: Metre = Field(
        gt=0, le=1, description="radius of the capsule; envelope = pitch + 2 radius"
    )
    track: Metre = Field(
        default=0.0,
        ge=0,
        le=1,
        description="half distance of the two capsules that lie side by side, of robots in space; "
        "0: one, a round link",
    )
    inset: Metre = Field(
        default=0.0,
        ge=0,
        le=1,
        description="by which the spines of capsules end before joint axes, of robots in space; "
        "0: neighbours share their end sphere",
    )
    mass: Kilogram = Field(
        gt=0, le=100, description="of one link, its centre half way between its joint axes"
    )
    inertia: KilogramMetre2 | None = Field(
        default=None,
        gt=0,
        description="about the vertical axis through the centre; None: box formula",
    )

    @property
    def envelope(self) -> float:
        """Length of one link from cap to cap, m."""
        return self.pitch + 2 * self.radius

    @property
    def yaw_inertia(self) -> float:
        """Moment of inertia about the vertical axis through the link centre, kg m2.

        Where the description gives none: that of a box, m ((l + 2 w)^2 + (2 w)^2) / 12.
        """
        if self.inertia is not None:
            return self.inertia
        return self.mass * (self.envelope**2 + (2 * self.radius) ** 2) / 12

    @property
    def principal_inertia(self) -> tuple[float, float, float]:
        """Moments about the link's own x, y and z axis through its centre, kg m2.

        The box formula's for x; y as z, because the link is as high as it is wide. Only z matters
        in the plane.
        """
        roll = self.mass * 2 * (2 * self.radius) ** 2 / 12
        return min(roll, self.yaw_inertia), self.yaw_inertia, self.yaw_inertia


class Joint(Block):
    """Axes and limits of every joint (the limits are the same for all joints of a robot)."""

    axes: Literal["yaw", "alternating"] = Field(
        default="yaw",
        description="yaw: all joints turn about the vertical; alternating: joint 1, 3, .. about "
        "the vertical, joint 2, 4, .. about the axis to the left (pitch)",
    )
    first: Literal["yaw", "pitch"] = Field(
        default="yaw", description="of alternating axes: that of joint 1"
    )
    lower: Radian = Field(ge=-3.2, le=0, description="mechanical stop to the right")
    upper: Radian = Field(ge=0, le=3.2, description="mechanical stop to the left")

    @model_validator(mode="after")
    def _first_of_two(self) -> Self:
        if self.first == "pitch" and self.axes == "yaw":
            raise ValueError("first: pitch is for axes: alternating; leave it out, or set those")
        return self


COULOMB = "coulomb"  # the gearbox whose dry friction is `actuator.coulomb`, whatever the load


class GearboxData(Block):
    """The gearbox of every servo."""

    model: str = Field(
        default=COULOMB,
        description="coulomb, a shipped gearbox, or a YAML file beside the robot's",
    )
    backlash: Radian = Field(
        default=0.0, ge=0, le=0.2, description="way from one flank to the other, at the joint"
    )


class Actuator(Block):
    """One servo, as a torque source with a straight torque-speed line."""

    torque_limit: NewtonMetre = Field(
        gt=0, description="stall torque: the most the motor can ever give"
    )
    speed_limit: RadianPerSecond = Field(
        gt=0, description="no-load speed: torque reaches zero here"
    )
    armature: KilogramMetre2 = Field(ge=0, description="rotor inertia seen at the joint")
    damping: NewtonMetreSecond = Field(ge=0, description="viscous friction")
    coulomb: NewtonMetre = Field(ge=0, description="dry friction of the gearbox `coulomb`")
    gearbox: GearboxData = GearboxData()
    torque_constant: NewtonMetrePerAmpere = Field(
        gt=0, description="torque at the joint per current of the motor"
    )
    current_limit: Ampere = Field(gt=0, description="the most that the servo is allowed")
    current_quantum: Ampere = Field(gt=0, description="one count of Goal and Present Current")
    current_lag: Second = Field(
        default=0.0, ge=0, le=0.1, description="time constant of the current loop"
    )
    thermal_resistance: Annotated[float, Unit("K/W")] = Field(
        gt=0, description="final rise of temperature per loss in the winding"
    )
    thermal_time_constant: Second = Field(gt=0, description="in which 63 % of it is reached")
    winding_resistance: Annotated[float, Unit("ohm")] = Field(
        gt=0, description="loss is this times current squared"
    )


class Encoder(Block):
    """Joint position and velocity as the servo reports them."""

    position_quantum: Radian = Field(gt=0, description="one count")
    velocity_quantum: RadianPerSecond = Field(gt=0, description="one count")


class ForceSensor(Block):
    """Three-axis force sensor in every joint (K3D40)."""

    range: Newton = Field(gt=0, description="largest force on one axis; readings end here")
    noise: Newton = Field(ge=0, description="standard deviation per axis and sample")
    quantum: Newton = Field(ge=0, description="one count")
    crosstalk: Ratio = Field(ge=0, le=0.2, description="share of one axis seen on another")
    drift_rate: Annotated[float, Unit("N/sqrt(s)")] = Field(
        ge=0, description="random walk of the zero: standard deviation after a second"
    )
    rate: Hertz = Field(gt=0, description="samples per second")
    latency: Second = Field(
        ge=0, description="from the SYNC of a sample to its arrival at the host"
    )


class Imu(Block):
    """Inertial sensor in every link (BNO055 in IMUPLUS mode); yaw is relative to the start."""

    acceleration_noise: MetrePerSecond2 = Field(
        ge=0, description="standard deviation per axis and sample"
    )
    acceleration_quantum: MetrePerSecond2 = Field(ge=0, description="one count")
    rate_noise: RadianPerSecond = Field(
        ge=0, description="standard deviation of the yaw rate per sample"
    )
    rate_quantum: RadianPerSecond = Field(ge=0, description="one count of the yaw rate")
    yaw_quantum: Radian = Field(ge=0, description="one count of the heading")
    yaw_drift_rate: Annotated[float, Unit("rad/sqrt(s)")] = Field(
        ge=0, description="random walk of the heading: standard deviation after a second"
    )
    rate: Hertz = Field(gt=0, description="samples per second")
    latency: Second = Field(
        ge=0, description="from the SYNC of a sample to its arrival at the host"
    )


class Limits(Block):
    """Limits of the torque gate (boa_control.safety.gate), never above what hardware survives."""

    torque: NewtonMetre = Field(gt=0, description="largest of a joint")
    torque_rate: NewtonMetrePerSecond = Field(gt=0, description="fastest rise of a torque")
    joint_margin: Radian = Field(
        ge=0, description="soft stop: distance to the joint limit where torque fades"
    )
    velocity: RadianPerSecond = Field(gt=0, description="fastest joint")
    joint_force_warn: Newton = Field(gt=0, description="joint force that is reported")
    joint_force_fault: Newton = Field(gt=0, description="joint force that latches a fault")
    temperature_warn: Celsius = Field(gt=0, description="of a servo, that is reported")
    temperature_fault: Celsius = Field(gt=0, description="of a servo, that latches a fault")
    command_age: Second = Field(gt=0, description="oldest command that may still be applied")
    sensor_age: Second = Field(gt=0, description="oldest joint sample that may still be acted on")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.joint_force_warn > self.joint_force_fault:
            raise ValueError("joint_force_warn must not exceed joint_force_fault")
        if self.temperature_warn > self.temperature_fault:
            raise ValueError("temperature_warn must not exceed temperature_fault")
        return self


class Robot(Block):
    """A snake robot with equal links, planar unless `joint.axes` says otherwise. `sources` says
    where each value comes from.

    With `mount: fixed` link 1 is bolted to the world and the rest is an arm: n links are n - 1
    moving rods.
    """

    name: str = Field(description="short name, in results and logs")
    summary: str = Field(description="one line for lists")
    mount: Literal["floating", "fixed"] = Field(
        default="floating", description="fixed: link 1 is bolted to the world, the rest is an arm"
    )
    links: int = Field(ge=2, le=100, description="one joint fewer than links")
    link: Link
    joint: Joint
    actuator: Actuator
    encoder: Encoder
    force_sensor: ForceSensor
    imu: Imu
    limits: Limits
    frame_prefix: str = Field(
        default="",
        pattern=r"^([A-Za-z_][A-Za-z0-9_./-]*)?$",
        description="before the robot's frames in messages, e.g. left/; usually given at launch",
    )
    sources: dict[str, str] = Field(
        default_factory=dict, description="of all values; made when the file is read"
    )

    @model_validator(mode="after")
    def _within_hardware(self) -> Self:
        """The gate's limits stay within what servo, sensor and joint can do."""
        limits = self.limits
        if limits.torque > self.actuator.torque_limit:
            raise ValueError(
                f"limits.torque {limits.torque:g} N m exceeds actuator.torque_limit "
                f"{self.actuator.torque_limit:g} N m"
            )
        if limits.joint_force_fault > self.force_sensor.range:
            raise ValueError(
                f"limits.joint_force_fault {limits.joint_force_fault:g} N exceeds "
                f"force_sensor.range {self.force_sensor.range:g} N"
            )
        if self.link.inset > 0 and self.planar:
            raise ValueError(
                f"link.inset {self.link.inset:g} m: contacts in the plane pass joints on the end "
                "sphere that neighbours share; leave it out, or set joint.axes: alternating"
            )
        if self.link.track > 0 and self.planar:
            raise ValueError(
                f"link.track {self.link.track:g} m: contacts in the plane are those of one capsule "
                "on the axis; leave it out, or set joint.axes: alternating"
            )
        if self.mount == "fixed" and not self.planar:
            raise ValueError(
                "mount: fixed is for arms in the plane; set joint.axes: yaw, or mount: floating"
            )
        if 2 * self.link.inset >= self.link.pitch:
            raise ValueError(
                f"link.inset {self.link.inset:g} m leaves nothing of link.pitch "
                f"{self.link.pitch:g} m; it must be less than half of it"
            )
        if 2 * limits.joint_margin >= self.joint.upper - self.joint.lower:
            raise ValueError(
                f"limits.joint_margin {limits.joint_margin:g} rad leaves no free joint range"
            )
        return self

    def with_gearbox(self, model: str) -> Self:
        """The same robot with another `actuator.gearbox.model`."""
        gearbox = self.actuator.gearbox.model_copy(update={"model": model})
        actuator = self.actuator.model_copy(update={"gearbox": gearbox})
        return self.model_copy(update={"actuator": actuator})

    @property
    def joints(self) -> int:
        """Number of joints, links - 1."""
        return self.links - 1

    @property
    def planar(self) -> bool:
        """Whether all joints turn about the vertical, so that the chain stays in the plane."""
        return self.joint.axes == "yaw"

    @property
    def joint_axes(self) -> tuple[tuple[float, float, float], ...]:
        """Axis of every joint in the frame of the link behind it (x to the head, y left, z up)."""
        vertical, left = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
        return tuple(
            left if index in self.pitch_joints else vertical for index in range(self.joints)
        )

    @property
    def pitch_joints(self) -> tuple[int, ...]:
        """Indices of the joints that turn about the axis to the left; positive lowers the head."""
        if self.planar:
            return ()
        return tuple(range(0 if self.joint.first == "pitch" else 1, self.joints, 2))

    def beyond_stops(self, joints: Iterable[float]) -> tuple[str, float] | None:
        """The first joint whose angle, of all rad, lies beyond its stops, with that; None: none."""
        lower, upper = self.joint.lower, self.joint.upper
        named = zip(self.joint_names, joints, strict=True)
        return next(((name, q) for name, q in named if not lower <= q <= upper), None)

    def spine(self, link: int) -> tuple[float, float]:
        """Where the spine of a link's capsules begins and ends along the link, from its tail-side
        axis, m. The robot's own two ends have no inset.
        """
        inset, pitch = self.link.inset, self.link.pitch
        return (
            inset if link > 0 else 0.0,
            pitch - inset if link < self.links - 1 else pitch,
        )

    @property
    def link_names(self) -> tuple[str, ...]:
        """`link_01` (tail) to `link_<n>` (head)."""
        return tuple(f"link_{i:02d}" for i in range(1, self.links + 1))

    @property
    def joint_names(self) -> tuple[str, ...]:
        """`joint_01` (between link 1 and 2) to `joint_<n-1>`."""
        return tuple(f"joint_{i:02d}" for i in range(1, self.links))

    def frame(self, name: str) -> str:
        """A frame of `boa_description.frames` or a link as messages call it; models and URDF know
        no prefix, nor do the names of joints.
        """
        return frames.prefixed(self.frame_prefix, name)

    @property
    def length(self) -> float:
        """Total length from tail cap to head cap when straight, m."""
        return self.links * self.link.pitch + 2 * self.link.radius

    @property
    def mass(self) -> float:
        """Total mass, kg."""
        return self.links * self.link.mass


def require_planar(robot: Robot, what: str) -> None:
    """Refuse a robot that leaves the plane.

    Args:
        what: the part that works in the plane only, as the subject of a sentence.

    Raises:
        BoaError: `joint.axes` is not yaw.
    """
    if not robot.planar:
        raise BoaError(
            f"robot {robot.name}: joint.axes is {robot.joint.axes}, {what} works in the plane; "
            f"set joint.axes: yaw"
        )
