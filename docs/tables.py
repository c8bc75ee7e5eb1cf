# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tables of the manual that the code says already: `python docs/tables.py` writes them.

A table stands between two marks of its page, `<!-- name: begin -->` and `<!-- name: end -->`.
"""

from __future__ import annotations

from pathlib import Path

from boa_control.controllers.hoal.constant import Room
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.messages.topics import TOPICS, Topic
from boa_description.validation import unit_of
from boa_tools.evaluation.metric import Metric
from boa_tools.evaluation.metric_table import TOPICS as METRICS

DOCS = Path(__file__).parent
METRIC_HEAD = "| key | shown in | definition |\n|---|---|---|"
TUNING_HEAD = "| constant | value | unit | scale | why |\n|---|---|---|---|---|"
TOPIC_HEAD = "| topic | type | from | QoS: durability, depth | content |\n|---|---|---|---|---|"


def metric_row(metric: Metric) -> str:
    """One line of a table of metrics."""
    key = f"extra.{metric.key}" if metric.further else metric.key
    definition = metric.definition or metric.meaning.rstrip(".")
    return f"| `{key}` | {metric.unit} | {definition[0].lower()}{definition[1:]} |"


def topic_row(topic: Topic) -> str:
    """One line of the table of topics."""
    qos = f"{'latched' if topic.latched else 'volatile'}, {topic.depth}"
    content = f"{topic.content[0].upper()}{topic.content[1:]}."
    where = " *Simulation.*" if topic.simulation_only else ""
    return f"| `{topic.name}` | `{topic.msgtype}` | {topic.source} | {qos} | {content}{where} |"


def room_rows(name: str, room: Room) -> list[str]:
    """Lines of the table of the constants of a room, and of what follows from them."""
    kind, rows = type(room), []
    for key, field in kind.model_fields.items():
        extra = field.json_schema_extra
        scale = extra["scale"] if isinstance(extra, dict) else ""
        value = f"{getattr(room, key):g}"
        rows.append(
            f"| `{name}.{key}` | {value} | {unit_of(field)} | {scale} | {field.description} |"
        )
    for key, follows in vars(kind).items():
        if isinstance(follows, property):
            why = " ".join((follows.__doc__ or "").split()).rstrip(".")
            value = f"{getattr(room, key):g}"
            rows.append(f"| `{name}.{key}` | {value} | | follows | {why[0].lower()}{why[1:]} |")
    return rows


def tables() -> dict[str, dict[str, list[str]]]:
    """Page -> name of a table -> its lines."""
    metrics = {
        topic: [METRIC_HEAD, *map(metric_row, members)] for topic, members in METRICS.items()
    }
    topics = {"topics": [TOPIC_HEAD, *map(topic_row, TOPICS)]}
    tuning = {name: [TUNING_HEAD, *room_rows(name, room)] for name, room in SHIPPED}
    return {"metrics.md": metrics, "interface.md": topics, "hoal_tuning.md": tuning}


def filled(page: str, of: dict[str, list[str]]) -> str:
    """The page with every table between its marks.

    Raises:
        ValueError: a table has no marks in the page.
    """
    for name, lines in of.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        before, opened, rest = page.partition(begin)
        _, closed, after = rest.partition(end)
        if not (opened and closed):
            raise ValueError(f"the marks '{begin}' and '{end}' must be in the page")
        page = before + "\n".join((begin, *lines, end)) + after
    return page


def main() -> None:
    """Write all tables."""
    for name, of in tables().items():
        path = DOCS / name
        path.write_text(filled(path.read_text(encoding="utf-8"), of), encoding="utf-8")


if __name__ == "__main__":
    main()
