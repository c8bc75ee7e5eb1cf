# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ports of the emulator do not outlive it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from boa_hardware.emulator.terminal import PREFIX, PortFolder, Terminal

SERVE = """
from boa_hardware.emulator.terminal import PortFolder, Terminal
import time
folder = PortFolder()
terminal = Terminal(folder.path / "port")
print(terminal.path, flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def killed() -> Path:
    """The port of a process that has got kill -9."""
    words = [sys.executable, "-c", SERVE]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = Path(process.stdout.readline().strip())
        assert port.is_char_device()
        process.send_signal(signal.SIGKILL)
    return port


def test_the_port_of_a_killed_process_leads_nowhere() -> None:
    port = killed()
    assert port.is_symlink()
    assert not port.exists()


def test_the_next_process_removes_what_a_killed_one_has_left(temporary: Path) -> None:
    port = killed()
    alive = temporary / f"{PREFIX}{os.getppid()}-x"
    strange = temporary / f"{PREFIX}notes"
    alive.mkdir()
    strange.mkdir()
    folder = PortFolder()
    assert not port.parent.exists()
    assert alive.exists() and strange.exists()
    folder.remove()
    folder.remove()
    assert not folder.path.exists()


def test_the_path_stays_over_unplugging(temporary: Path) -> None:
    path = temporary / "port"
    for _ in range(2):
        terminal = Terminal(path)
        host = os.open(path, os.O_RDWR | os.O_NOCTTY)
        os.write(host, b"hello")
        assert os.read(terminal.master, 10) == b"hello"
        os.close(host)
        terminal.close()
        assert not path.is_symlink()


def test_a_folder_that_nobody_removes_goes_with_its_owner(temporary: Path) -> None:
    folder = PortFolder()
    assert len(list(temporary.iterdir())) == 1
    del folder
    assert list(temporary.iterdir()) == []
