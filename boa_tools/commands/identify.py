# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa identify BAG...`: gearboxes, inertia and sensors of a robot from its own runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from boa_tools.commands.arguments import argument

if TYPE_CHECKING:
    from boa_tools.identification.estimate import RobotEstimate


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(parser, "bags BAG", "results folder of a run, or a bag", Path, nargs="+")
    argument(
        parser,
        "--model",
        "of the gearboxes (default: the one that predicts best what was not fitted)",
        choices=("viscous", "coulomb", "stribeck", "load", "load_stribeck"),
    )
    argument(parser, "--scenario NAME", "scenario of bags that were recorded without one")
    argument(parser, "--out DIR", "folder for the files (default: results/identified-<date>)")


def main(arguments: argparse.Namespace) -> None:
    """Estimate, print, write."""
    from boa_description.version import software_version
    from boa_tools.bags.recorded import find_run
    from boa_tools.bags.ticks import read_run
    from boa_tools.identification import files
    from boa_tools.identification.estimate import identify
    from boa_tools.runs.results import results_directory, staged, write_text

    directory = results_directory(arguments.out, "identified")
    found_runs = [find_run(bag, arguments.scenario) for bag in arguments.bags]
    runs = [(read_run(run.bag, run.experiment), run.experiment) for run in found_runs]
    found = identify(runs, arguments.model)
    robot = runs[0][1].robot
    names = ", ".join(str(bag) for bag in arguments.bags)
    source = f"boa identify of {names}"
    print_estimate(found)
    with staged(directory) as scratch:
        write_text(scratch / files.GEARBOX, files.gearbox_text(found, robot.name, source))
        write_text(scratch / files.ROBOT, files.robot_text(robot, found, source))
        about = {"run": names, "version": software_version()}
        write_text(scratch / files.IDENTIFIED, files.identified_text(found, robot, about))
    for name in (files.GEARBOX, files.ROBOT, files.IDENTIFIED):
        print(directory / name)


def print_estimate(found: RobotEstimate) -> None:
    """Tables on the terminal."""
    from boa_tools.evaluation.columns import aligned
    from boa_tools.identification.estimate import OF_JOINTS, UNKNOWN
    from boa_tools.identification.files import shown

    def cell(name: str, joint: int) -> str:
        one = next(p for p in found.parameters if (p.name, p.joint) == (name, joint))
        return shown(one) if one.determined else f"not determined ({shown(one)})"

    print(f"gearboxes at {found.rate:.2f} rad/s, intervals of 95 %, {found.blocks} blocks fitted")
    columns = [*(name for name, _, _ in OF_JOINTS), "force scale"]
    joints = range(1, max(p.joint for p in found.parameters) + 1)
    rows = [[str(joint), *(cell(name, joint) for name in columns)] for joint in joints]
    for line in aligned([["joint", *columns], *rows]):
        print(f"  {line}")
    for one in found.parameters:
        if one.joint == 0:
            print(f"  {one.name:<24}{cell(one.name, 0)}")
    print_models(found)
    print("not to be known from such runs:")
    for name, why in UNKNOWN.items():
        print(f"  {name}: {why}")


def print_models(found: RobotEstimate) -> None:
    """How well each model of a gearbox predicts."""
    from boa_tools.identification.estimate import FITTED
    from boa_tools.identification.gears import MODELS

    print(f"torques that models leave, rms: first {FITTED:.0%} of each run (fitted), rest (judged)")
    for name, left in found.judged.items():
        paper = f"{name} ({MODELS[name].paper})" if MODELS[name].paper else name
        chosen = "  <- chosen" if name == found.model else ""
        print(f"  {paper:<24}{found.fitted[name]:.4f}, {left:.4f} N m{chosen}")
