# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The `boa` command. Each sub-command is one module with `configure(parser)` and `main(arguments)
-> int | None`.

Only the module of the chosen sub-command is imported, so `boa --help` stays quick; such a module
imports what is heavy inside `main`.
"""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

from boa_description.errors import BoaError
from boa_tools.commands.arguments import integer, number

COMMANDS = {  # name -> what `boa --help` says
    "launch": "start a launch file's nodes, without the ros2 command",
    "run": "run a scenario headless in one process, as fast as it goes",
    "sweep": "run a scenario over ranges of its values, each with many seeds, on all cores or a "
    "cluster",
    "ensemble": "judge a rule of a controller by many seeds, each with perturbed values, on all "
    "cores",
    "view": "watch and steer what runs, or play recordings, in the browser",
    "optimise": "search the values of a scenario that make a metric best and keep limits",
    "trajectory": "the joint trajectory of least effort for the way of a gait, by "
    "contact-implicit search",
    "duct": "gaits of a snake robot between two walls: run, map and optimise a paper's closed form",
    "scenarios": "list the scenarios",
    "controllers": "list the controllers, with origin and parameters",
    "robots": "list the robots",
    "plan": "find a path through posts, check a path, make fields to try the planner on",
    "map": "a map of posts from distances measured with a tape",
    "go": "travel to a place, by posts where they hold the robot, by the floor where that grips",
    "explore": "find a way by touch among posts that nobody knows, then travel it at speed",
    "again": "go the way of a run by touch once more, fast, on the map that it made",
    "report": "metrics, plots and an HTML page from a results folder or a bag",
    "results": "one page over all results of a folder: how each run ended",
    "export": "write a recorded run as tables, CSV or Parquet, for other programs",
    "identify": "gearboxes, inertia and sensors of a robot from its own runs",
    "compare": "replay the torques of a recorded run in simulation and show where the two differ",
    "bag": "record, inspect, play and replay bags",
    "emulate": "start the emulated robot: a serial port and a CAN channel",
    "commission": "the first day with the robot, step by step: writes its calibration record, "
    "or checks it",
    "servo": "scan, inspect and set up servos",
    "sensors": "monitor, tare and calibrate force sensors and IMUs",
    "spine": "check link boards against the Spine Protocol",
    "bench": "run the benchmarks",
    "doctor": "check this machine, this bus and this robot",
}
ELSEWHERE = {"emulate": "boa_hardware.emulator.main"}  # modules of commands not in `commands/`
FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 130
NEGATIVE = re.compile(r"-\.?\d")  # begins a value, not an option


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; `--help` shows the usage. Arguments of type `float` are
    finite. Values may begin with a minus, as the place -0.3,1.2 does.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.register("type", float, number)
        self.register("type", int, integer)
        self._negative_number_matcher = NEGATIVE

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        self.exit(WRONG_INPUT, f"{self.prog}: error: {message}; see {self.prog} --help\n")

    def parse_known_args(self, *given: Any, **named: Any) -> tuple[Any, list[str]]:
        """Unknown options are errors of the sub-command, which name the nearest option."""
        known, unknown = super().parse_known_args(*given, **named)
        if unknown:
            near = get_close_matches(unknown[0], self._option_string_actions, n=1)
            self.error(
                f"unknown argument '{unknown[0]}'"
                + (f"; did you mean '{near[0]}'?" if near else "")
            )
        return known, unknown


class ShowVersion(argparse.Action):
    """Prints the version."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """End with status 0."""
        from boa_description.version import software_version

        print(f"boa {software_version()}")
        parser.exit()


def build_parser(chosen: str | None = None) -> argparse.ArgumentParser:
    """Parser; only the sub-command `chosen` gets its own arguments (and its module imported)."""
    parser = Parser(prog="boa", description="Snake robot Boa: simulation, control and the robot.")
    parser.add_argument(
        "-V", "--version", action=ShowVersion, nargs=0, help="show the version and exit"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
        )
        if name == chosen:
            _module(name).configure(command)
    return parser


def _module(command: str) -> Any:
    return import_module(ELSEWHERE.get(command, f"boa_tools.commands.{command}"))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0 done, 1 failed, 2 wrong input, 130
    interrupted.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    chosen = next((word for word in words if not word.startswith("-")), None)
    try:
        arguments = build_parser(chosen).parse_args(words)
        status = _module(arguments.command).main(arguments)
        sys.stdout.flush()
        return int(status or 0)
    except BoaError as error:
        print(f"boa: error: {' '.join(str(error).split())}", file=sys.stderr)
        return WRONG_INPUT
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0].startswith("boa_"):
            raise
        print(
            f"boa: error: {sys.executable} has no package '{error.name}'; "
            "pip install 'boa_control[tools]' installs all that boa needs",
            file=sys.stderr,
        )
        return WRONG_INPUT
    except KeyboardInterrupt as stop:  # a command that has written something says what
        return _interrupted(str(stop))
    except BrokenPipeError:  # the reader (head, less) has gone; that is not our error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a full disk, a file that must not be read, a share that has gone
        where = f"'{error.filename}': " if error.filename else ""
        print(f"boa: error: {where}{error.strerror or error}", file=sys.stderr)
        return FAILED
    except Exception as error:
        if _caused_by_interrupt(error):
            return _interrupted("")
        # late: it would double the time that `boa --help` takes
        from boa_control.plant import PlantError

        if not isinstance(error, PlantError):
            raise
        print(f"boa: {' '.join(str(error).split())}", file=sys.stderr)
        return FAILED


def _interrupted(kept: str) -> int:
    print(f"boa: stopped by Ctrl-C; {kept or 'nothing was written'}", file=sys.stderr)
    return INTERRUPTED


def _caused_by_interrupt(error: BaseException | None) -> bool:
    """Ctrl-C while a compiled module is imported arrives as an ImportError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None


if __name__ == "__main__":
    sys.exit(main())
