# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The journal of a folder of many runs: a line of JSON is added whenever a run ends.

A kill at any time costs at most the line that is just being written, and its run is repeated.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from boa_description.errors import BoaError

Row = dict[str, Any]

JOURNAL = "runs.jsonl"  # its name in a folder


class Journal:
    """An open journal; one process at a time has it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def append(self, row: Row) -> None:
        """Add a line, onto the disk."""
        self._file.write(json.dumps(row, allow_nan=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


@contextmanager
def open_journal(path: Path) -> Iterator[Journal]:
    """Open for adding; half a line at the end is removed.

    Raises:
        BoaError: another process has it open.
    """
    with path.open("a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BoaError(
                f"another boa is at work in '{path.parent}'; wait for it, or stop it"
            ) from error
        file.seek(0)
        text = file.read()
        file.truncate(len(text) - len(_torn(text)))
        yield Journal(file)


def read_journal(path: Path, needs: tuple[str, ...]) -> list[Row]:
    """All complete lines, each with at least the keys `needs`; none where there is no file.

    Raises:
        BoaError: a line is damaged.
    """
    if not path.exists():
        return []
    text = path.read_bytes()
    rows = []
    for number, line in enumerate(text[: len(text) - len(_torn(text))].splitlines(), start=1):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or not all(key in row for key in needs):
            raise BoaError(
                f"{path}, line {number} is damaged; remove this line, and its run is repeated when "
                "you resume"
            )
        rows.append(row)
    return rows


def _torn(text: bytes) -> bytes:
    """The part of a line after the last complete one."""
    return text.rpartition(b"\n")[2]
