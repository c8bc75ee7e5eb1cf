# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rows of the table of a sweep: one for each run. docs/sweeps.md describes the columns. The
table of a sweep as a Parquet file, which pandas, polars, DuckDB, R and Julia read.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from boa_control.safety.ended import Ended
from boa_description.errors import BoaError
from boa_tools.evaluation.metric_table import ALL, FURTHER, METRICS
from boa_tools.evaluation.verdict import outcome, troubles
from boa_tools.runs.results import replacing
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


def require_pyarrow() -> None:
    """Raise BoaError where Parquet files cannot be written."""
    if find_spec("pyarrow") is None:
        raise BoaError(
            "the table of a sweep is a Parquet file, for which this Python lacks pyarrow; install "
            "it: pip install pyarrow (it belongs to the extra 'sweeps' of boa_control)"
        )


def write_table(
    path: Path, rows: Sequence[Row], parameters: Sequence[str], about: Mapping[str, Any]
) -> None:
    """Write the table, whole or not at all.

    Args:
        parameters: varied keys, which are columns.
        about: what the file says about itself, under the key `boa` of its metadata.
    """
    import pyarrow
    import pyarrow.parquet

    names = (NUMBER, *parameters, *COURSE, *METRIC_KEYS, *ORIGIN)
    columns = [_column(name, [row.get(name) for row in rows]) for name in names]
    fields = [
        pyarrow.field(name, column.type, metadata=_meaning(name))
        for name, column in zip(names, columns, strict=True)
    ]
    schema = pyarrow.schema(fields, metadata={"boa": json.dumps(about)})
    with replacing(path) as scratch:
        pyarrow.parquet.write_table(pyarrow.Table.from_arrays(columns, schema=schema), scratch)


def _column(name: str, values: list[Any]) -> Any:
    """A column with the type of its values; numbers that are nowhere known are numbers all the
    same.
    """
    import pyarrow

    known = [value for value in values if value is not None]
    if name in TEXTS:
        return pyarrow.array(values, pyarrow.string())
    if all(isinstance(value, bool) for value in known) and known:
        return pyarrow.array(values, pyarrow.bool_())
    if all(isinstance(value, int) and not isinstance(value, bool) for value in known) and known:
        return pyarrow.array(values, pyarrow.int64())
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        return pyarrow.array(
            [None if value is None else float(value) for value in values], pyarrow.float64()
        )
    return pyarrow.array([_text(value) for value in values], pyarrow.string())


def _text(value: Any) -> str | None:
    """Texts as they are, anything else as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _meaning(name: str) -> dict[str, str]:
    metric = METRICS.get(name) or FURTHER.get(name)
    return {} if metric is None else {"meaning": metric.meaning}
