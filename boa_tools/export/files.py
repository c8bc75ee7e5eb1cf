# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables as files: CSV for everything, Parquet for pandas, polars, DuckDB, R and Julia."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from boa_tools.export.table import Table, Values, unit_of


def write_csv(path: Path, table: Table) -> None:
    """Write a table with its names in the first line; what is unknown is empty."""
    columns = table.flat()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(_cells(values) for values in columns.values()), strict=True))


def write_parquet(path: Path, table: Table) -> None:
    """Write a table with the units in the metadata of its columns."""
    import pyarrow
    import pyarrow.parquet

    columns = {name: pyarrow.array(values.tolist()) for name, values in table.flat().items()}
    fields = [
        pyarrow.field(name, column.type, metadata={"unit": unit_of(name.partition(".")[0])})
        for name, column in columns.items()
    ]
    whole = pyarrow.Table.from_arrays(list(columns.values()), schema=pyarrow.schema(fields))
    pyarrow.parquet.write_table(whole, path)


WRITERS: Mapping[str, Callable[[Path, Table], None]] = {
    "csv": write_csv,
    "parquet": write_parquet,
}


def _cells(values: Values) -> list[Any]:
    return [
        "" if isinstance(value, float) and not math.isfinite(value) else value
        for value in values.tolist()
    ]
