# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa servo` scan, info, set-id, set-baud, configure, reboot: what moves no joint."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from boa_description.errors import BoaError
from boa_tools.commands.arguments import argument, flag
from boa_tools.commands.servo_arguments import (
    FAILED,
    baud_of,
    servo_argument,
    settings_argument,
    settings_of,
    tells_when_stopped,
    with_only,
)

if TYPE_CHECKING:
    from boa_hardware.servo.link import ServoLink


def scan_arguments(action: argparse.ArgumentParser) -> None:
    """Of `scan`."""
    flag(action, "--all", "try all baud rates of the servo, slowest last")


def scan_line(arguments: argparse.Namespace) -> int | None:
    """List who answers, and the IDs that several servos share."""
    from boa_hardware.servo.link import ServoLink
    from boa_hardware.servo.registers import BAUD_RATES, MODEL_NAME, MODEL_NUMBER
    from boa_hardware.servo.scan import scan

    rates = sorted(BAUD_RATES.values(), reverse=True) if arguments.all else [baud_of(arguments)]
    total, faulty = 0, False
    with ServoLink(arguments.port, rates[0]) as link:
        for baud in rates:
            link.set_baud(baud)
            result = scan(link, tell=lambda text: print(text, flush=True))
            for servo in result.servos:
                name = MODEL_NAME if servo.model == MODEL_NUMBER else "not an " + MODEL_NAME
                print(
                    f"{baud:>8} bit/s  id {servo.id:3d}  model {servo.model} ({name})  "
                    f"firmware {servo.firmware}"
                )
            for shared in result.shared:
                print(
                    f"{baud:>8} bit/s  several servos share ID {shared} (garbled answers); connect "
                    "one at a time and give each its own with `boa servo set-id`"
                )
            if result.garbled:
                print(
                    f"{baud:>8} bit/s  garbled answers that no ID explains; check termination, "
                    "cable and whether another program or a servo of another rate is on the line"
                )
            total += len(result.servos)
            faulty = faulty or bool(result.shared) or result.garbled
    hint = "" if total or faulty or arguments.all else "; try --all, and check the 24 V supply"
    print(f"{total} servo{'' if total == 1 else 's'} found{hint}")
    return None if total and not faulty else FAILED


def info(arguments: argparse.Namespace) -> None:
    """Print every register."""
    from boa_hardware.servo.link import ServoLink
    from boa_hardware.servo.registers import describe_hardware_error, register

    with ServoLink(arguments.port, baud_of(arguments)) as link:
        values = link.dump(arguments.id)
    for name, raw in values.items():
        entry = register(name)
        si = f"{entry.to_si(raw):12.5g} {entry.unit}" if entry.unit else ""
        area = "EEPROM" if entry.eeprom else "RAM"
        print(f"{entry.address:4d}  {area:<6}  {name:<24} {raw:>9} {si}")
    error = values["hardware_error_status"]
    remedy = f"; remove the cause, then `boa servo reboot --id {arguments.id}`" if error else ""
    print(f"hardware error: {describe_hardware_error(error)}{remedy}")


def new_id_arguments(action: argparse.ArgumentParser) -> None:
    """Of `set-id`."""
    _new_value(action, "new ID, 0 to 252")


def give_id(arguments: argparse.Namespace) -> None:
    """Give a servo another ID."""
    from boa_hardware.servo.eeprom import set_id

    _give(arguments, set_id)
    print(f"servo {arguments.id} now has ID {arguments.new}")


def new_baud_arguments(action: argparse.ArgumentParser) -> None:
    """Of `set-baud`."""
    _new_value(action, "new rate, bit/s")


def give_baud(arguments: argparse.Namespace) -> None:
    """Give a servo another baud rate."""
    from boa_hardware.servo.eeprom import set_baud

    _give(arguments, set_baud)
    print(f"servo {arguments.id} now answers at {arguments.new} bit/s")


def _new_value(action: argparse.ArgumentParser, meaning: str) -> None:
    servo_argument(action)
    argument(action, "--new", meaning, int, required=True)


def _give(arguments: argparse.Namespace, change: Callable[[ServoLink, int, int], None]) -> None:
    """Change what the servo is called by, without being stopped halfway."""
    from boa_hardware.servo.link import ServoLink

    with ServoLink(arguments.port, baud_of(arguments)) as link, tells_when_stopped(link):
        change(link, arguments.id, arguments.new)


def write_settings_arguments(action: argparse.ArgumentParser) -> None:
    """Of `configure`."""
    settings_argument(action)
    argument(action, "--id", "only this servo; default: all of the settings", int)
    flag(action, "--dry-run", "only show what differs")


def write_settings(arguments: argparse.Namespace) -> int | None:
    """Write what differs from the settings, and report."""
    from boa_hardware.servo.eeprom import configure
    from boa_hardware.servo.handshake import handshake, required_eeprom
    from boa_hardware.servo.link import ServoLink

    settings = settings_of(arguments)
    if arguments.id is not None:
        settings = with_only(settings, arguments.id)
    with ServoLink(arguments.port, settings.baud) as link:
        if not arguments.dry_run:
            with tells_when_stopped(link):
                for servo in settings.ids:
                    for change in configure(link, servo, required_eeprom(settings)):
                        print(change)
        report = handshake(link, settings)
    print(report)
    return None if report.ok else FAILED


def restart_arguments(action: argparse.ArgumentParser) -> None:
    """Of `reboot`."""
    servo_argument(action)
    flag(action, "--yes", "do not ask")


def restart(arguments: argparse.Namespace) -> int | None:
    """Torque off and restart, once confirmed; say what error is left."""
    import sys

    from boa_hardware.servo.link import ServoLink
    from boa_hardware.servo.reboot import reboot
    from boa_hardware.servo.registers import describe_hardware_error

    what = f"servo {arguments.id} loses its torque, its goals and its count of turns"
    if not arguments.yes:
        if not sys.stdin.isatty():
            raise BoaError(f"boa servo reboot: {what}; confirm with --yes")
        try:
            answer = input(f"{what}; restart it? [y/N] ")
        except EOFError:  # Ctrl-D
            answer = ""
            print()
        if answer.strip().lower() not in ("y", "yes"):
            print("nothing was done")
            return FAILED
    with ServoLink(arguments.port, baud_of(arguments)) as link, tells_when_stopped(link):
        error = reboot(link, arguments.id)
    text = describe_hardware_error(error)
    print(f"servo {arguments.id} has restarted, torque is off; hardware error: {text}")
    if error:
        print("the cause is still there: remove it and restart the servo again")
    return FAILED if error else None
