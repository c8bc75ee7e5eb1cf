# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa commission`: the first day with the robot, step by step; writes the calibration record."""

from __future__ import annotations

import argparse
import getpass
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from boa_control.plant import PlantError
from boa_description.errors import BoaError
from boa_tools.commands.arguments import address, argument, file_to_write, flag
from boa_tools.view.address import LISTEN, open_page

if TYPE_CHECKING:
    from boa_hardware.config import RobotSettings
    from boa_tools.commission.operator import Operator
    from boa_tools.commission.session import RecordFile

FAILED = 1


class Ends(NamedTuple):
    """Where the robot is, and the hands that move it; none: a person does."""

    port: str
    channel: str
    hands: str | None


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(parser, "--port", "serial port of the servos (default: that of --hardware)")
    argument(parser, "--can", "CAN channel (default: that of --hardware)")
    argument(parser, "--hardware FILE", "wiring (see config/robot.yaml); default: IDs 1 to n")
    argument(parser, "--robot", "robot name or file", default="boa13")
    argument(
        parser,
        "--record FILE",
        "calibration record, written after every step",
        file_to_write,
        Path("calibration.yaml"),
    )
    argument(parser, "--operator", "who does it (default: you)")
    what = parser.add_mutually_exclusive_group()
    flag(what, "--check", "repeat what needs no hands; the joints move a little")
    flag(what, "--again", "all steps again, into a new record")
    argument(what, "--step NAME", "these steps again", nargs="+")
    flag(what, "--list", "list the steps")
    argument(
        parser,
        "--browser HOST:PORT",
        f"the steps on a page in the browser (default {LISTEN})",
        address,
        nargs="?",
        const=LISTEN,
    )
    argument(parser, "--hands SOCKET", "of `boa emulate`: its hands do it all")
    flag(parser, "--demo", "start an emulated robot and let its hands do it all")
    argument(parser, "--wiring FILE", "with --demo: what is wired wrongly")


def main(arguments: argparse.Namespace) -> int | None:
    """Run the steps that are left, or the check; status 1 when something must be repaired."""
    from boa_tools.commission.table import STEPS
    from boa_tools.runs.console import unwind_on_signals

    unwind_on_signals()
    names = [step.name for step in STEPS]
    if unknown := set(arguments.step or ()) - set(names):
        raise BoaError(f"--step {unknown.pop()}: no such step; there are {', '.join(names)}")
    if arguments.wiring and not arguments.demo:
        raise BoaError("--wiring is for --demo; give it to `boa emulate` otherwise")
    if arguments.browser and (arguments.hands or arguments.check or arguments.demo):
        raise BoaError("--browser asks a person; leave out --hands, --check and --demo")
    if arguments.list:
        print("\n".join(f"{step.name:<10}{step.summary}" for step in STEPS))
        return None
    if arguments.demo:
        with _emulated(arguments) as ends:
            return _run(arguments, ends)
    from boa_hardware.config import load_robot_settings

    settings = load_robot_settings(arguments.hardware)
    port, channel = arguments.port or settings.serial_port, arguments.can or settings.spine.channel
    return _run(arguments, Ends(port, channel, arguments.hands))


def _run(arguments: argparse.Namespace, ends: Ends) -> int:
    from boa_description.load import load_robot
    from boa_hardware.assembly import robot_plant
    from boa_hardware.calibration.record import load_record
    from boa_hardware.realtime import OWN_PRIORITY_BELOW, make_punctual
    from boa_hardware.servo.link import ServoLink
    from boa_tools.commission.bench import RATE, Bench
    from boa_tools.commission.page import PageOperator, PageServer
    from boa_tools.commission.session import RecordFile, check, commission
    from boa_tools.commission.table import CHECKS, STEPS

    robot = load_robot(arguments.robot)
    settings = _settings(arguments, ends)
    file = RecordFile(arguments.record)
    bench = Bench(
        robot,
        settings,
        lambda wired: robot_plant(robot, wired, RATE),
        lambda servos: ServoLink(settings.serial_port, servos.baud),
    )

    own_priority = settings.realtime_priority - OWN_PRIORITY_BELOW

    with _tells_what_is_kept(file), bench:
        if arguments.check:
            record = load_record(file.path, robot)
            make_punctual(own_priority)
            return 0 if check(bench, record, CHECKS, _print) else FAILED
        if arguments.again:
            file.renew(robot)
        repeat = arguments.step is not None
        steps = [step for step in STEPS if not repeat or step.name in arguments.step]
        if arguments.browser is None:
            operator = _operator(arguments, ends, robot.joints)
            make_punctual(own_priority)
            done = commission(bench, operator, steps, file, _print, repeat=repeat)
            return 0 if done else FAILED

        name = arguments.operator or getpass.getuser()
        person = PageOperator(name, STEPS, lambda: file.done, lambda: bench.latest)
        host, port = arguments.browser
        with PageServer(host, port, person) as server:
            print(f"open {server.address}", flush=True)
            open_page(server.address)  # before: the browser gets no priority
            make_punctual(own_priority)

            def tell(text: str) -> None:
                _print(text)
                person.tell(text)

            try:
                done = commission(bench, person, steps, file, tell, repeat=repeat)
                return 0 if done else FAILED
            except (BoaError, PlantError) as error:
                person.tell(str(error))
                raise


@contextmanager
def _tells_what_is_kept(file: RecordFile) -> Iterator[None]:
    """After Ctrl-C: which steps need not be done again."""
    try:
        yield
    except KeyboardInterrupt:
        kept = f"{file.path} has {', '.join(file.done)}" if file.done else "no step is done"
        raise KeyboardInterrupt(
            f"torque is off; {kept}; the same command without --again goes on there"
        ) from None


def _print(text: str) -> None:
    print(text, flush=True)


def _settings(arguments: argparse.Namespace, ends: Ends) -> RobotSettings:
    """The wiring, without calibrations: they are measured. Raises BoaError."""
    from boa_hardware.config import load_robot_settings

    settings = load_robot_settings(arguments.hardware)
    if settings.topology != "rs485":
        raise BoaError(
            f"topology {settings.topology}: boa commission needs servos on RS-485; with servos "
            "behind link boards calibrate by hand (docs/spine.md, Servos over the spine)"
        )
    spine = settings.spine.model_copy(update={"channel": ends.channel})
    update = {
        "serial_port": ends.port,
        "spine": spine,
        "calibration": None,
        "force_calibrations": None,
        "tare_file": None,
        "panic_on_fault": False,
    }
    return settings.model_copy(update=update)


def _operator(arguments: argparse.Namespace, ends: Ends, joints: int) -> Operator:
    from boa_tools.commission.operator import ScriptedOperator, TerminalOperator

    if ends.hands is None:
        return TerminalOperator(arguments.operator or getpass.getuser())
    from boa_hardware.emulator.hands_socket import RemoteHands

    return ScriptedOperator(RemoteHands(ends.hands), joints)


@contextmanager
def _emulated(arguments: argparse.Namespace) -> Iterator[Ends]:
    """An emulated robot in a process of its own. Raises BoaError where it does not start."""
    command = [sys.executable, "-m", "boa_tools.cli", "emulate", "--robot", arguments.robot]
    command += ["--wiring", arguments.wiring] if arguments.wiring else []
    command += ["--hardware", arguments.hardware] if arguments.hardware else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port, channel, told = (process.stdout.readline().strip() for _ in range(3))
            if "hands at " not in told:
                raise BoaError("the emulated robot did not start; see above")
            yield Ends(port, channel, told.split("hands at ")[1].split(";")[0])
        finally:
            process.terminate()
