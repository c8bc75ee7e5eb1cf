"""`boa view`: the live view of a robot or a simulation that is running."""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from boa_tools.commands.arguments import address
    from boa_tools.view.address import LISTEN

    parser.add_argument(
        "--scenario", default="boa_circle", metavar="NAME", help="that is running: path and posts"
    )
    parser.add_argument("--robot", action="store_true", help="the robot, not a simulation")
    parser.add_argument("--namespace", default="/boa", metavar="NS", help="of its nodes")
    parser.add_argument(
        "--listen",
        type=address,
        metavar="HOST:PORT",
        help=f"where the page is (default: {LISTEN}); other machines need a token",
    )
    parser.add_argument("--token", default="", help="of the page, instead of a new one")


def main(arguments: argparse.Namespace) -> int:
    """Show it until Ctrl-C."""
    from importlib.util import find_spec

    from boa_description.errors import BoaError
    from boa_tools.view.address import LISTEN
    from boa_tools.view.live_run import require_view

    require_view()
    if find_spec("rclpy") is None:
        raise BoaError(
            "boa view needs ROS 2 (rclpy); without it, boa run SCENARIO --view shows a run"
        )
    from boa_tools.nodes.view import view

    host, port = arguments.listen or (LISTEN.partition(":")[0], int(LISTEN.partition(":")[2]))
    values = {
        "scenario": arguments.scenario,
        "simulated": str(not arguments.robot).lower(),
        "listen": f"{host}:{port}",
        "token": arguments.token,
    }
    words = ["--ros-args", "-r", f"__ns:={arguments.namespace}"]
    for name, value in values.items():
        if value:
            words += ["-p", f"{name}:={value}"]
    return view(words)
