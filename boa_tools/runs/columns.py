# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Columns of a run log that grow without end: blocks in memory, then in a temporary file."""

import mmap
import tempfile
import weakref
from typing import IO, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

MEMORY = 2**16  # bytes of a column that stay in memory: a scalar of 8192 ticks


Number = TypeVar("Number", np.float64, np.int64)


class Column(Generic[Number]):
    """Rows of one shape, appended block by block.

    What exceeds `MEMORY` goes to a file in the system's folder for temporary files (TMPDIR), which
    is gone when nobody reads it any more; so an hour of a run takes no more memory than a minute.
    """

    def __init__(self, shape: tuple[int, ...], dtype: type[Number]) -> None:
        """`shape` and type of one row."""
        self._shape = shape
        self._dtype: type[Number] = dtype
        self._blocks: list[NDArray[Number]] = []
        self._waiting = 0  # bytes in `_blocks`
        self._rows = 0
        self._file: IO[bytes] | None = None

    def __len__(self) -> int:
        return self._rows

    def append(self, rows: Any) -> None:
        """Add rows (k, ...), whose values may change afterwards.

        Raises:
            OSError: the folder for temporary files takes no more; names it and the remedy.
        """
        block: NDArray[Number] = np.array(rows, dtype=self._dtype, order="C")
        self._blocks.append(block)
        self._rows += len(block)
        self._waiting += block.nbytes
        if self._waiting > MEMORY:
            self._spill()

    def pad(self, rows: int) -> None:
        """Add rows of NaN up to a number of rows; of floating-point columns only."""
        if rows > self._rows:
            self.append(np.full((rows - self._rows, *self._shape), np.nan))

    def array(self) -> NDArray[Number]:
        """All rows so far, shape (rows, ...)."""
        if self._file is None:
            none = np.empty((0, *self._shape), dtype=self._dtype)
            return np.concatenate([none, *self._blocks])
        self._spill()
        view = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_COPY)
        return np.frombuffer(view, dtype=self._dtype).reshape(-1, *self._shape)

    def _spill(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the column
            weakref.finalize(self, self._file.close)
        try:
            self._file.write(b"".join(block.data for block in self._blocks))
            self._file.flush()
        except OSError as error:
            remedy = f"{error.strerror}; free some space or set TMPDIR to another folder"
            raise OSError(error.errno, remedy, tempfile.gettempdir()) from error
        self._blocks.clear()
        self._waiting = 0
