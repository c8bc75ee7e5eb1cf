# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command as a process: exit status, quick help, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

from boa_tools.bench.startup import FIRST_TICK
from boa_tools.bringup.hoal import HOAL
from boa_tools.cli import main

pytestmark = pytest.mark.realtime

BOA = (sys.executable, "-m", "boa_tools.cli")


def boa(*words: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*BOA, *words], capture_output=True, text=True, timeout=600, check=False, **options
    )


def test_help_names_every_command_and_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from boa_tools.cli import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pydantic', 'mujoco', 'scipy', 'matplotlib', 'rclpy', 'rosbags'} & "
        "set(sys.modules)\n"
        "print('heavy:', sorted(heavy))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "heavy: []" in done.stdout
    for command in (
        "launch",
        "run",
        "scenarios",
        "report",
        "bag",
        "emulate",
        "bench",
        "doctor",
        "plan",
        "servo",
    ):
        assert f"\n    {command} " in done.stdout


def test_the_first_tick_of_a_run_waits_for_nothing_heavy() -> None:
    """scipy.optimize alone takes half a second to load; numba, which asks scipy for its version, a
    quarter of one, and makes every tick a quarter shorter.
    """
    code = FIRST_TICK + (
        "heavy = {'scipy.linalg', 'scipy.optimize', 'matplotlib', 'rclpy', 'numba', 'llvmlite',"
        "'cmaes', 'pyarrow', 'distributed', 'plotly', 'daqp'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    words = [sys.executable, "-c", code, "boa_circle"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["first tick", "['daqp', 'llvmlite', 'numba']"]


# those of ros2 launch
@pytest.mark.parametrize("option", ["-s", "--show-args", "--show-arguments"])
def test_the_arguments_of_a_launch_file_are_listed(option, capsys):
    assert main(["launch", "hoal.launch.py", option]) == 0
    lines = capsys.readouterr().out.splitlines()
    for arg in HOAL.args:
        (line,) = [line for line in lines if line.startswith(f"  {arg.name}:={arg.default} ")]
        assert arg.help in line and all(choice in line for choice in arg.choices)


def test_wrong_input_is_status_2_on_stderr():
    done = boa("run", "no_such_scenario")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("boa: error: unknown scenario") and done.stderr.count("\n") == 1


def test_a_closed_pipe_is_not_an_error(tmp_path):
    done = subprocess.run(
        f"{' '.join(BOA)} scenarios | true",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.stderr == ""


@pytest.fixture
def running(tmp_path):
    """A long run, started in a folder of its own; ended at the latest with the test."""
    words = [*BOA, "run", "boa_circle", "--out", "results", "--no-report"]
    process = subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_keeps_the_results_so_far(number, running, tmp_path):
    # some ticks are in it
    wait_for(lambda: any(path.stat().st_size > 1000 for path in tmp_path.rglob("*.mcap")))
    running.send_signal(number)
    out, _ = running.communicate(timeout=600)
    assert "interrupted after" in out and "keeping the results" in out
    written = {path.name for path in (tmp_path / "results").iterdir()}
    assert written == {"bag", "identified.yaml", "metrics.json", "run.json", "scenario.yaml"}
    metrics = json.loads((tmp_path / "results" / "metrics.json").read_text())
    assert metrics["completed"] is False and metrics["duration_s"] > 0
    assert [path.name for path in tmp_path.iterdir()] == ["results"]
    assert boa("bag", "info", "results", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("where", "number"),
    [
        ("boa_control.experiments.library.load_scenario", signal.SIGINT),
        ("boa_control.experiments.build.build_controller", signal.SIGTERM),
    ],
)
def test_interrupt_before_the_first_tick_leaves_nothing(where, number, tmp_path):
    module, _, function = where.rpartition(".")
    code = (
        "import sys, time\n"
        f"import {module}\n"
        "from boa_tools.cli import main\n"
        "def endless(*_):\n    print('there', flush=True)\n    time.sleep(600)\n"
        f"{module}.{function} = endless\n"
        "sys.exit(main(['run', 'boa_circle', '--out', 'results']))\n"
    )
    words = [sys.executable, "-c", code]
    process = subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "there\n"
        process.send_signal(number)
        _, err = process.communicate(timeout=600)
    finally:
        process.kill()
    assert (process.returncode, err) == (130, "boa: stopped by Ctrl-C; nothing was written\n")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_that_an_import_has_turned_into_an_error_of_its_own_is_one(
    monkeypatch, capsys, tmp_path
):
    def importing(*_: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as stop:
            raise ImportError("initialization failed") from stop

    monkeypatch.setattr("boa_sim.factory.plant_from_experiment", importing)
    out = tmp_path / "results" / "run"
    assert main(["run", "boa_circle", "--duration", "1", "--out", str(out)]) == 130
    assert capsys.readouterr().err == "boa: stopped by Ctrl-C; nothing was written\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("late", ["boa_tools.report.finish.metrics", "boa_tools.report.build"])
def test_an_interrupt_after_the_run_says_that_the_run_is_kept(late, monkeypatch, capsys, tmp_path):
    class Interrupting(ModuleType):
        def __getattr__(self, name: str) -> NoReturn:
            raise KeyboardInterrupt

    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    if late.endswith("build"):  # while it is imported
        monkeypatch.setitem(sys.modules, late, Interrupting(late))
    else:
        monkeypatch.setattr(late, interrupt)
    out = tmp_path / "run"
    assert main(["run", "boa_circle", "--duration", "0.1", "--no-bag", "--out", str(out)]) == 130
    assert f"stopped by Ctrl-C; '{out}' has " in capsys.readouterr().err
    assert (out / "run.json").is_file()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_of_several_runs_ends_them_all_and_leaves_nothing(number, tmp_path):
    words = [*BOA, "run", "boa_noise", "--seeds", "3", "--jobs", "2", "--out", "spread"]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    process = subprocess.Popen(
        words,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    try:
        wait_for(lambda: workers_of(scratch) == 2)
        os.killpg(process.pid, number)  # as a terminal does
        _, err = process.communicate(timeout=600)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "nothing was written" in err and "Traceback" not in err
    assert list(scratch.iterdir()) == [] and not (tmp_path / "spread").exists()
    wait_for(lambda: workers_of(scratch) == 0)


def workers_of(scratch: Path) -> int:
    """Number of worker processes whose temporary files lie there."""
    return sum(
        b"boa_tools.sweeps.worker" in contents(process / "cmdline")
        and str(scratch).encode() in contents(process / "environ")
        for process in Path("/proc").glob("[0-9]*")
    )


def contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # that process has just ended
        return b""


def wait_for(condition, seconds: float = 600.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "never happened"
        time.sleep(0.05)
