"""`boa robots`: the robots that scenarios can name, one line each."""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments."""


def main(_: argparse.Namespace) -> None:
    """Print name, size and summary of every shipped robot."""
    from boa_description.load import load_robot, robot_names

    for name in robot_names():
        robot = load_robot(name)
        print(
            f"{name:<8} {robot.links:3d} links  {robot.length:6.4f} m  {robot.mass:7.3f} kg  "
            f"{robot.summary}"
        )
