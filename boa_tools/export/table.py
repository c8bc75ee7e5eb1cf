# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A table of named columns whose names say their units. Tables as files: CSV for everything,
Parquet for pandas, polars, DuckDB, R and Julia.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boa_description.errors import BoaError

Values = NDArray[Any]
# end of a name -> unit
UNITS = {
    "s": "s",
    "ns": "ns",
    "us": "us",
    "m": "m",
    "mps": "m/s",
    "mps2": "m/s2",
    "rad": "rad",
    "radps": "rad/s",
    "n": "N",
    "nm": "N m",
}
AXES = ("x", "y", "z")


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


def unit_of(name: str) -> str:
    """Unit of the values under a name; empty for numbers and words without."""
    return UNITS.get(name.rpartition("_")[2], "")


class Table(Mapping[str, Values]):
    """Arrays by name, each with the same number of rows: a mapping that a user of Python reads.

    Attributes:
        rows: their number.
    """

    def __init__(self, columns: Mapping[str, Values], parts: Sequence[str] = ()) -> None:
        """`parts`: names of what arrays of that many columns have one each of, the joints."""
        self._columns = dict(columns)
        self._parts = tuple(parts)
        self.rows = len(next(iter(self._columns.values()), ()))

    def __getitem__(self, name: str) -> Values:
        """An array, shape (rows, ...)."""
        if name not in self._columns:
            raise BoaError(f"there is no '{name}' here; there are {', '.join(self._columns)}")
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of names."""
        return len(self._columns)

    def __contains__(self, name: object) -> bool:
        """Whether there is such an array."""
        return name in self._columns

    @property
    def units(self) -> dict[str, str]:
        """Unit of every array that has one."""
        return {name: unit for name in self if (unit := unit_of(name))}

    def flat(self) -> dict[str, Values]:
        """Columns of shape (rows,): of an array of several, one each, `position_rad.joint_05`."""
        return {
            f"{name}{suffix}": values.reshape(self.rows, -1)[:, place]
            for name, values in self._columns.items()
            for place, suffix in enumerate(self._suffixes(values))
        }

    def frame(self) -> Any:
        """The same as `pandas.DataFrame`, with the units in its `attrs`.

        Raises:
            BoaError: pandas is not installed.
        """
        if find_spec("pandas") is None:
            raise BoaError("a frame needs pandas; install it (pip install pandas), or use arrays")
        frame = import_module("pandas").DataFrame(self.flat())
        frame.attrs["units"] = self.units
        return frame

    def _suffixes(self, values: Values) -> list[str]:
        if values.ndim == 1:
            return [""]
        many = values.shape[1]
        first = self._parts if many == len(self._parts) else [str(k) for k in range(many)]
        names = [f".{part}" for part in first]
        for size in values.shape[2:]:
            further = AXES if size == len(AXES) else [str(k) for k in range(size)]
            names = [f"{name}.{part}" for name in names for part in further]
        return names


def known(columns: Mapping[str, Values | None]) -> dict[str, Values]:
    """Those columns that there are."""
    return {name: np.asarray(values) for name, values in columns.items() if values is not None}
