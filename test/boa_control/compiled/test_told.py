# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who waits for a first compilation is told so, in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from boa_control.compiled import KEPT, NOT_KEPT

REPOSITORY = Path(__file__).parents[3]
KERNELS = """
from boa_control.compiled import compiled, compiled_when_called

@compiled("f8(f8)")
def twice(x):
    return 2.0 * x

@compiled("f8(f8)")
def half(x):
    return 0.5 * x
"""


def said(folder: Path, *arguments: str, **environment: str) -> list[str]:
    """Lines that a Python in `folder` writes to stderr."""
    path = os.pathsep.join([str(REPOSITORY), str(folder)])
    ended = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(folder), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return ended.stderr.splitlines()


def tells(lines: list[str], how_often: str, timed: bool = True) -> bool:
    """Whether the one line says how often it compiles, and how long that takes here."""
    long = r" up to about \d+ s," if timed else ""
    (line,) = lines
    return bool(re.fullmatch(rf"boa: compiles its inner loops,{long} {re.escape(how_often)}", line))


def test_the_first_process_of_a_machine_says_once_that_it_compiles(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    use = "-c", "import kernels; assert kernels.twice(1.5) == 3.0"
    assert tells(said(tmp_path, *use), KEPT)
    assert not said(tmp_path, *use)
    assert not said(tmp_path, *use, NUMBA_DISABLE_JIT="1")


@pytest.mark.parametrize("decorator", ['compiled("f8(f8)")', "compiled_when_called"])
def test_where_kernels_cannot_be_kept_every_process_says_what_to_do(
    tmp_path: Path, decorator: str
) -> None:
    """Code without a source file has no folder beside it either."""
    code = KERNELS.replace('compiled("f8(f8)")', decorator)
    for _ in range(2):
        lines = said(tmp_path, "-c", f"{code}\nassert twice(1.5) == 3.0")
        assert tells(lines, NOT_KEPT, timed=decorator != "compiled_when_called")


def test_a_full_disk_costs_the_time_to_compile_and_nothing_else(tmp_path: Path) -> None:
    """As a full disk, a limit of the size of files lets them be made and nothing be written."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    full = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
import kernels
assert kernels.twice(1.5) == 3.0
"""
    assert tells(said(tmp_path, "-c", full), NOT_KEPT)
