# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Work in a process of its own, whose result is taken over without waiting for it.

The tables of a new path are some 10 MB and take a second. In the controller's process that would
cost hundreds of ticks, in a thread of it the interpreter's lock. So another process makes them, in
a file that is mapped into memory here.

    python -m boa_control.ros.controller.workshop TASK RESULT
"""

from __future__ import annotations

import mmap
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from boa_description.errors import BoaError

NICE = 10


class Work:
    """A task that is being done elsewhere."""

    def __init__(self, task: Callable[[], Any]) -> None:
        """Start it: a task that can be pickled."""
        self._folder = tempfile.TemporaryDirectory(prefix="boa-work-")
        given, self._result = Path(self._folder.name) / "task", Path(self._folder.name) / "result"
        given.write_bytes(pickle.dumps(task))
        words = [
            sys.executable,
            "-m",
            "boa_control.ros.controller.workshop",
            str(given),
            str(self._result),
        ]
        self._process = subprocess.Popen(words)

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return self._process.poll() is not None

    def result(self) -> Any:
        """The value that the task has returned; big arrays stay in a mapped file.

        Raises:
            BoaError: the task has raised it, or its process has failed.
        """
        if self._process.wait() != 0:
            raise BoaError("new path: the process that prepares it has failed; see the log")
        with self._result.open("rb") as file:
            content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
        sizes = pickle.loads(content)  # the first object in the file
        begin = len(pickle.dumps(sizes))
        parts = []
        for size in sizes:
            parts.append(content[begin : begin + size])
            begin += size
        value = pickle.loads(parts[0], buffers=parts[1:])
        if isinstance(value, BoaError):
            raise value
        return value

    def close(self) -> None:
        """Stop it, and remove its files."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()


def save(value: Any, path: Path) -> None:
    """Write a value so that `Work.result` reads it: sizes of all parts, the value, its arrays."""
    arrays: list[pickle.PickleBuffer] = []
    main = pickle.dumps(value, protocol=5, buffer_callback=arrays.append)
    raws = [array.raw() for array in arrays]
    sizes = [len(main), *(raw.nbytes for raw in raws)]
    with path.open("wb") as file:
        file.write(pickle.dumps(sizes))
        file.write(main)
        for raw in raws:
            file.write(raw)


def _work(task: str, result: str) -> int:
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))  # not the controller's priority
    os.nice(NICE)
    done = pickle.loads(Path(task).read_bytes())
    try:
        value = done()
    except BoaError as error:
        value = error
    save(value, Path(result))
    return 0


if __name__ == "__main__":
    sys.exit(_work(*sys.argv[1:]))
