# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa robots`: the robots that scenarios can name, one line each; or the URDF or MJCF of one of
them.
"""

import argparse

from boa_tools.commands.arguments import argument


def configure(parser: argparse.ArgumentParser) -> None:
    """The model of a robot instead of the list."""
    form = parser.add_mutually_exclusive_group()
    argument(form, "--urdf ROBOT", "print the URDF of a robot (name or YAML)")
    argument(form, "--xacro ROBOT", "the same with the xacro argument 'prefix'")
    argument(form, "--mjcf ROBOT", "print its MuJoCo model, on a free base")


def main(arguments: argparse.Namespace) -> None:
    """Print name, size, joint axes and summary of every shipped robot, or a model."""
    from boa_description.load import load_robot, robot_names
    from boa_description.urdf import build_urdf, build_xacro

    if arguments.urdf is not None:
        print(build_urdf(load_robot(arguments.urdf)), end="")
        return
    if arguments.xacro is not None:
        print(build_xacro(load_robot(arguments.xacro)), end="")
        return
    if arguments.mjcf is not None:
        from boa_description.mjcf import build_spec

        print(build_spec(load_robot(arguments.mjcf), base="free").to_xml(), end="")
        return
    for name in robot_names():
        robot = load_robot(name)
        print(
            f"{name:<8} {robot.links:3d} links  {robot.length:6.4f} m  {robot.mass:7.3f} kg  "
            f"{robot.joint.axes:<11} {robot.summary}"
        )
