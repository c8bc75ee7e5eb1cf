# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Work in a process of its own, whose result is taken over without waiting for it.

The tables of a new path are some 10 MB and take a second. In the controller's process that would
cost hundreds of ticks, in a thread of it the interpreter's lock. So another process makes them, in
a file that is mapped into memory here. What it needs it imports before there is a task, which else
would take longer than the task.

    python -m boa_control.ros.controller.workshop MODULE ...
"""

from __future__ import annotations

import mmap
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from boa_description.errors import BoaError

NICE = 5  # as the search of the planner, which the robot has waited for before


class Workshop:
    """Processes for tasks, of which one waits if it was asked for."""

    def __init__(self, *modules: str) -> None:
        """`modules` that tasks need; they are imported while a process waits."""
        self._words = [sys.executable, "-m", "boa_control.ros.controller.workshop", *modules]
        self._waiting: subprocess.Popen[str] | None = None

    def prepare(self) -> None:
        """A task will come."""
        if self._waiting is None or self._waiting.poll() is not None:
            self._waiting = subprocess.Popen(self._words, stdin=subprocess.PIPE, text=True)

    def begin(self, task: Callable[[], Any]) -> Work:
        """Start a task that can be pickled."""
        self.prepare()
        assert self._waiting is not None
        process, self._waiting = self._waiting, None
        return Work(task, process)

    def close(self) -> None:
        """End the process that waits."""
        if self._waiting is not None:
            self._waiting.kill()
            self._waiting.communicate()


class Work:
    """A task that is being done elsewhere."""

    def __init__(self, task: Callable[[], Any], process: subprocess.Popen[str]) -> None:
        """Give it to a process that waits for one. Raises BoaError: there is no room for it."""
        self._process = process
        try:
            self._folder = tempfile.TemporaryDirectory(prefix="boa-work-")
            folder = Path(self._folder.name)
            given, self._result = folder / "task", folder / "result"
            given.write_bytes(pickle.dumps(task))
        except OSError as error:
            process.kill()
            process.communicate()
            raise BoaError(
                f"new path: '{tempfile.gettempdir()}' takes nothing: {error.strerror}; make room"
            ) from error
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended: its status tells
            process.stdin.write(f"{given}\n{self._result}\n")
            process.stdin.close()

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


def _work(*modules: str) -> int:
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))  # not the controller's priority
    os.nice(NICE)
    for module in modules:
        import_module(module)
    task, result = sys.stdin.readline().strip(), sys.stdin.readline().strip()
    if not task:
        return 0  # who might have had one has ended
    done = pickle.loads(Path(task).read_bytes())
    try:
        value = done()
    except BoaError as error:
        value = error
    save(value, Path(result))
    return 0


if __name__ == "__main__":
    # at once: to take down all that was imported lasts as long as the task
    os._exit(_work(*sys.argv[1:]))
