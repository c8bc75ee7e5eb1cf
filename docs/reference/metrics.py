# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Definitions of all metrics."""

from __future__ import annotations

from typing import Any

from boa_tools.evaluation.metric import Metric
from boa_tools.evaluation.metric_table import TOPICS
from reference.markdown import item, lower

HEAD = "| key | shown in | definition |\n|---|---|---|"
LONGEST = 160  # characters of a definition in a table; what goes on does so in a list below


def metric_row(metric: Metric[Any]) -> str:
    """One line of a table of metrics."""
    return f"| `{_key(metric)}` | {metric.unit} | {lower(_parts(metric)[0])} |"


def metric_tables() -> dict[str, list[str]]:
    """Topic -> its table, and what long definitions say besides."""
    found = {}
    for topic, members in TOPICS.items():
        rest = [
            line
            for metric in members
            for text in _parts(metric)[1:]
            for line in item(f"`{_key(metric)}`", text)
        ]
        found[topic] = [HEAD, *map(metric_row, members), *(["", *rest] if rest else [])]
    return found


def _key(metric: Metric[Any]) -> str:
    return f"extra.{metric.key}" if metric.further else metric.key


def _parts(metric: Metric[Any]) -> list[str]:
    """The definition; where it is long its first sentence and the others."""
    text = (metric.definition or metric.meaning).rstrip(".")
    first, stop, others = text.partition(". ")
    return [first, others] if stop and len(text) > LONGEST else [text]
