# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa export RUN --csv|--parquet`: a recorded run as tables for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("source", metavar="DIR|BAG", help="results folder of a run, or a bag")
    form = parser.add_mutually_exclusive_group(required=True)
    form.add_argument("--csv", dest="form", action="store_const", const="csv", help="as CSV files")
    form.add_argument(
        "--parquet", dest="form", action="store_const", const="parquet", help="as Parquet files"
    )
    parser.add_argument(
        "--out", metavar="DIR", help="where to write (default: export/ in the results folder)"
    )


def main(arguments: argparse.Namespace) -> None:
    """Write a file for each table, and print their paths."""
    from boa_tools.bags.recorded import find_bag
    from boa_tools.export.files import WRITERS
    from boa_tools.export.recorded import load
    from boa_tools.runs.results import results_directory
    from boa_tools.sweeps.table import require_pyarrow

    if arguments.form == "parquet":
        require_pyarrow()
    source = Path(arguments.source)
    inside = find_bag(source) != source
    folder = source / "export" if inside else source.with_name(f"{source.stem}-export")
    directory = results_directory(arguments.out or str(folder), source.name)
    run = load(source)
    directory.mkdir(parents=True, exist_ok=True)
    for name, table in run.tables.items():
        path = directory / f"{name}.{arguments.form}"
        WRITERS[arguments.form](path, table)
        print(path)
