# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa doctor`: is this machine, this bus, this robot ready?"""

from __future__ import annotations

import argparse

FAILED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--port", metavar="PORT", help="also query the servos on this serial port; nothing moves"
    )
    parser.add_argument(
        "--can", metavar="CHANNEL", help="also query the link boards, e.g. slcan:/dev/ttyACM0"
    )
    parser.add_argument(
        "--robot", default="boa13", metavar="NAME", help="robot that is expected (default: boa13)"
    )
    parser.add_argument("--servo-settings", metavar="FILE", help="settings of the servo bus")
    parser.add_argument("--spine-settings", metavar="FILE", help="settings of the CAN spine")


def main(arguments: argparse.Namespace) -> int:
    """Print one line per question; status 1 when something must be repaired."""
    from collections.abc import Iterable

    from boa_description.load import load_robot
    from boa_tools.doctor import adapters, machine, ros
    from boa_tools.doctor.check import Answer, Check

    description = load_robot(arguments.robot)
    groups: list[Iterable[Check]] = [machine.checks(), ros.checks(), adapters.checks()]
    if arguments.port is not None or arguments.can is not None:
        from boa_tools.commands import running_robot
        from boa_tools.doctor import robot

        users = running_robot.used_by_others(arguments.port, arguments.can)
        if users:
            groups.append(running_robot.checks(description, users))
        elif arguments.port is not None:
            groups.append(
                robot.servos(
                    arguments.port, robot.servo_settings(description, arguments.servo_settings)
                )
            )
        if arguments.can is not None and not users:
            settings = robot.spine_settings(arguments.can, arguments.spine_settings)
            groups.append(robot.sensors(settings, description))
    wrong = 0
    for group in groups:
        for check in group:
            print(check, flush=True)
            wrong += check.answer is Answer.NO
    print(f"\n{wrong} thing{'' if wrong == 1 else 's'} to repair" if wrong else "\nready")
    return FAILED if wrong else 0
