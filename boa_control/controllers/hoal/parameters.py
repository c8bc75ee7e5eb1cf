# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the controller `hoal`."""

from typing import Annotated, Literal

from pydantic import Field

from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_description.robot import Block, Metre, Newton, Radian, Ratio, Second


class StartSettings(Block):
    """When the start on the path is not known: how sure the controller must be of where it found
    itself.
    """

    tolerance: Radian = Field(
        default=0.03,
        gt=0,
        description="expected error of a joint angle on the path: sensors, posts off their places",
    )
    confidence: Ratio = Field(
        default=0.99, gt=0, lt=1, description="least probability of the place"
    )
    samples: int = Field(default=25, ge=1, description="in a row that must agree")
    heading: Radian | None = Field(
        default=None,
        description="of link 1 in the map when the IMUs were zeroed; makes their headings a hint",
    )
    heading_std: Radian = Field(default=0.1, gt=0, description="error of that hint")


OfJoints = float | tuple[float, ...]
Std = Annotated[float, Field(gt=0)]
StdOfJoints = Std | tuple[Std, ...]


class TransmissionSettings(Block):
    """What is believed of the gearboxes before they are measured, see `GearboxLosses`: of drive,
    back (1) and base (N m) one number for all joints, or one of each.
    """

    loop: Ratio = Field(
        default=0.3,
        ge=0,
        le=1,
        description="rate of the inner loop times the age of its samples; 0: no loop",
    )
    prior: tuple[OfJoints, OfJoints, OfJoints] | None = Field(
        default=None, description="drive, back (1) and base (N m); None: as briefed"
    )
    doubt: tuple[StdOfJoints, StdOfJoints, StdOfJoints] = Field(
        default=(0.1, 0.25, 0.1), description="their standard deviations"
    )


class Parameters(Block):
    """Parameters that a scenario may set; docs/mathematics.md explains the gains."""

    speed: float = Field(
        default=0.1, ge=0, le=2, description="along the path, m/s; with a profile its upper limit"
    )
    profile: Ratio = Field(
        default=0.0,
        ge=0,
        le=1,
        description="share of the fastest speed profile of the path; 0: constant speed",
    )
    acceleration: float = Field(default=0.1, gt=0, description="of the desired speed, m/s2")
    speed_gain: float = Field(default=5.0, ge=0, description="k_v, 1/s")
    speed_integral: float = Field(default=10.0, ge=0, description="k_vi, 1/s2")
    integral_space: Literal["joint", "path"] = Field(
        default="joint",
        description="joint: the unknown resistance sits in the joints (damping, stiction); "
        "path: it is the floor's",
    )
    stiffness: float = Field(default=400.0, ge=0, description="K_p of the shape error, 1/s2")
    damping: float = Field(default=40.0, ge=0, description="K_d of the shape error, 1/s")
    force: Newton = Field(default=5.0, ge=0, description="f_0, desired contact force")
    force_floor: Newton = Field(default=1.0, ge=0, description="least contact force")
    floor_share: Ratio = Field(
        default=1.0,
        gt=0,
        le=1,
        description="share of force_floor below which no contact falls even when the shape is "
        "corrected; a contact at this limit answers no error",
    )
    correction: Newton = Field(
        default=10.0,
        gt=0,
        description="most that a contact carries above its balanced force, to correct shape and "
        "speed",
    )
    contact_damping: float = Field(
        default=50.0, ge=0, description="of gaps that open or close, 1/s"
    )
    contact_ramp: Metre = Field(
        default=0.03, gt=0, description="path over which a contact is taken on or released"
    )
    torque_share: Ratio = Field(
        default=0.98, gt=0, le=1, description="share of the torque limit that is used"
    )
    joint_force: Newton | None = Field(
        default=None, gt=0, description="limit of joint constraint forces"
    )
    identify_friction: bool = Field(
        default=True, description="of the floor, from the joint forces while moving"
    )
    map_error: Metre = Field(
        default=0.0,
        ge=0,
        le=0.1,
        description="expected offset of the posts from the map; above 0 the map is corrected",
    )
    entry_speed: float | None = Field(
        default=None,
        gt=0,
        description="at most, m/s, while the nose meets a post; None: as surely as its place is "
        "known; only where the map is corrected",
    )
    blind_speed: float | None = Field(
        default=None,
        gt=0,
        le=2,
        description="at most, m/s, where the body has not been yet; None: the map has all posts",
    )
    observer_bandwidth: float | None = Field(
        default=None,
        gt=0,
        description="of the progress observer, rad/s; None takes every sample at full weight",
    )
    error_filter: Second = Field(
        default=0.0, ge=0, description="time constant of the low-pass on the shape error"
    )
    transmission: TransmissionSettings = TransmissionSettings()
    start: StartSettings = StartSettings()
    tuning: Tuning = Field(default=SHIPPED, description="constants that are replaced, room by room")
