# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wrong wirings of the emulated robot: one YAML file with what is put together otherwise than the
settings say.

    servos: [{joint, id, reversed, turned, motor_reversed}]    IDs, horns, motor leads
    boards: [{link, id}]                                        link boards in each other's place
    imus:   [{link, upside_down, mounted}]
    forces: [{joint, read_at, scale, zero}]

Joints and links count from the tail, from 1. Two servos with one ID, or two boards, answer at once.
"""

import math
from collections.abc import Sequence

from pydantic import Field

from boa_description.errors import BoaError
from boa_description.robot import Block, Newton, Radian, Robot
from boa_hardware.emulator.link_physics import LinkPhysics, LinkReading
from boa_hardware.servo.protocol import MAX_ID
from boa_hardware.servo.settings import ServoJoint


class WiredServo(Block):
    """A servo that sits otherwise on its joint."""

    joint: int = Field(ge=1)
    id: int | None = Field(default=None, ge=0, le=MAX_ID, description="that it answers to")
    reversed: bool = Field(default=False, description="it turns the other way round")
    turned: Radian = Field(default=0.0, description="of its horn, at joint angle 0")
    motor_reversed: bool = Field(default=False, description="its motor turns against its encoder")


class WiredBoard(Block):
    """A link board that answers as another link's."""

    link: int = Field(ge=1)
    id: int = Field(ge=1)


class WiredImu(Block):
    """An IMU that sits otherwise in its link."""

    link: int = Field(ge=1)
    upside_down: bool = False
    mounted: Radian = Field(
        default=0.0, description="its x axis from the link's, about the vertical"
    )


class WiredForce(Block):
    """A force sensor with other leads."""

    joint: int = Field(ge=1)
    read_at: int | None = Field(default=None, ge=1, description="joint whose channel it is on")
    scale: float = Field(default=1.0, description="of what is read; -1: signal leads swapped")
    zero: tuple[Newton, Newton] = Field(default=(0.0, 0.0), description="without load")


class Wiring(Block):
    """Everything that is put together otherwise."""

    servos: tuple[WiredServo, ...] = ()
    boards: tuple[WiredBoard, ...] = ()
    imus: tuple[WiredImu, ...] = ()
    forces: tuple[WiredForce, ...] = ()

    def require(self, robot: Robot) -> None:
        """Raise BoaError for a joint or a link that `robot` has not."""
        joints = [servo.joint for servo in self.servos]
        joints += [number for force in self.forces for number in (force.joint, force.read_at or 1)]
        links = [imu.link for imu in self.imus]
        links += [number for board in self.boards for number in (board.link, board.id)]
        for what, given, most in (("joint", joints, robot.joints), ("link", links, robot.links)):
            if given and max(given) > most:
                raise BoaError(
                    f"wiring: {what} {max(given)}, robot {robot.name} has {what}s 1 to {most}"
                )

    def ids(self, settings: Sequence[int]) -> tuple[int, ...]:
        """ID of every joint's servo; `settings` has those that it should have."""
        given = {servo.joint: servo.id for servo in self.servos if servo.id is not None}
        return tuple(given.get(joint, usual) for joint, usual in enumerate(settings, start=1))

    def seat(self, joint: int, usual: ServoJoint) -> ServoJoint:
        """How the servo of a joint, counted from 0, sits on it."""
        for servo in self.servos:
            if servo.joint == joint + 1:
                direction = -usual.direction if servo.reversed else usual.direction
                zero = usual.zero + servo.turned
                return usual.model_copy(update={"direction": direction, "zero": zero})
        return usual

    def motor_sign(self, joint: int) -> int:
        """-1 where the motor of a joint, counted from 0, turns against its encoder."""
        reverse = any(s.joint == joint + 1 and s.motor_reversed for s in self.servos)
        return -1 if reverse else 1

    def link_of_board(self, board: int) -> int:
        """Link, counted from 0, in which the board sits that answers as link `board`."""
        places = {item.id - 1: item.link - 1 for item in self.boards}
        return places.get(board, board)

    def joint_of_channel(self, joint: int | None) -> int | None:
        """Joint, counted from 0, whose force sensor is on the channel of `joint`."""
        leads = {item.read_at - 1: item.joint - 1 for item in self.forces if item.read_at}
        return joint if joint is None else leads.get(joint, joint)

    def sensors(self, physics: LinkPhysics, link: int, joint: int | None) -> LinkPhysics:
        """What a board measures of its link and of the force sensor of `joint`, from 0."""
        imus = [imu for imu in self.imus if imu.link == link + 1]
        forces = [force for force in self.forces if joint is not None and force.joint == joint + 1]
        if not imus and not forces:
            return physics
        return _WiredLink(
            physics,
            imus[0] if imus else WiredImu(link=link + 1),
            forces[0] if forces else WiredForce(joint=1),
        )


class _WiredLink:
    """A `LinkPhysics` whose sensors are mounted or connected otherwise."""

    def __init__(self, physics: LinkPhysics, imu: WiredImu, force: WiredForce) -> None:
        self._physics = physics
        self._imu = imu
        self._force = force

    def reading(self, now: float) -> LinkReading:
        """See LinkPhysics."""
        seen, force = self._physics.reading(now), self._force
        side = -1.0 if self._imu.upside_down else 1.0
        cos, sin = math.cos(self._imu.mounted), math.sin(self._imu.mounted)
        x, y = seen.acceleration
        pull = seen.force
        return LinkReading(
            acceleration=(cos * x + sin * y, side * (cos * y - sin * x)),
            yaw=side * seen.yaw,
            yaw_rate=side * seen.yaw_rate,
            force=(
                force.scale * pull[0] + force.zero[0],
                force.scale * pull[1] + force.zero[1],
                force.scale * pull[2],
            ),
        )
