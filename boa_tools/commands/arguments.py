# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Types of command line arguments; what argparse says when one is wrong."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from boa_tools.view.address import split_address


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
    parser.add_argument("--robot", metavar="NAME", default="boa13", help="robot (boa13)")
    parser.add_argument(
        "--seed", metavar="N", type=whole_number, default=0, help="of everything random (0)"
    )
    parser.add_argument("--out", metavar="DIR", help=f"results folder (results/{name}-DATE-TIME)")
    parser.add_argument("--no-report", action="store_true", help="write no plots and pages")


def address(text: str) -> tuple[str, int]:
    """HOST:PORT, or :PORT for this machine alone."""
    try:
        return split_address(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def yaml_file(text: str) -> Path:
    """A file to write that later commands know for YAML; without an ending it gets one."""
    if Path(text).is_dir() or text.endswith("/"):
        raise argparse.ArgumentTypeError(f"'{text}' is a folder; name a file in it")
    path = Path(text if Path(text).suffix else f"{text}.yaml")
    if path.suffix not in (".yaml", ".yml"):
        raise argparse.ArgumentTypeError(f"'{text}' does not end in .yaml, as what is written does")
    return path


def add_end(parser: argparse.ArgumentParser) -> None:
    """Add the options that replace the end of a scenario."""
    parser.add_argument(
        "--duration",
        type=positive,
        metavar="S",
        help="simulated time, s, instead of the scenario's",
    )
    parser.add_argument(
        "--distance", type=positive, metavar="M", help="stop after this progress along the path, m"
    )


def _value(text: str) -> float:
    """NaN where it is no number."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def add_formats(parser: argparse.ArgumentParser, when: str = "") -> None:
    """Add the option that writes figures for papers. `when`: it has an effect, before its help."""
    parser.add_argument(
        "--format", type=formats, metavar="FORM,...", help=f"{when}every figure also as pdf, svg"
    )


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
    parser.add_argument(
        "--trust",
        action="store_true",
        help="run the code that it names as controller or engine",
    )
