# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings of the CAN spine: what the Spine Protocol leaves open, and how the bus is run.

The protocol's public description leaves byte order and several units open (they are still to be
added); everything it does not state is a key here, so that a firmware that decided otherwise needs
a YAML file and no code.
"""

import math
from typing import Literal, Self

from pydantic import Field, model_validator

from boa_description.robot import Ampere, Block, Hertz, NewtonMetre, Radian, RadianPerSecond, Second
from boa_hardware.sensors.wire import ForceWire, ImuWire, Sign

SHORTEST_LISTENING = 0.1  # s; other programs drive the bus, too, at rates of their own


class ServoWire(Block):
    """How link boards send SENSOR LINK SERVO and take SET JOINT TORQUE (topology of the 2022 Boa).

    The defaults are those of the RMD-X6 servo's own protocol and are unverified on the Spine.
    """

    current_per_count: Ampere = Field(default=33 / 2048, gt=0)
    velocity_per_count: RadianPerSecond = Field(default=math.radians(1), gt=0)
    angle_per_count: Radian = Field(default=2 * math.pi / 65536, gt=0)
    angle_zero: int = Field(default=32768, ge=0, le=65535, description="count at joint angle zero")
    sign: Sign = Field(default=1, description="-1 if the servo turns against the joint angle")
    torque_per_count: NewtonMetre = Field(default=1e-3, gt=0, description="SET JOINT TORQUE")


class Restart(Block):
    """When and how often the bus is restarted after bus-off, a lost adapter or a stuck
    error-passive state.
    """

    first: Second = Field(
        default=0.1, gt=0, description="wait before the first attempt; doubles each time"
    )
    longest: Second = Field(default=2.0, gt=0)
    passive_after: Second = Field(
        default=1.0, gt=0, description="error-passive for this long counts as stuck"
    )
    silent_after: int = Field(
        default=10, ge=1, description="SYNCs in a row without any answer: restart"
    )


class SpineSettings(Block):
    """The spine of one robot."""

    channel: str = Field(
        default="socketcan:can0", description="back-end:channel[@bit rate], see docs/spine.md"
    )
    byte_order: Literal["little", "big"] = Field(
        default="little", description="of all numbers in payloads"
    )
    sensor_rate: Hertz = Field(
        default=100.0,
        gt=0,
        le=1000,
        description="of SYNC SENSOR; 39 frames take 4.4 to 5.3 ms, 150 Hz is the most with margin",
    )
    deadline: Second = Field(
        default=0.0095, gt=0, description="after the SYNC; until then every link is waited for"
    )
    patience: Second = Field(
        default=0.030,
        gt=0,
        description="until then only links that are alive; what is missing then is NaN",
    )
    sensor_age: Second = Field(
        default=0.030, gt=0, description="no answer for longer: the link is reported as stale"
    )
    fault_age: Second = Field(
        default=0.25, gt=0, description="no answer for longer: a fault that stops the robot"
    )
    panic_repeats: int = Field(
        default=3, ge=1, le=20, description="a PANIC is sent this often, one per SYNC"
    )
    servo_frames: bool = Field(
        default=False, description="boards answer with SENSOR LINK SERVO too (2022 Boa)"
    )
    fd_frame: bool = Field(
        default=False, description="one CAN FD frame per link instead of single frames"
    )
    force_board: Literal["head_side", "tail_side"] = Field(
        default="head_side",
        description="board that reads joint i's force sensor: link i + 1 or link i",
    )
    servo_board: Literal["head_side", "tail_side"] = Field(
        default="head_side", description="board that drives joint i's servo, likewise"
    )
    imu: ImuWire = ImuWire()
    force: ForceWire = ForceWire()
    servo: ServoWire = ServoWire()
    restart: Restart = Restart()

    @property
    def listening(self) -> float:
        """For how long to listen, s, before the bus counts as free: two of the longest pauses that
        a Brain with these settings makes between its SYNCs, 0.1 s at least.
        """
        return max(SHORTEST_LISTENING, 2.0 * max(1.0 / self.sensor_rate, self.patience))

    @model_validator(mode="after")
    def _deadline_in_period(self) -> Self:
        if self.deadline * self.sensor_rate > 1:
            raise ValueError(
                f"deadline {self.deadline} s is longer than one sensor period of "
                f"{1 / self.sensor_rate:.4f} s; lower the deadline or the sensor_rate"
            )
        return self
