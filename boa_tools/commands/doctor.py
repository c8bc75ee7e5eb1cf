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
    argument(parser, "--servo-settings FILE", "settings of the servo bus")
    argument(parser, "--spine-settings FILE", "settings of the CAN spine")
    argument(parser, "--calibration FILE", "calibration record of `boa commission`")


def main(arguments: argparse.Namespace) -> int:
    """Print one line per question; status 1 when something must be repaired."""
    from boa_description.load import load_robot
    from boa_tools.doctor import adapters, machine, ros
    from boa_tools.doctor.check import Answer

    description = load_robot(arguments.robot)
    groups: list[Iterable[Check]] = [machine.checks(), ros.checks(), adapters.checks()]
    if arguments.port is not None or arguments.can is not None:
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
    from boa_tools.commands import running_robot
    from boa_tools.doctor import calibration, robot

    port, can, file = arguments.port, arguments.can, arguments.calibration
    record = load_record(file, description) if file else None
    if users := running_robot.used_by_others(port, can):
        return running_robot.checks(description, users)
    servos = None if port is None else robot.servo_settings(description, arguments.servo_settings)
    spine = None if can is None else robot.spine_settings(can, arguments.spine_settings)

    def asked() -> Iterator[Check]:
        found = None
        if servos is not None:
            found = yield from robot.servos(port, servos)
        if spine is not None:
            yield from robot.sensors(spine, description)
        yield from calibration.checks(description, record, found)

    return asked()
