# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of sweeps: short runs, workers that do nothing, controllers that end their
own process.
"""

from __future__ import annotations

from collections import deque
from functools import cache
from pathlib import Path
from typing import Any

from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_tools.sweeps.task import Finished, Result, Task, run_task

DEADLY = """
import os, signal
from pathlib import Path
from boa_control.controllers.constant import ConstantTorque

class Deadly(ConstantTorque):
    '''Ends its process at the first step, as long as there are lives in the file beside it.'''

    def step(self, frame):
        lives = Path(__file__).with_name("lives")
        left = int(lives.read_text())
        if left:
            lives.write_text(str(left - 1))
            os.kill(os.getpid(), signal.SIGKILL)
        return super().step(frame)
"""

BUGGY = """
from boa_control.controllers.constant import ConstantTorque

class Buggy(ConstantTorque):
    def step(self, frame):
        raise ZeroDivisionError("a bug at the first step")
"""

HALTING = """
import time
from pathlib import Path
from boa_control.controllers.constant import ConstantTorque

FOLDER, FREE = Path(__file__).parent, 8

class Halting(ConstantTorque):
    '''After some runs the others stand still while there is a file `halt` beside this one.'''

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        with (FOLDER / "runs").open("a") as runs:
            runs.write(".")
            count = runs.tell()
        while count > FREE and (FOLDER / "halt").exists():
            time.sleep(0.01)
"""


def short(duration: float = 0.1, name: str = "thesis_5_1_1") -> Scenario:
    """A scenario of three links that takes no time."""
    scenario = load_scenario(name)
    return scenario.model_copy(update={"duration": duration, "distance": None})


@cache
def measured() -> dict[str, Any]:
    """The metrics of a short run, for those that are not simulated."""
    ended = run_task(Task("a", short(0.1, "boa_circle"), 0))
    assert isinstance(ended, Finished)
    return ended.values


def with_controller(folder: Path, text: str, name: str) -> Scenario:
    """The same under a controller from a file that is written into the folder."""
    file = folder / f"{name.lower()}.py"
    file.write_text(text)
    scenario = short()
    choice = scenario.controller.model_copy(update={"name": f"{file}:{name}", "parameters": {}})
    return scenario.model_copy(update={"controller": choice})


def deadly(folder: Path, deaths: int) -> Scenario:
    """A scenario that ends the processes of its first so many runs."""
    (folder / "lives").write_text(str(deaths))
    return with_controller(folder, DEADLY, "Deadly")


class FakeWorkers:
    """Gives every task the result of a function, in the order in which they were started."""

    def __init__(self, slots: int, result) -> None:
        self.slots = slots
        self.started: list[str] = []
        self.most = 0
        self.closed = 0
        self._result = result
        self._running: deque[Task] = deque()

    def submit(self, task: Task) -> None:
        self.started.append(task.key)
        self._running.append(task)
        self.most = max(self.most, len(self._running))

    def poll(self, timeout: float) -> tuple[Task, Result] | None:
        task = self._running.popleft()
        return task, self._result(task)

    def close(self) -> None:
        self.closed += 1


def finished(**values) -> Finished:
    """A run that ended."""
    return Finished(values, 0.5, "host", "1.0")
