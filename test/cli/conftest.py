# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run the command line inside a folder of its own and see what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from boa_tools.cli import main


@dataclass(frozen=True)
class Outcome:
    """Exit status and what was printed."""

    status: int
    out: str
    err: str


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every path below a folder with its content."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def boa(tmp_path, monkeypatch, capsys) -> Callable[..., Outcome]:
    """Call `boa` with the given words in an own folder."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> Outcome:
        try:
            status = main(words)
        except SystemExit as end:  # argparse leaves so
            status = int(end.code or 0)
        printed = capsys.readouterr()
        return Outcome(status, printed.out, printed.err)

    return call


@pytest.fixture
def folder_tree(tmp_path) -> Callable[[], dict[str, bytes | None]]:
    """Contents of that folder now."""
    return lambda: tree(tmp_path)
