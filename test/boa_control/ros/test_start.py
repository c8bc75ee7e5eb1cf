# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node's program before it is imported: help, arguments, and the launch that has started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from boa_control.interface import COMPOSED_NODES, NODE_PARAMETERS
from boa_control.ros.start import main, usage

STAND_IN = """
import os, pathlib, time
pathlib.Path(os.environ["NOTE"]).write_text(str(os.getpid()))
time.sleep(600)
"""
LAUNCH = """
import os, subprocess, sys, time
environment = {**os.environ, "BOA_LAUNCHED_BY": str(os.getpid())}
command = [sys.executable, "-m", "boa_control.ros.start", "sim", "stand_in"]
subprocess.Popen(command, env=environment)
time.sleep(600)
"""


@pytest.mark.parametrize("executable", NODE_PARAMETERS)
def test_help_lists_every_parameter(executable: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(executable, "no_such_module", ["--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.strip() == usage(executable)
    assert f"ros2 run boa_control {executable}" in shown
    for parameter in NODE_PARAMETERS[executable]:
        assert f"  {parameter.name}:=" in shown and parameter.description in shown


@pytest.mark.parametrize("executable", COMPOSED_NODES)
def test_help_of_several_nodes_lists_the_parameters_of_each(
    executable: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(executable, "no_such_module", ["--help"]) == 0
    head, *blocks = capsys.readouterr().out.split("parameters of /**/")
    assert f"ros2 run boa_control {executable} [--ros-args --params-file FILE]" in head
    nodes = COMPOSED_NODES[executable]
    assert [block.split()[0] for block in blocks] == [*nodes]
    for block, part in zip(blocks, nodes.values(), strict=True):
        shown = [line.split(":=")[0].strip() for line in block.splitlines() if ":=" in line]
        assert shown == [parameter.name for parameter in NODE_PARAMETERS[part]]


def test_an_argument_that_is_no_parameter_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("sim", "no_such_module", ["duration:=5", "--ros-args"]) == 2
    assert "unknown argument 'duration:=5'; parameters are given as --ros-args -p" in (
        capsys.readouterr().err
    )


def test_a_missing_package_is_named_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lacking.py").write_text("import no_such_package")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.argv", [])
    assert main("sim", "lacking", []) == 2
    said = capsys.readouterr().err
    assert "has no package 'no_such_package'; before the launch, activate" in said


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell a child")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_node_does_not_outlive_its_launch(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "stand_in.py").write_text(STAND_IN)
    note = tmp_path / "note"
    root = str(Path(__file__).resolve().parents[3])
    environment = {**os.environ, "NOTE": str(note), "PYTHONPATH": f"{root}{os.pathsep}{tmp_path}"}
    launch = subprocess.Popen([sys.executable, "-c", LAUNCH], env=environment)
    wait_until(lambda: note.exists() and note.read_text() != "")
    node = int(note.read_text())
    launch.send_signal(number)
    launch.wait()
    wait_until(lambda: not runs(node))


def test_a_node_whose_launch_has_gone_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "from boa_control.ros.start import main; raise SystemExit(main('sim', 'none', []))"
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    monkeypatch.setenv("BOA_LAUNCHED_BY", str(gone.pid))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if sys.platform == "linux":
        assert ended.returncode == 2
        assert "the launch that started this node has ended" in ended.stderr


def test_a_node_behind_another_program_of_its_launch_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """E.g. a debugger as launch-prefix: the launch lives, but is not the parent."""
    code = "from boa_control.ros.launcher import end_with_launcher as end; assert end()"
    call = "subprocess.call([sys.executable, '-c', sys.argv[1]])"
    between = f"import subprocess, sys; sys.exit({call})"
    monkeypatch.setenv("BOA_LAUNCHED_BY", str(os.getpid()))
    assert subprocess.run([sys.executable, "-c", between, code]).returncode == 0


def runs(process: int) -> bool:
    """Whether it runs; a zombie does not."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition) -> None:
    end = time.monotonic() + 600.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
