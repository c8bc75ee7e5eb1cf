# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Workers on many machines: a Dask cluster that somebody has started."""

from importlib import import_module
from queue import Empty, SimpleQueue
from typing import Any

from boa_description.errors import BoaError
from boa_description.version import software_version
from boa_tools.sweeps.task import Failed, Finished, Result, Task, run_task, this_version

PATIENCE = 10.0  # s for the scheduler to answer
HOW = "start workers with: dask worker ADDRESS --nworkers CORES --nthreads 1"


class ClusterWorkers:
    """The workers of a Dask scheduler. They may come and go; a run whose worker dies begins again
    on another one, as often as the scheduler's `allowed-failures` says.

    Raises:
        BoaError: `distributed` is missing, nobody answers at the address, or the workers have
            another version, several threads, or are none.
    """

    def __init__(self, address: str) -> None:
        self._client = _connected(address)
        self._ended: SimpleQueue[Any] = SimpleQueue()
        self._tasks: dict[str, tuple[Any, Task]] = {}  # by key of the future; keeps it alive
        self._count = 0
        try:
            self._check(address)
        except BoaError:
            self.close()
            raise

    @property
    def slots(self) -> int:
        """Workers that there are now; one where there is none, whose run waits for the next."""
        return max(1, len(self._client.nthreads()))

    def submit(self, task: Task) -> None:
        """Send it to the scheduler."""
        self._count += 1
        future = self._client.submit(
            run_task, task, key=f"boa-{self._count}-{id(self)}", pure=False
        )
        self._tasks[future.key] = (future, task)
        future.add_done_callback(self._ended.put)

    def poll(self, timeout: float) -> tuple[Task, Result] | None:
        """The next result."""
        try:
            future = self._ended.get(timeout=timeout)
        except Empty:
            return None
        _, task = self._tasks.pop(future.key)
        if future.status == "finished":
            result: Finished | Failed = future.result()
            return task, result
        if future.status == "error":
            return task, _failure(future.exception())
        raise ConnectionError("the scheduler has gone")

    def close(self) -> None:
        """Give up what has not begun; what a worker is at goes on to its end there."""
        self._client.close()

    def _check(self, address: str) -> None:
        threads = self._client.nthreads()
        if not threads:
            raise BoaError(f"the scheduler at {address} has no workers; {HOW}")
        several = [worker for worker, count in threads.items() if count > 1]
        if several:
            raise BoaError(
                f"worker {several[0]} has {threads[several[0]]} threads, but a run needs a process "
                f"of its own; {HOW}"
            )
        try:
            versions = self._client.run(this_version)
        except ModuleNotFoundError as error:
            raise BoaError(
                f"the workers of {address} cannot run Boa: {error}; install it"
            ) from error
        here = software_version()
        for worker, version in versions.items():
            if version != here:
                raise BoaError(
                    f"worker {worker} has version {version} of Boa, here it is {here}; install the "
                    "same everywhere"
                )


def _connected(address: str) -> Any:
    try:
        distributed: Any = import_module("distributed")
    except ModuleNotFoundError as error:
        raise BoaError(
            "--scheduler needs Dask, which this Python lacks; install it: pip install distributed "
            "(it belongs to the extra 'cluster' of boa_control)"
        ) from error
    try:
        return distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        raise BoaError(
            f"no Dask scheduler answers at '{address}'; give the address that `dask scheduler` "
            "prints, such as tcp://host:8786"
        ) from error


def _failure(error: BaseException) -> Failed:
    """Of a run that did not even come to its end: its workers died."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return Failed("its worker died, as often as the scheduler allows", str(error))
    return Failed(f"{type(error).__name__}: {error}")
