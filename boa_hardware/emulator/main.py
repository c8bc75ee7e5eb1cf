# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa emulate`: an emulated Boa until Ctrl-C."""

import argparse
import signal
import threading
from typing import get_args

from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import ControllerChoice, InitialState, RobotChoice, Scenario
from boa_description.errors import BoaError
from boa_hardware.block_file import B, load_block
from boa_hardware.config import RobotSettings, Topology, load_robot_settings
from boa_hardware.emulator.boa import OWN_GEARBOX, EmulatedBoa
from boa_hardware.emulator.script import FaultScript
from boa_hardware.emulator.server import BoaServer
from boa_hardware.emulator.wiring import Wiring
from boa_hardware.realtime import make_punctual
from boa_hardware.servo.registers import BAUD_RATES
from boa_hardware.servo.settings import default_settings

PRIORITY = 30  # SCHED_FIFO where that is allowed: servos and boards do not wait for a busy computer


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "scenario",
        nargs="?",
        help="scene and start pose (name or YAML file); default: free floor, straight",
    )
    parser.add_argument(
        "--robot", default=None, metavar="NAME", help="robot (default: the scenario's, else boa13)"
    )
    parser.add_argument(
        "--hardware", metavar="FILE", help="wiring (see config/robot.yaml); default: IDs 1 to n"
    )
    parser.add_argument(
        "--topology", choices=get_args(Topology), help="servos on RS-485 (default) or on the spine"
    )
    parser.add_argument(
        "--baud", type=int, choices=sorted(BAUD_RATES.values()), help="of the servos, bit/s"
    )
    parser.add_argument(
        "--wiring", metavar="FILE", help="what is put together wrongly, see docs/bringup.md"
    )
    parser.add_argument("--faults", metavar="FILE", help="fault script, see docs/safety.md")
    parser.add_argument(
        "--latency", type=float, default=0.0, help="what the serial adapter adds to an answer, s"
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="of noise, disturbances and random faults"
    )


def main(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM; prints the serial port and the CAN channel first, one per
    line, then what the robot is and where its hands are (`boa commission --hands`).
    """
    if arguments.latency < 0 or arguments.latency > 1:
        raise BoaError(f"--latency {arguments.latency}: expected 0 to 1 s")
    experiment = _experiment(arguments.scenario, arguments.robot)
    settings = _settings(arguments, experiment)
    script = _read(FaultScript, arguments.faults, "--faults") or FaultScript()
    wiring = _read(Wiring, arguments.wiring, "--wiring")
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    boa = EmulatedBoa(
        settings,
        experiment,
        script,
        wiring,
        gearbox=OWN_GEARBOX,
        seed=arguments.seed,
        real_time=True,
    )
    make_punctual(PRIORITY)
    with BoaServer(boa, latency=arguments.latency) as server:
        print(server.serial_port, flush=True)
        print(server.channel, flush=True)
        print(
            f"{boa.robot.name}: {boa.robot.joints} servos, {boa.robot.links} link boards; "
            f"hands at {server.hands.path}; Ctrl-C ends it",
            flush=True,
        )
        stop.wait()
    return 0


def _read(model: type[B], file: str | None, option: str) -> B | None:
    """What a file says, where one is given. Raises BoaError: nothing at all."""
    if file is None:
        return None
    said = load_block(model, file)
    if said == model():
        keys = ", ".join(model.model_fields)
        raise BoaError(f"{option} {file} says nothing; list something at {keys}, or leave it out")
    return said


def _experiment(scenario: str | None, robot: str | None) -> Experiment | None:
    """The scene; None for the default robot on a free floor."""
    if scenario is not None:
        loaded = load_scenario(scenario)
        if robot is not None:
            loaded = loaded.model_copy(
                update={"robot": loaded.robot.model_copy(update={"name": robot})}
            )
        return prepare(loaded)
    if robot in (None, "boa13"):
        return None
    free = Scenario(
        name="free",
        summary="a straight chain on a free floor",
        robot=RobotChoice(name=robot),
        initial=InitialState(base=(0.0, 0.0, 0.0)),
        controller=ControllerChoice(name="constant"),
        duration=1.0,
    )
    return prepare(free)


def _settings(arguments: argparse.Namespace, experiment: Experiment | None) -> RobotSettings:
    settings = load_robot_settings(arguments.hardware)
    changes: dict[str, object] = {}
    if arguments.topology is not None:
        changes["topology"] = arguments.topology
    if arguments.baud is not None:
        from boa_description.load import load_robot

        robot = experiment.robot if experiment is not None else load_robot("boa13")
        servos = settings.servos or default_settings(robot)
        changes["servos"] = servos.model_copy(update={"baud": arguments.baud})
    return settings.model_copy(update=changes)
