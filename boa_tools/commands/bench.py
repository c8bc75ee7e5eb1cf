# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa bench`: how long things take, also relative to a fixed workload in the same run."""

import argparse

from boa_tools.commands.arguments import argument, positive

SHORTEST = 5.0  # s, of a run of the timed groups


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(
        parser,
        "groups GROUP",
        "controllers, chains, run, startup, physics, messages, bag, servo, spine, plant, "
        "launch, engines, view; only when named: real_time (500 and 1000 Hz), robot (quiet and "
        "busy), or one half of them: real_time_500, real_time_1000, robot_quiet, robot_busy; "
        "viewed (a launch with and without a view), gym (an environment for learners)",
        nargs="*",
    )
    argument(
        parser,
        "--seconds S",
        "length of each run of the groups that run only when named; 20",
        positive,
    )
    argument(parser, "--json FILE", "also write the results here")


def main(arguments: argparse.Namespace) -> None:
    """Run the named groups (default: all)."""
    import json
    from pathlib import Path

    from boa_description.errors import BoaError, unknown_name
    from boa_tools.bench.suite import GROUPS, SECONDS, TIMED, run_groups
    from boa_tools.runs.results import write_text

    groups = [*GROUPS, *TIMED]
    for name in arguments.groups:
        if name not in groups:
            raise unknown_name("benchmark group", name, groups)
    timed = [name for name in arguments.groups if name in TIMED]
    if arguments.seconds is not None and not timed:
        raise BoaError(f"--seconds is for the groups {', '.join(TIMED)}; name one of them")
    if arguments.seconds is not None and arguments.seconds < SHORTEST:
        raise BoaError(f"--seconds {arguments.seconds:g}: expected {SHORTEST:g} or more")
    if arguments.json is not None and not Path(arguments.json).absolute().parent.is_dir():
        raise BoaError(f"--json {arguments.json}: the folder does not exist")
    results = run_groups(
        arguments.groups or list(GROUPS),
        show=lambda text: print(text, flush=True),
        seconds=arguments.seconds or SECONDS,
    )
    if arguments.json is not None:
        write_text(Path(arguments.json), json.dumps(results, indent=2) + "\n")
        print(arguments.json)
