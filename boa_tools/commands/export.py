# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa export RUN --csv|--parquet|--lerobot`: recorded runs for other programs."""

import argparse
from pathlib import Path

from boa_tools.commands.arguments import argument


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(parser, "sources DIR|BAG", "results folder of a run, or a bag", nargs="+")
    form = parser.add_mutually_exclusive_group(required=True)
    for name, told in (
        ("csv", "as CSV files"),
        ("parquet", "as Parquet files"),
        ("lerobot", "as a data set of LeRobot (v3.0), an episode for each run"),
    ):
        form.add_argument(f"--{name}", dest="form", action="store_const", const=name, help=told)
    argument(parser, "--out DIR", "where to write (default: export/ in the results folder)")


def main(arguments: argparse.Namespace) -> None:
    """Write the files, and print where they are."""
    from boa_description.errors import BoaError
    from boa_tools.bags.recorded import find_bag
    from boa_tools.export.lerobot import episode, write_lerobot
    from boa_tools.export.recorded import load
    from boa_tools.export.table import WRITERS
    from boa_tools.runs.results import results_directory
    from boa_tools.sweeps.rows import require_pyarrow

    if arguments.form != "csv":
        require_pyarrow()
    if len(arguments.sources) > 1 and (arguments.form != "lerobot" or arguments.out is None):
        raise BoaError("several runs make one data set of LeRobot, with --lerobot and --out DIR")
    source = Path(arguments.sources[0])
    inside = find_bag(source) != source
    folder = source / "export" if inside else source.with_name(f"{source.stem}-export")
    directory = results_directory(arguments.out or str(folder), source.name)
    if arguments.form == "lerobot":
        write_lerobot(directory, [episode(load(path)) for path in arguments.sources])
        print(directory)
        return
    run = load(source)
    directory.mkdir(parents=True, exist_ok=True)
    for name, table in run.tables.items():
        path = directory / f"{name}.{arguments.form}"
        WRITERS[arguments.form](path, table)
        print(path)
