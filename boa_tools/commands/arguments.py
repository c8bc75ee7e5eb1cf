# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arguments of the command line: how they are added, and their types, which say what is wrong."""

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from boa_tools.view.address import split_address


def argument(
    parser: argparse._ActionsContainer,
    name: str,
    meaning: str,
    kind: Callable[[str], Any] | None = None,
    default: Any = None,
    **more: Any,
) -> None:
    """Add an argument with a value. Its help ends with the default, if it has one.

    Args:
        name: as typed, with the form of its value: `--radius M`, `map MAP`.
        kind: reads the value, a default in text form, too.
        more: of `add_argument`.
    """
    name, _, form = name.partition(" ")
    if default not in (None, ""):
        meaning += f" ({default:g})" if isinstance(default, float) else f" ({default})"
    more |= {"metavar": form} if form else {}
    more |= {"type": kind} if kind else {}
    parser.add_argument(name, default=default, help=meaning, **more)


def flag(parser: argparse._ActionsContainer, name: str, meaning: str, **more: Any) -> None:
    """Add an option without a value."""
    parser.add_argument(name, action="store_true", help=meaning, **more)


def number(text: str) -> float:
    """A finite number."""
    if not math.isfinite(value := _value(text)):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number")
    return value


def integer(text: str) -> int:
    """A whole number."""
    if not text.removeprefix("-").isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)


def positive(text: str) -> float:
    """A finite number above zero."""
    value = _value(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above zero")
    return value


def positive_int(text: str) -> int:
    """A whole number above zero."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above zero")
    return int(text)


def whole_number(text: str) -> int:
    """A whole number from 0 up."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 0 up")
    return int(text)


def seeds(text: str) -> range:
    """How many seeds, from 0 on, or FIRST-LAST, both included."""
    if "-" not in text:
        return range(positive_int(text))
    first, _, last = text.partition("-")
    if not (first.isdecimal() and last.isdecimal() and int(first) <= int(last)):
        raise argparse.ArgumentTypeError(f"'{text}' names no seeds; write FIRST-LAST, e.g. 200-229")
    return range(int(first), int(last) + 1)


def describe_runs(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the arguments of a command that makes several runs: robot, seed, results, report."""
    argument(parser, "--robot NAME", "robot", default="boa13")
    argument(parser, "--seed N", "of everything random", whole_number, 0)
    argument(parser, "--out DIR", f"results folder (results/{name}-DATE-TIME)")
    flag(parser, "--no-report", "write no plots and pages")
    flag(parser, "--bag", "record bags, too, about 1 MB for each second of a run")


def address(text: str) -> tuple[str, int]:
    """HOST:PORT, or :PORT for this machine alone."""
    try:
        return split_address(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def file_name(text: str) -> Path:
    """A file to write, whose folder is made where there is none."""
    path = Path(text)
    if path.is_dir() or text.endswith("/"):
        raise argparse.ArgumentTypeError(f"'{text}' is a folder; name a file in it")
    return path


def file_to_write(text: str) -> Path:
    """A file to write, in a folder that exists: once the robot has moved it is late to say so."""
    path = file_name(text)
    if not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"'{text}': there is no folder '{path.parent}'; make it")
    return path


def yaml_file(text: str) -> Path:
    """A file to write that later commands know for YAML; without an ending it gets one."""
    path = file_to_write(text)
    path = path if path.suffix else path.with_name(f"{path.name}.yaml")
    if path.suffix not in (".yaml", ".yml"):
        raise argparse.ArgumentTypeError(f"'{text}' does not end in .yaml, as what is written does")
    return path


def add_end(parser: argparse.ArgumentParser) -> None:
    """Add the options that replace the end of a scenario."""
    argument(parser, "--duration S", "simulated time, s, instead of the scenario's", positive)
    argument(parser, "--distance M", "stop after this progress along the path, m", positive)


def _value(text: str) -> float:
    """NaN where it is no number."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def add_formats(parser: argparse.ArgumentParser, when: str = "") -> None:
    """Add the option that writes figures for papers. `when`: it has an effect, before its help."""
    argument(parser, "--format FORM,...", f"{when}every figure also as pdf, svg", formats)


def formats(text: str) -> tuple[str, ...]:
    """Forms of figures, with commas between them."""
    from boa_tools.report.style import FORMATS

    forms = tuple(form.strip() for form in text.split(","))
    for form in forms:
        if form not in FORMATS:
            raise argparse.ArgumentTypeError(
                f"there is no form '{form}' of a figure; take {', '.join(FORMATS)}"
            )
    return forms


def add_trust(parser: argparse.ArgumentParser) -> None:
    """Add the option that allows code which a file names."""
    flag(parser, "--trust", "run the code that it names as controller or engine")
