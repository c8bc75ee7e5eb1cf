# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Consecutive ticks of a run as columns: a call of numpy for a block instead of one for a tick.
Columns of a run log that grow without end: blocks in memory, then in a temporary file.
"""

import mmap
import tempfile
import weakref
from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from typing import IO, Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from boa_control.controller import (
    ControlOutput,
    EstimateColumns,
    debug_columns,
    debug_layout,
    estimate_columns,
)
from boa_control.plant import GroundTruth, SensorFrame, TruthColumns, truth_columns
from boa_description.arrays import Array
from boa_tools.runs.loop import Tick

MEMORY = 2**16  # bytes of a column that stay in memory: a scalar of 8192 ticks


Number = TypeVar("Number", np.float64, np.int64)
BLOCK = 256  # ticks that are worked out together


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


class TickBlock:
    """Consecutive ticks with the same parts: the same debug values, and truth in all or in none.
    Columns are worked out when they are read first.

    Attributes:
        ticks: in order, at least one.
        frames, outputs, truths: of these; no truths on a robot.
        stamps_ns: of the frames.
    """

    def __init__(self, ticks: Sequence[Tick]) -> None:
        self.ticks = ticks
        self.frames: list[SensorFrame] = [tick.frame for tick in ticks]
        self.outputs: list[ControlOutput] = [tick.output for tick in ticks]
        self.truths: list[GroundTruth] = [tick.truth for tick in ticks if tick.truth is not None]
        self.stamps_ns: list[int] = [frame.stamp_ns for frame in self.frames]

    @cached_property
    def numbers(self) -> dict[str, Array]:
        """Numbers of every tick, by their names in a run log, shape (T, ...)."""
        return {
            "position": np.array([frame.position for frame in self.frames]),
            "velocity": np.array([frame.velocity for frame in self.frames]),
            "effort": np.array([frame.effort for frame in self.frames]),
            "commanded": np.array([output.torque for output in self.outputs]),
            "applied": np.array([tick.applied for tick in self.ticks]),
            "control_step_us": np.array([tick.control_step_us for tick in self.ticks]),
            "wall_s": np.array([tick.wall_s for tick in self.ticks]),
        }

    @cached_property
    def debug(self) -> dict[str, Array]:
        """The debug values of the controller, shape (T, ...)."""
        return debug_columns(self.outputs)

    @cached_property
    def estimates(self) -> EstimateColumns:
        """Contacts as the controller reports them; `report` counts the ticks of this block."""
        return estimate_columns([output.contacts for output in self.outputs])

    @cached_property
    def contacts(self) -> TruthColumns:
        """True contacts; `report` counts the truths of this block."""
        return truth_columns([truth.contacts for truth in self.truths])


class Sink(Protocol):
    """Takes the ticks of a run in order, block by block: a recording, a bag."""

    def add(self, block: TickBlock) -> None:
        """Take one block."""


class Gathering:
    """Gathers ticks into blocks for sinks."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = sinks
        self._waiting: list[Tick] = []

    def add(self, tick: Tick) -> None:
        """Take one tick; `BLOCK` of them go out together."""
        self._waiting.append(tick)
        if len(self._waiting) == BLOCK:
            self.flush()

    def flush(self) -> None:
        """Hand out the ticks that wait."""
        waiting, self._waiting = self._waiting, []
        for _, ticks in groupby(waiting, _parts):
            block = TickBlock(list(ticks))
            for sink in self._sinks:
                sink.add(block)


def _parts(tick: Tick) -> object:
    """Layout that all ticks of a block share."""
    return debug_layout(tick.output), tick.truth is None
