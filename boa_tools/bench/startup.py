# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Benchmark of the start of `boa run`, in a process of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np

from boa_tools.bench.result import Result, from_times

REPEATS = 5
TARGET = 1e6  # us
FIRST_TICK = """
import sys, tempfile
from pathlib import Path
from boa_tools.runs.quick_start import quick_start
quick_start()
from boa_tools.commands.run import load_experiment, open_run
from boa_tools.runs.drive import drive
experiment = load_experiment(sys.argv[1], None, None)
with tempfile.TemporaryDirectory() as folder, open_run(experiment, 0, Path(folder) / "bag") as run:
    plant, controller, sinks = run
    stop = iter((False, True)).__next__
    drive(experiment, plant, controller, sinks=sinks, stop=stop)
    print("first tick", flush=True)
"""


def first_tick() -> Iterator[Result]:
    """From the start of the process to the end of the first tick, with a bag; with byte code, as
    in an installed package: one start that is not counted writes what is missing.
    """
    times = np.array([_start() for _ in range(1 + REPEATS)][1:])
    yield from_times("startup/boa_run", "boa run to the end of the first tick", times * 1e6, TARGET)


def _start() -> float:
    """Time of one start, s."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    words = [sys.executable, "-c", FIRST_TICK, "boa_circle"]
    before = time.perf_counter()
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return time.perf_counter() - before
