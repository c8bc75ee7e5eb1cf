# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Workers on this machine: processes that live for many runs, one run each at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, Pipe, wait
from typing import IO, Any

from boa_control.ros.launcher import end_with_parent
from boa_tools.sweeps.task import TRIES, Failed, Result, Task

# Runs side by side already use all cores; threads of the linear algebra would only wait for each
# other.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
STORY = 4000  # last characters of what a worker said that are kept


@dataclass(slots=True)
class _Worker:
    """One process, what it says, and the task that it is at."""

    process: subprocess.Popen[bytes]
    pipe: Connection[Any, Any]
    said: IO[bytes]
    task: Task | None = None

    def end(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.wait()
        self.pipe.close()
        self.said.close()


class LocalWorkers:
    """At most `count` processes; each starts with its first task and is replaced when it dies."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._workers: list[_Worker] = []
        self._tries: dict[str, int] = {}  # deaths by key of the task

    @property
    def slots(self) -> int:
        """As many as there are processes."""
        return self._count

    def submit(self, task: Task) -> None:
        """Send it to a process that has nothing to do; starts one where there is none."""
        worker = next((worker for worker in self._workers if worker.task is None), None)
        if worker is not None and worker.process.poll() is not None:  # died with nothing to do
            self._remove(worker)
            worker = None
        if worker is None:
            worker = _start()
            self._workers.append(worker)
        worker.task = task
        try:
            worker.pipe.send(task)
        except OSError:  # died just now; `poll` will see it
            return

    def poll(self, timeout: float) -> tuple[Task, Result] | None:
        """The next result; a run whose process died begins again, once."""
        busy = {worker.pipe: worker for worker in self._workers if worker.task is not None}
        for ready in wait(list(busy), timeout):
            assert isinstance(ready, Connection)
            worker = busy[ready]
            task = worker.task
            assert task is not None
            try:
                result: Result = ready.recv()
            except (EOFError, OSError):
                lost = self._bury(worker, task)
                if lost is None:
                    continue
                result = lost
            worker.task = None
            self._tries.pop(task.key, None)
            return task, result
        return None

    def close(self) -> None:
        """End all processes, whatever they are at."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def _bury(self, worker: _Worker, task: Task) -> Failed | None:
        """Remove a process that died at a task, and try that again; the result where that was the
        last try.
        """
        end = _how_it_ended(worker.process.wait())
        worker.said.seek(0)
        story = worker.said.read().decode(errors="replace")[-STORY:]
        self._remove(worker)
        tries = self._tries[task.key] = self._tries.get(task.key, 0) + 1
        if tries < TRIES:
            self.submit(task)
            return None
        return Failed(f"its worker ended by {end}, {tries} times", story)

    def _remove(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.end()


def _start() -> _Worker:
    ours, theirs = Pipe()
    # removed when it is closed, on both sides, however we end
    said = tempfile.TemporaryFile(prefix="boa-worker-")  # noqa: SIM115  closed by `_Worker.end`
    process = subprocess.Popen(
        [sys.executable, "-m", "boa_tools.sweeps.worker", str(theirs.fileno())],
        stdin=subprocess.DEVNULL,
        stdout=said,
        stderr=said,
        pass_fds=(theirs.fileno(),),
        env=os.environ | ONE_THREAD,
        start_new_session=True,  # a terminal's Ctrl-C is for the parent only
        preexec_fn=partial(end_with_parent, signal.SIGKILL),  # however we end
    )
    theirs.close()  # so that the pipe ends with the process
    return _Worker(process, ours, said)


def _how_it_ended(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    hint = " (out of memory?)" if status == -signal.SIGKILL else ""
    return f"signal {signal.Signals(-status).name}{hint}"
