"""The tables of docs/metrics.md from the metrics: `python -m boa_tools.evaluation.metric_docs`."""

from __future__ import annotations

import argparse
from pathlib import Path

from boa_tools.evaluation.metric import Metric
from boa_tools.evaluation.metric_table import TOPICS

HEAD = "| key | shown in | definition |\n|---|---|---|"


def row(metric: Metric) -> str:
    """One line of a table."""
    key = f"extra.{metric.key}" if metric.further else metric.key
    definition = metric.definition or metric.meaning.rstrip(".")
    return f"| `{key}` | {metric.unit} | {definition[0].lower()}{definition[1:]} |"


def filled(page: str) -> str:
    """The page with the table of every topic between its marks.

    Raises:
        ValueError: a topic has no marks in the page.
    """
    for topic, metrics in TOPICS.items():
        begin, end = f"<!-- metrics: {topic} -->", f"<!-- {topic}: end -->"
        before, opened, rest = page.partition(begin)
        _, closed, after = rest.partition(end)
        if not (opened and closed):
            raise ValueError(f"the marks '{begin}' and '{end}' must be in the page")
        page = before + "\n".join((begin, HEAD, *map(row, metrics), end)) + after
    return page


def main() -> None:
    """Write the tables into the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "file", nargs="?", default="docs/metrics.md", help="document (default: docs/metrics.md)"
    )
    path = Path(parser.parse_args().file)
    path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
