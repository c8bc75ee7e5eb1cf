"""`boa bench`: how long things take, also relative to a fixed workload in the same run."""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "groups",
        nargs="*",
        metavar="GROUP",
        help="controllers, chains, run, startup, physics, messages, bag, servo, spine, plant",
    )
    parser.add_argument("--json", metavar="FILE", help="also write the results here")


def main(arguments: argparse.Namespace) -> None:
    """Run the named groups (default: all)."""
    import json
    from pathlib import Path

    from boa_description.errors import BoaError, unknown_name
    from boa_tools.bench.suite import GROUPS, run_groups
    from boa_tools.runs.results import write_text

    for name in arguments.groups:
        if name not in GROUPS:
            raise unknown_name("benchmark group", name, GROUPS)
    if arguments.json is not None and not Path(arguments.json).absolute().parent.is_dir():
        raise BoaError(f"--json {arguments.json}: the folder does not exist")
    results = run_groups(
        arguments.groups or list(GROUPS), show=lambda text: print(text, flush=True)
    )
    if arguments.json is not None:
        write_text(Path(arguments.json), json.dumps(results, indent=2) + "\n")
        print(arguments.json)
