# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How link boards send their sensors: units, signs and ranges that the Spine Protocol leaves
open.
"""

import math
from typing import Literal

from pydantic import Field

from boa_description.robot import Block, MetrePerSecond2, Radian, RadianPerSecond, Volt

Sign = Literal[-1, 1]


class ImuWire(Block):
    """How link boards send SENSOR LINK IMU and ACC."""

    rate_unit: Literal["deg/s", "rad/s"] = "deg/s"
    angle_unit: Literal["deg", "rad"] = "deg"
    rate_sign: Sign = Field(default=1, description="-1 if the board's rate is positive clockwise")
    angle_sign: Sign = Field(
        default=1, description="-1 for a raw BNO055 heading, which is positive clockwise"
    )
    acceleration_signs: tuple[Sign, Sign] = Field(
        default=(1, 1), description="of x (to the head) and y (left)"
    )
    rate_range: RadianPerSecond = Field(
        default=math.radians(2000), gt=0, description="BNO055, BNO085: 2000 deg/s"
    )
    angle_range: Radian = Field(
        default=math.radians(720), gt=0, description="a larger angle is a glitch"
    )
    acceleration_range: MetrePerSecond2 = Field(
        default=4 * 9.80665, gt=0, description="BNO055 in fusion modes: 4 g"
    )


class ForceFrontEnd(Block):
    """Link Board front end of the K3D40: bridge, INA826, ADS131M04. Turns counts into mV/V."""

    excitation: Volt = Field(default=3.3, gt=0, description="bridge supply (Boa manual)")
    reference: Volt = Field(
        default=1.2, gt=0, description="ADS131M04 internal reference = full scale at gain 1"
    )
    bits: int = Field(default=24, ge=8, le=32, description="two's complement")
    gain: float = Field(
        default=100.0, gt=0, description="INA826 gain x ADC gain; not published, ask the lab"
    )

    @property
    def full_scale(self) -> int:
        """Largest count of the converter."""
        return int(2 ** (self.bits - 1) - 1)

    @property
    def mv_per_v(self) -> float:
        """Bridge output of one count, mV/V."""
        return float(1e3 * self.reference / 2 ** (self.bits - 1) / self.gain / self.excitation)


class ForceWire(Block):
    """How link boards send SENSOR LINK CFS."""

    content: Literal["counts", "force"] = Field(
        default="counts",
        description="counts of the converter, or newtons already computed on the board",
    )
    newton_per_count: float = Field(default=1e-3, gt=0, description="only for content: force")
    front_end: ForceFrontEnd = ForceFrontEnd()
