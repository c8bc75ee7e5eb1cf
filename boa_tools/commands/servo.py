# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa servo`: find, set up, restart and move single servos. Nothing moves without --arm."""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from boa_tools.commands import servo_motion, servo_setup
from boa_tools.commands.arguments import argument
from boa_tools.commands.servo_arguments import DEFAULT_BAUD, FAILED, servo_argument


class Action(NamedTuple):
    """One sub-command."""

    summary: str  # for `boa servo --help`
    run: Callable[[argparse.Namespace], int | None]
    arguments: Callable[[argparse.ArgumentParser], None]


ACTIONS: dict[str, Action] = {
    "scan": Action(
        "list the servos that answer", servo_setup.scan_line, servo_setup.scan_arguments
    ),
    "info": Action("show every register of one servo", servo_setup.info, servo_argument),
    "set-id": Action("give a servo another ID", servo_setup.give_id, servo_setup.new_id_arguments),
    "set-baud": Action(
        "give a servo another baud rate", servo_setup.give_baud, servo_setup.new_baud_arguments
    ),
    "configure": Action(
        "write the EEPROM as the settings say and check it",
        servo_setup.write_settings,
        servo_setup.write_settings_arguments,
    ),
    "reboot": Action(
        "restart a servo after a hardware error", servo_setup.restart, servo_setup.restart_arguments
    ),
    "jog": Action(
        "turn one joint a little with a given current",
        servo_motion.jog_joint,
        servo_motion.jog_arguments,
    ),
    "identify": Action(
        "estimate torque constant and friction from a sweep",
        servo_motion.identify_joint,
        servo_motion.identify_arguments,
    ),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, action in ACTIONS.items():
        command = commands.add_parser(
            name,
            help=action.summary,
            description=f"{action.summary[0].upper()}{action.summary[1:]}.",
        )
        if name != "identify":
            argument(
                command,
                "--port",
                "serial port, e.g. /dev/ttyUSB0 or that of `boa emulate`",
                required=True,
            )
        argument(command, "--baud", f"bit/s (default: {DEFAULT_BAUD})", int)
        action.arguments(command)


def main(arguments: argparse.Namespace) -> int | None:
    """Run one action; a servo or bus that fails gives one line and status 1."""
    import sys

    from boa_control.plant import PlantError
    from boa_tools.runs.console import unwind_on_signals

    unwind_on_signals()
    try:
        return ACTIONS[arguments.action].run(arguments)
    except PlantError as error:
        print(f"boa servo {arguments.action}: {error}", file=sys.stderr)
        return FAILED
