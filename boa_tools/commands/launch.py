# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa launch FILE name:=value ...`: the nodes of a launch file where the `ros2` command is not
installed.
"""

import argparse

from boa_description.errors import BoaError
from boa_tools.commands.arguments import argument


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(parser, "file", "launch file, e.g. hoal.launch.py")
    argument(parser, "arguments name:=value", "launch arguments; --show-args lists them", nargs="*")
    parser.add_argument(
        "-s",
        "--show-args",
        "--show-arguments",
        action="store_true",
        help="list the launch arguments, start nothing",
    )


def main(arguments: argparse.Namespace) -> int:
    """Start the nodes and wait for their end."""
    values = dict(_pair(word) for word in arguments.arguments)
    if arguments.show_args:
        from boa_tools.bringup.runner import find_launch_file

        print(find_launch_file(arguments.file).described())
        return 0
    from boa_tools.bringup.runner import launch

    return int(launch(arguments.file, values))


def _pair(word: str) -> tuple[str, str]:
    name, separator, value = word.partition(":=")
    if not separator or not name:
        raise BoaError(f"launch argument '{word}' is not of the form name:=value, e.g. sim:=true")
    return name, value
