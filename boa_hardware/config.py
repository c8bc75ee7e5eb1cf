# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How one robot is wired: one YAML file (config/robot.yaml) for everything that differs from lab to
lab, SI units.
"""

import math
from pathlib import Path
from typing import Literal

from pydantic import Field

from boa_description.errors import BoaError
from boa_description.robot import Block, Hertz, Robot, Second
from boa_hardware.block_file import load_block
from boa_hardware.servo.settings import ServoBusSettings, default_settings
from boa_hardware.spine.settings import SpineSettings

Topology = Literal["rs485", "spine"]


class RobotSettings(Block):
    """Wiring, buses and rates of one robot."""

    topology: Topology = Field(
        default="rs485",
        description="rs485: servos on their own bus; spine: servos behind the link boards "
        "(2022 Boa)",
    )
    serial_port: str = Field(
        default="/dev/ttyUSB0", description="of the servo bus; unused with topology spine"
    )
    servos: ServoBusSettings | None = Field(
        default=None, description="IDs, directions, zeros, torque models; none: IDs 1 to n, nominal"
    )
    spine: SpineSettings = SpineSettings()
    force_calibrations: str | None = Field(
        default=None, description="folder with joint_01.yaml, ...; none: nominal calibrations"
    )
    calibration: str | None = Field(
        default=None,
        description="calibration record of `boa commission`; its joints and force calibrations win",
    )
    tare_file: str | None = Field(
        default=None,
        description="where ~/tare keeps the zero of the force sensors; none: until the node ends",
    )
    max_control_rate: Hertz = Field(
        default=250.0, gt=0, le=2000, description="a faster scenario is refused"
    )
    command_hold: Second = Field(
        default=0.05,
        gt=0,
        le=1,
        description="torque goes to zero when nothing is written for so long",
    )
    sample_age: Second = Field(
        default=0.1, gt=0, description="an older force or IMU sample is not handed out"
    )
    settle: Second = Field(
        default=1.0, ge=0, description="time that link boards get to answer after opening"
    )
    reconnect_first: Second = Field(
        default=0.2, gt=0, description="wait before a lost port is tried; doubles"
    )
    reconnect_longest: Second = Field(default=2.0, gt=0)
    panic_on_fault: bool = Field(
        default=True, description="send PANIC on the spine when a plant fault latches"
    )
    realtime_priority: int = Field(
        default=40, ge=0, le=90, description="SCHED_FIFO of bus threads; 0: do not request"
    )

    def servo_settings(self, robot: Robot) -> ServoBusSettings:
        """The servos' settings.

        Raises:
            BoaError: not as many joints as `robot` has; directions or zeros that link boards would
                not heed.
        """
        if self.servos is None:
            return default_settings(robot)
        if len(self.servos.joints) != robot.joints:
            raise BoaError(
                f"robot settings: servos.joints has {len(self.servos.joints)} entries, robot "
                f"{robot.name} has {robot.joints} joints; list them from tail to head"
            )
        if self.topology == "spine":
            for number, joint in enumerate(self.servos.joints, start=1):
                if joint.direction != 1 or not math.isclose(joint.zero, math.pi, abs_tol=1e-3):
                    raise BoaError(
                        f"robot settings: servos.joints, joint {number} has direction "
                        f"{joint.direction} and zero {joint.zero:g}, which link boards do not heed "
                        "(topology spine); set them in its board, or spine.servo.sign and "
                        "angle_zero for all joints"
                    )
        return self.servos

    def spine_settings(self) -> SpineSettings:
        """The spine's settings. With servos behind the link boards these answer, too, and no tick
        waits for a lost frame: a torque that is late is worse than a reading that is missing.
        """
        if self.topology == "rs485":
            return self.spine
        frames = {} if self.spine.fd_frame else {"servo_frames": True}
        return self.spine.model_copy(update={**frames, "patience": self.spine.deadline})

    def control_rate(self, requested: float) -> float:
        """The control rate, Hz, for a scenario that has `requested`.

        Raises:
            BoaError: faster than this robot's bus.
        """
        most = self.spine.sensor_rate if self.topology == "spine" else self.max_control_rate
        if requested > most:
            raise BoaError(
                f"the scenario runs at {requested:g} Hz, this robot at {most:g} Hz at most; "
                f"give the launch control_rate:={min(most, 200.0):g}, or write it into the scenario"
            )
        return requested


def load_robot_settings(path: str | Path | None) -> RobotSettings:
    """Read a settings file; None or "" gives the defaults.

    Raises:
        BoaError: missing file, wrong key or value.
    """
    return RobotSettings() if not path else load_block(RobotSettings, path)
