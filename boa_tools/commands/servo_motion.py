# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa servo` jog and identify: the actions that move a joint, with --arm."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from boa_description.errors import BoaError
from boa_tools.commands.arguments import argument, file_to_write, flag, positive, yaml_file
from boa_tools.commands.servo_arguments import (
    FAILED,
    servo_argument,
    settings_argument,
    settings_of,
    tells_when_stopped,
    with_only,
)

if TYPE_CHECKING:
    from boa_hardware.servo.bus import ServoBus
    from boa_hardware.servo.identify import Sweep
    from boa_hardware.servo.settings import ServoBusSettings


def _arm_arguments(action: argparse.ArgumentParser) -> None:
    settings_argument(action)
    flag(action, "--arm", "allow motion; the joint must be free to turn")


def jog_arguments(action: argparse.ArgumentParser) -> None:
    """Of `jog`."""
    servo_argument(action)
    _arm_arguments(action)
    argument(action, "--current", "A, sign is direction", float, 0.1)
    argument(action, "--seconds", "drive for so long at most, then brake", positive, 0.5)
    argument(action, "--travel", "brake in time to stop within so much motion, rad", positive, 0.3)


def jog_joint(arguments: argparse.Namespace) -> int | None:
    """Turn one joint a little."""
    from boa_hardware.servo.jog import JogPlan, jog

    plan = JogPlan(arguments.current, arguments.seconds, arguments.travel)

    def move(bus: ServoBus) -> int | None:
        moved = jog(bus, plan)
        start, end = moved.start, moved.end
        print(
            f"servo {arguments.id}: {start.position[0]:.4f} -> {end.position[0]:.4f} rad, "
            f"{moved.travel:.4f} rad of {plan.travel:g} rad at most, "
            f"{end.temperature[0]:.0f} degC, {end.voltage[0]:.1f} V; torque is off"
        )
        if moved.travel <= plan.travel:
            return None
        print(f"it moved more than --travel {plan.travel:g} rad: something else drives the joint")
        return FAILED

    return _with_one_servo(arguments, move, lambda settings: plan.check(settings.current_limit))


def identify_arguments(action: argparse.ArgumentParser) -> None:
    """Of `identify`."""
    source = action.add_mutually_exclusive_group(required=True)
    argument(source, "--from CSV", "use a recorded sweep", Path, dest="recording")
    argument(source, "--port", "record a sweep of one servo on this port (needs --id and --arm)")
    argument(action, "--id", "servo ID", int)
    _arm_arguments(action)
    argument(action, "--amplitude", "rad to each side", positive, 0.5)
    argument(action, "--max-current", "A", positive, 0.5)
    argument(action, "--constant", "torque constant to take as given, N m/A", positive)
    argument(action, "--out", "keep the recorded sweep as CSV", file_to_write)
    action.add_argument(
        "--lever",
        type=positive,
        nargs=2,
        metavar=("KG", "M"),
        help="the joint turns a lever, so much mass at such a distance from the axis: fit gearbox "
        "models M1 to M5 and say which one the data support",
    )
    argument(
        action,
        "--hanging RAD",
        "joint angle at which the lever hangs down (default: where the recording begins)",
        float,
    )
    argument(action, "--gearbox FILE", "with --lever: write the gearbox to it", yaml_file)


def identify_joint(arguments: argparse.Namespace) -> int | None:
    """Fit the motor model to a sweep, recorded now or before."""
    from boa_hardware.servo.identify import identify, load_sweep, save_sweep
    from boa_hardware.servo.sweep import SweepPlan, run_sweep

    if arguments.gearbox is not None and arguments.lever is None:
        raise BoaError(
            "boa servo identify: --gearbox needs --lever, without which no load is known"
        )

    def report(sweep: Sweep) -> None:
        if arguments.lever is None:
            print(identify(sweep, arguments.constant))
        else:
            _identify_gearbox(sweep, arguments)

    if arguments.recording is not None:
        report(load_sweep(arguments.recording))
        return None
    if arguments.id is None:
        raise BoaError("boa servo identify: --port also needs --id")
    plan = SweepPlan(arguments.amplitude, max_current=arguments.max_current)
    if arguments.lever is not None:  # once to fit, once to judge
        plan = replace(plan, speeds=2 * plan.speeds)

    def check(settings: ServoBusSettings) -> None:
        if plan.max_current > settings.current_limit:
            raise BoaError(
                f"--max-current {plan.max_current:g} A is above the limit of "
                f"{settings.current_limit:g} A (current_limit of --settings); lower it"
            )

    def record(bus: ServoBus) -> None:
        sweep = run_sweep(bus, plan)
        try:
            if arguments.out is not None:
                save_sweep(sweep, arguments.out)
        finally:  # a full disk need not take what the motion has told, too
            report(sweep)

    return _with_one_servo(arguments, record, check)


def _identify_gearbox(sweep: Sweep, arguments: argparse.Namespace) -> None:
    """Print what the lever tells of the gearbox, and write its file."""
    from boa_tools.commands.identify import print_models
    from boa_tools.identification.files import gearbox_text, shown
    from boa_tools.identification.rig import Lever, identify_servo
    from boa_tools.runs.results import write_text

    mass, length = arguments.lever
    hanging = sweep.position[0] if arguments.hanging is None else arguments.hanging
    found = identify_servo(sweep, Lever(mass, length, float(hanging)))
    for one in found.parameters:
        if one.half > 0:
            print(f"{one.name:<24}{shown(one)}{'' if one.determined else ', not determined'}")
    print_models(found)
    if arguments.gearbox is not None:
        source = f"boa servo identify, {mass:g} kg at {length:g} m"
        write_text(arguments.gearbox, gearbox_text(found, arguments.gearbox.stem, source))
        print(arguments.gearbox)


def _with_one_servo(
    arguments: argparse.Namespace,
    action: Callable[[ServoBus], int | None],
    check: Callable[[ServoBusSettings], None],
) -> int | None:
    """Bring up one servo alone and run `action`, with --arm and settings that `check` accepts."""
    if not arguments.arm:
        raise BoaError(
            f"boa servo {arguments.action} moves the joint: give --arm when it is free to turn"
        )
    from boa_hardware.servo.bringup import bring_up
    from boa_hardware.servo.bus import ServoBus

    settings = with_only(settings_of(arguments), arguments.id)
    check(settings)
    with ServoBus(arguments.port, settings) as bus, tells_when_stopped(bus.link):
        bring_up(bus)
        return action(bus)
