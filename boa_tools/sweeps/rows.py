# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rows of the table of a sweep: one for each run. docs/sweeps.md describes the columns."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from boa_control.safety.ended import Ended
from boa_tools.evaluation.metric_table import ALL
from boa_tools.evaluation.verdict import outcome, troubles
from boa_tools.sweeps.journal import Row
from boa_tools.sweeps.plan import Parameters
from boa_tools.sweeps.task import Finished, Result

# before the parameters, between them and the metrics, and after those
NUMBER = "run"
COURSE = ("seed", "success", "outcome", "ended", "fault", "error")
ORIGIN = ("seconds", "host", "version", "written")
TEXTS = ("outcome", "ended", "fault", "error", "host", "version", "written")
NEEDED = (NUMBER, *COURSE, *ORIGIN)  # in every row
METRIC_KEYS = tuple(metric.key for metric in ALL)


def row(number: int, point: Parameters, seed: int, result: Result) -> Row:
    """The row of a run; without metrics where it left no result."""
    head: Row = {NUMBER: number, **point, "seed": seed}
    metrics: Row = {}
    origin: tuple[float | None, str | None, str | None]
    if isinstance(result, Finished):
        values = result.values
        fault = Ended.of(values).fault
        head |= {
            "success": bool(values["completed"]) and not troubles(values),
            "outcome": outcome(values),
            "ended": values["ended"],
            "fault": None if fault is None else str(fault),
            "error": None,
        }
        metrics = {key: _metric(values, key) for key in METRIC_KEYS}
        origin = (result.seconds, result.host, result.version)
    else:
        origin = (None, None, None)
        head |= {"success": False, "outcome": "no result", "ended": None, "fault": None}
        head |= {"error": result.reason}
    written = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return head | metrics | dict(zip(ORIGIN, (*origin, written), strict=True))


def newest(rows: list[Row]) -> list[Row]:
    """The last row of every run, in order of their numbers; a run may have been repeated."""
    return [last for _, last in sorted({row[NUMBER]: row for row in rows}.items())]


def ended(rows: list[Row]) -> list[int]:
    """Numbers of the runs that left a result."""
    return [row[NUMBER] for row in newest(rows) if row["error"] is None]


def _metric(values: Mapping[str, Any], key: str) -> Any:
    return values[key] if key in values else values["extra"].get(key)
