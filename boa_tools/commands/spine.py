# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa spine check`: does a link board keep to the Spine Protocol?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from boa_tools.commands.arguments import argument, flag, positive

if TYPE_CHECKING:
    from boa_hardware.spine.conformance.finding import Requests
    from boa_hardware.spine.settings import SpineSettings

FAILED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser(
        "check",
        help="check link boards against the Spine Protocol (docs/spine.md)",
        description="Check link boards against the Spine Protocol and print what passed. Nothing "
        "moves without --panic and --arm.",
    )
    argument(check, "channel CHANNEL", "e.g. socketcan:can0")
    argument(check, "--link", "number of the board, 1 to 63; default: all that answer", int)
    argument(check, "--settings", "spine settings YAML", Path)
    argument(check, "--turn DEG", "turn the board by so much when told, e.g. 90", float)
    argument(check, "--load N", "load the sensor along its x axis when told", float)
    argument(check, "--seconds", "for turn and load", positive, 5.0)
    argument(check, "--range", "of the force sensor, N", positive, 50.0)
    flag(check, "--panic", "send a PANIC; servo boards need a power cycle then")
    flag(check, "--arm", "after it command a torque; the joint must be free")


def main(arguments: argparse.Namespace) -> int | None:
    """Print a table per board; status 1 unless everything that was tested has passed."""
    import time

    from boa_control.plant import PlantError
    from boa_description.errors import BoaError
    from boa_hardware.spine.channel import open_channel
    from boa_hardware.spine.conformance.bench import BoardBench
    from boa_hardware.spine.conformance.board import check_board, links_on
    from boa_hardware.spine.conformance.finding import Result
    from boa_hardware.spine.protocol import MAX_LINK

    if arguments.link is not None and not 1 <= arguments.link <= MAX_LINK:
        raise BoaError(f"--link {arguments.link}: the Spine Protocol has links 1 to {MAX_LINK}")
    settings, requests = _settings(arguments.settings), _requests(arguments)

    def say(text: str) -> None:
        print(text, flush=True)

    bus = open_channel(arguments.channel, fd=settings.fd_frame)
    failed = 0
    try:
        bench = BoardBench(bus, settings, time.monotonic_ns)
        bench.require_alone()
        links = [arguments.link] if arguments.link is not None else links_on(bench)
        if not links:
            raise PlantError(
                "spine: no board answers SYNC SENSOR; check power, bit rate and termination"
            )
        for link in links:
            say(f"link {link}")
            for finding in check_board(bench, link, requests, say):
                say(f"  {finding.check:<15} {finding.result.value:<11} {finding.text}")
                failed += finding.result is Result.FAILED
    finally:
        bus.shutdown()
    print(f"{failed} failed" if failed else "all that was tested has passed")
    return FAILED if failed else None


def _settings(file: Path | None) -> SpineSettings:
    """Those of a file; else the usual ones."""
    from boa_hardware.block_file import load_block
    from boa_hardware.spine.settings import SpineSettings

    return load_block(SpineSettings, file, "spine") if file else SpineSettings()


def _requests(arguments: argparse.Namespace) -> Requests:
    from boa_hardware.spine.conformance.finding import Requests

    return Requests(
        turn=arguments.turn,
        load=arguments.load,
        panic=arguments.panic,
        arm=arguments.arm,
        seconds=arguments.seconds,
        range_n=arguments.range,
    )
