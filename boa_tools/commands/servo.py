"""`boa servo`: find, inspect, set up and move single servos. Nothing moves without --arm."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from boa_description.errors import BoaError

if TYPE_CHECKING:
    from boa_hardware.servo.bus import ServoBus
    from boa_hardware.servo.settings import ServoBusSettings

FAILED = 1
DEFAULT_BAUD = 3_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (summary, _, arguments) in ACTIONS.items():
        action = commands.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
        )
        if name != "identify":
            action.add_argument(
                "--port",
                required=True,
                help="serial port, e.g. /dev/ttyUSB0 or that of `boa emulate`",
            )
        action.add_argument(
            "--baud", type=int, help=f"bit/s (default: that of --settings, else {DEFAULT_BAUD})"
        )
        arguments(action)


def main(arguments: argparse.Namespace) -> int | None:
    """Run one action; a servo or bus that fails gives one line and status 1."""
    import sys

    from boa_control.plant import PlantError

    _stop_on_signals()
    try:
        return ACTIONS[arguments.action][1](arguments)
    except PlantError as error:
        print(f"boa servo {arguments.action}: {error}", file=sys.stderr)
        return FAILED


def _stop_on_signals() -> None:
    """SIGTERM and SIGHUP unwind the program like Ctrl-C, so that torque goes off then too."""
    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.default_int_handler)


def _servo_argument(action: argparse.ArgumentParser) -> None:
    action.add_argument("--id", type=int, required=True, help="servo ID")


def _scan_arguments(action: argparse.ArgumentParser) -> None:
    action.add_argument(
        "--all", action="store_true", help="try all baud rates of the servo, slowest last"
    )


def _scan(arguments: argparse.Namespace) -> int | None:
    from boa_hardware.servo.link import ServoLink
    from boa_hardware.servo.registers import BAUD_RATES, MODEL_NAME, MODEL_NUMBER

    rates = sorted(BAUD_RATES.values(), reverse=True) if arguments.all else [_baud(arguments)]
    total = 0
    with ServoLink(arguments.port, rates[0]) as link:
        for baud in rates:
            link.set_baud(baud)
            for servo in link.scan():
                name = MODEL_NAME if servo.model == MODEL_NUMBER else "not an " + MODEL_NAME
                print(
                    f"{baud:>8} bit/s  id {servo.id:3d}  model {servo.model} ({name})  "
                    f"firmware {servo.firmware}"
                )
                total += 1
    hint = "" if total or arguments.all else "; try --all, and check the 24 V supply"
    print(f"{total} servo{'' if total == 1 else 's'} found{hint}")
    return None if total else FAILED


def _info(arguments: argparse.Namespace) -> None:
    from boa_hardware.servo.link import ServoLink
    from boa_hardware.servo.registers import describe_hardware_error, register

    with ServoLink(arguments.port, _baud(arguments)) as link:
        values = link.dump(arguments.id)
    for name, raw in values.items():
        entry = register(name)
        si = f"{entry.to_si(raw):12.5g} {entry.unit}" if entry.unit else ""
        area = "EEPROM" if entry.eeprom else "RAM"
        print(f"{entry.address:4d}  {area:<6}  {name:<24} {raw:>9} {si}")
    print(f"hardware error: {describe_hardware_error(values['hardware_error_status'])}")


def _set_id_arguments(action: argparse.ArgumentParser) -> None:
    _servo_argument(action)
    action.add_argument("--new", type=int, required=True, help="new ID, 0 to 252")


def _set_id(arguments: argparse.Namespace) -> None:
    from boa_hardware.servo.eeprom import set_id
    from boa_hardware.servo.link import ServoLink

    with ServoLink(arguments.port, _baud(arguments)) as link:
        set_id(link, arguments.id, arguments.new)
    print(f"servo {arguments.id} now has ID {arguments.new}")


def _set_baud_arguments(action: argparse.ArgumentParser) -> None:
    _servo_argument(action)
    action.add_argument("--new", type=int, required=True, help="new rate, bit/s")


def _set_baud(arguments: argparse.Namespace) -> None:
    from boa_hardware.servo.eeprom import set_baud
    from boa_hardware.servo.link import ServoLink

    with ServoLink(arguments.port, _baud(arguments)) as link:
        set_baud(link, arguments.id, arguments.new)
    print(f"servo {arguments.id} now answers at {arguments.new} bit/s")


def _settings_argument(action: argparse.ArgumentParser) -> None:
    action.add_argument(
        "--settings", type=Path, help="servo settings YAML; default: IDs 1 to n of --robot"
    )
    action.add_argument("--robot", default="boa13", help="robot name or file (default %(default)s)")


def _configure_arguments(action: argparse.ArgumentParser) -> None:
    _settings_argument(action)
    action.add_argument("--id", type=int, help="only this servo; default: all of the settings")
    action.add_argument("--dry-run", action="store_true", help="only show what differs")


def _configure(arguments: argparse.Namespace) -> int | None:
    from boa_hardware.servo.bus import ServoBus
    from boa_hardware.servo.eeprom import configure as write_eeprom
    from boa_hardware.servo.handshake import handshake, required_eeprom

    settings = _settings(arguments)
    if arguments.id is not None:
        settings = _only(settings, arguments.id)
    with ServoBus(arguments.port, settings) as bus:
        if not arguments.dry_run:
            for servo in bus.ids:
                for change in write_eeprom(bus.link, servo, required_eeprom(settings)):
                    print(change)
        report = handshake(bus)
    print(report)
    return None if report.ok else FAILED


def _move_arguments(action: argparse.ArgumentParser) -> None:
    _settings_argument(action)
    action.add_argument(
        "--arm", action="store_true", help="allow motion; the joint must be free to turn"
    )


def _jog_arguments(action: argparse.ArgumentParser) -> None:
    _servo_argument(action)
    _move_arguments(action)
    action.add_argument(
        "--current", type=float, default=0.1, help="A, sign is direction (default %(default)s)"
    )
    action.add_argument(
        "--seconds", type=float, default=0.5, help="for so long (default %(default)s)"
    )
    action.add_argument(
        "--travel",
        type=float,
        default=0.3,
        help="stop after so much motion, rad (default %(default)s)",
    )


def _jog(arguments: argparse.Namespace) -> int | None:
    import numpy as np

    from boa_hardware.servo.bringup import energised
    from boa_hardware.servo.pace import Ticker

    def move(bus: ServoBus) -> int | None:
        ticker, period = Ticker(0.01), 0.01
        with energised(bus):
            start = sample = bus.cycle(np.zeros(1))
            for _ in range(round(arguments.seconds / period)):
                sample = bus.cycle(np.array([arguments.current]))
                if sample.misses[0] >= bus.settings.miss_limit or sample.hardware_error[0]:
                    print("stopped: the servo is lost or has a hardware error")
                    return FAILED
                if abs(sample.position[0] - start.position[0]) > arguments.travel:
                    break
                ticker.wait()
        print(
            f"servo {arguments.id}: {start.position[0]:.4f} -> {sample.position[0]:.4f} rad, "
            f"{sample.current[0]:.3f} A, {sample.temperature[0]:.0f} degC, "
            f"{sample.voltage[0]:.1f} V; torque is off"
        )
        return None

    return _with_one_servo(arguments, move)


def _identify_arguments(action: argparse.ArgumentParser) -> None:
    source = action.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--from", dest="recording", type=Path, metavar="CSV", help="use a recorded sweep"
    )
    source.add_argument(
        "--port", help="record a sweep of one servo on this port (needs --id and --arm)"
    )
    action.add_argument("--id", type=int, help="servo ID")
    _move_arguments(action)
    action.add_argument(
        "--amplitude", type=float, default=0.5, help="rad to each side (default %(default)s)"
    )
    action.add_argument("--max-current", type=float, default=0.5, help="A (default %(default)s)")
    action.add_argument("--constant", type=float, help="torque constant to take as given, N m/A")
    action.add_argument("--out", type=Path, help="keep the recorded sweep as CSV")


def _identify(arguments: argparse.Namespace) -> int | None:
    from boa_hardware.servo.identify import identify, load_sweep, save_sweep
    from boa_hardware.servo.sweep import SweepPlan, run_sweep

    if arguments.recording is not None:
        print(identify(load_sweep(arguments.recording), arguments.constant))
        return None
    if arguments.id is None:
        raise BoaError("boa servo identify: --port also needs --id")
    plan = SweepPlan(amplitude=arguments.amplitude, max_current=arguments.max_current)

    def record(bus: ServoBus) -> None:
        sweep = run_sweep(bus, plan)
        if arguments.out is not None:
            save_sweep(sweep, arguments.out)
        print(identify(sweep, arguments.constant))

    return _with_one_servo(arguments, record)


def _with_one_servo(
    arguments: argparse.Namespace, action: Callable[[ServoBus], int | None]
) -> int | None:
    """Bring up one servo alone and run `action`; refuses without --arm."""
    if not arguments.arm:
        raise BoaError(
            f"boa servo {arguments.action} moves the joint: give --arm when it is free to turn"
        )
    from boa_hardware.servo.bringup import bring_up
    from boa_hardware.servo.bus import ServoBus

    with ServoBus(arguments.port, _only(_settings(arguments), arguments.id)) as bus:
        bring_up(bus)
        return action(bus)


def _settings(arguments: argparse.Namespace) -> ServoBusSettings:
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


def _baud(arguments: argparse.Namespace) -> int:
    from boa_hardware.servo.registers import baud_code

    baud: int = arguments.baud or DEFAULT_BAUD
    baud_code(baud)
    return baud


def _only(settings: ServoBusSettings, servo: int) -> ServoBusSettings:
    """The same bus with one servo alone."""
    joints = tuple(joint for joint in settings.joints if joint.id == servo)
    if not joints:
        raise BoaError(
            f"servo {servo} is not in the settings; they have {', '.join(map(str, settings.ids))}"
        )
    return settings.model_copy(update={"joints": joints})


# name -> (what `boa servo --help` says, what runs, what adds its arguments)
ACTIONS: dict[
    str,
    tuple[
        str, Callable[[argparse.Namespace], int | None], Callable[[argparse.ArgumentParser], None]
    ],
] = {
    "scan": ("list the servos that answer", _scan, _scan_arguments),
    "info": ("show every register of one servo", _info, _servo_argument),
    "set-id": ("give a servo another ID", _set_id, _set_id_arguments),
    "set-baud": ("give a servo another baud rate", _set_baud, _set_baud_arguments),
    "configure": (
        "write the EEPROM as the settings say and check it",
        _configure,
        _configure_arguments,
    ),
    "jog": ("turn one joint a little with a given current", _jog, _jog_arguments),
    "identify": (
        "estimate torque constant and friction from a sweep",
        _identify,
        _identify_arguments,
    ),
}
