# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa results [DIR]`: one page over all results of a folder, and a line for each."""

import argparse
from pathlib import Path

from boa_tools.commands.arguments import argument


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the argument."""
    argument(parser, "folder DIR", "their folder", default="results", nargs="?")


def main(arguments: argparse.Namespace) -> None:
    """Print how each run ended, and write index.html."""
    from boa_tools.report.results_index import INDEX, entries, results_page
    from boa_tools.runs.results import write_text

    folder = Path(arguments.folder)
    found = entries(folder)
    width = max(len(entry.name) for entry in found)
    for entry in found:
        print(f"{entry.when:%Y-%m-%d %H:%M}  {entry.name:<{width}}  {entry.told}")
    write_text(folder / INDEX, results_page(folder, found))
    print(folder / INDEX)
