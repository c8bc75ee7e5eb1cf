# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arguments and settings that the actions of `boa servo` share."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from boa_description.errors import BoaError
from boa_tools.commands.arguments import argument

if TYPE_CHECKING:
    from boa_hardware.servo.link import ServoLink
    from boa_hardware.servo.settings import ServoBusSettings

FAILED = 1
DEFAULT_BAUD = 3_000_000


def servo_argument(action: argparse.ArgumentParser) -> None:
    """--id."""
    argument(action, "--id", "servo ID", int, required=True)


def settings_argument(action: argparse.ArgumentParser) -> None:
    """--settings and --robot."""
    what = "servo settings or wiring (YAML), with the baud rate; default: IDs 1 to n"
    argument(action, "--settings", what, Path)
    argument(action, "--robot", "robot name or file", default="boa13")


def baud_of(arguments: argparse.Namespace) -> int:
    """Baud rate without settings, bit/s. Raises BoaError."""
    from boa_hardware.servo.registers import baud_code

    baud: int = arguments.baud or DEFAULT_BAUD
    baud_code(baud)
    return baud


def settings_of(arguments: argparse.Namespace) -> ServoBusSettings:
    """Settings of the servo bus that the arguments describe. Raises BoaError."""
    from boa_description.load import load_robot
    from boa_hardware.servo.registers import baud_code
    from boa_hardware.servo.settings import default_settings, load_settings

    robot = load_robot(arguments.robot)
    settings = (
        default_settings(robot)
        if arguments.settings is None
        else load_settings(arguments.settings, robot)
    )
    if arguments.baud is None:
        return settings
    baud_code(arguments.baud)
    return settings.model_copy(update={"baud": arguments.baud})


def with_only(settings: ServoBusSettings, servo: int) -> ServoBusSettings:
    """The same bus with one servo alone. Raises BoaError."""
    joints = tuple(joint for joint in settings.joints if joint.id == servo)
    if not joints:
        raise BoaError(
            f"servo {servo} is not in the settings; they have {', '.join(map(str, settings.ids))}"
        )
    return settings.model_copy(update={"joints": joints})


@contextmanager
def tells_when_stopped(link: ServoLink) -> Iterator[None]:
    """Ctrl-C switches torque off in all servos and says what is in the EEPROM by then."""
    from boa_control.plant import PlantError
    from boa_hardware.servo.protocol import BROADCAST

    try:
        yield
    except KeyboardInterrupt:
        with suppress(PlantError):
            link.write(BROADCAST, "torque_enable", 0)
        written = f"written to EEPROM: {', '.join(link.kept)}" if link.kept else "EEPROM unchanged"
        raise KeyboardInterrupt(f"torque is off; {written}") from None
