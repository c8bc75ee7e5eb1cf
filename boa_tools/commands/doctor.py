# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa doctor`: is this machine, this bus, this robot ready?"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from boa_tools.commands.arguments import argument

if TYPE_CHECKING:
    from boa_description.robot import Robot
    from boa_tools.doctor.check import Check

FAILED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(parser, "--port PORT", "also query the servos on this serial port; nothing moves")
    argument(parser, "--can CHANNEL", "also query the link boards, e.g. slcan:/dev/ttyACM0")
    argument(parser, "--robot NAME", "robot that is expected", default="boa13")
    argument(parser, "--hardware FILE", "wiring (see config/robot.yaml), with its port and channel")
    argument(parser, "--calibration FILE", "calibration record of `boa commission`")


def main(arguments: argparse.Namespace) -> int:
    """Print one line per question; status 1 when something must be repaired."""
    from boa_description.load import load_robot
    from boa_tools.doctor import adapters, machine, ros
    from boa_tools.doctor.check import Answer

    description = load_robot(arguments.robot)
    groups: list[Iterable[Check]] = [machine.checks(), ros.checks(), adapters.checks()]
    if arguments.port or arguments.can or arguments.hardware:
        groups.append(_robot_checks(arguments, description))
    wrong = 0
    for group in groups:
        for check in group:
            print(check, flush=True)
            wrong += check.answer is Answer.NO
    print(f"\n{wrong} thing{'' if wrong == 1 else 's'} to repair" if wrong else "\nready")
    return FAILED if wrong else 0


def _robot_checks(arguments: argparse.Namespace, description: Robot) -> Iterable[Check]:
    """Buses, servos, sensors and calibration; of a robot that runs already, its topics."""
    from boa_hardware.calibration.record import load_record
    from boa_hardware.config import load_robot_settings
    from boa_hardware.spine.channel import parse_channel
    from boa_tools.commands import running_robot
    from boa_tools.doctor import calibration, robot

    port, can, file = arguments.port, arguments.can, arguments.calibration
    settings = load_robot_settings(arguments.hardware)
    on_rs485 = settings.topology == "rs485"
    if arguments.hardware:
        port, can = port or settings.serial_port, can or settings.spine.channel
    port = port if on_rs485 else None
    if can is not None:
        parse_channel(can)
    record = load_record(file, description) if file else None
    if users := running_robot.used_by_others(port, can):
        return running_robot.checks(description, users)
    servos = settings.servo_settings(description)
    spine = settings.spine_settings().model_copy(update={"channel": can})

    def asked() -> Iterator[Check]:
        found = None
        if port is not None:
            found = yield from robot.servos(port, servos)
        if can is not None:
            yield from robot.sensors(spine, description)
        if on_rs485:
            yield from calibration.checks(description, record, found)
        else:
            yield calibration.set_in_boards()

    return asked()
