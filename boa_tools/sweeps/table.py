# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The table of a sweep as a Parquet file, which pandas, polars, DuckDB, R and Julia read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from boa_description.errors import BoaError
from boa_tools.evaluation.metric_table import FURTHER, METRICS
from boa_tools.sweeps.journal import Row
from boa_tools.sweeps.rows import COURSE, METRIC_KEYS, NUMBER, ORIGIN, TEXTS


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
    scratch = path.with_name(f".{path.name}.part")
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(columns, schema=schema), scratch)
    scratch.replace(path)


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
