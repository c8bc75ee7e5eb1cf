"""The command as a process: exit status, quick help, Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

BOA = (sys.executable, "-m", "boa_tools.cli")


def boa(*words: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*BOA, *words], capture_output=True, text=True, timeout=120, check=False, **options)


def test_help_names_every_command_and_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from boa_tools.cli import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pydantic', 'mujoco', 'scipy', 'matplotlib', 'rclpy', 'rosbags'} & set(sys.modules)\n"
        "print('heavy:', sorted(heavy))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "heavy: []" in done.stdout
    for command in ("launch", "run", "scenarios", "report", "bag", "emulate", "bench", "doctor", "plan", "servo"):
        assert f"\n    {command} " in done.stdout


@pytest.mark.parametrize("command", ["launch", "run", "plan", "report", "bag", "bench", "doctor", "servo", "robots"])
def test_every_command_has_help(command):
    done = boa(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: boa {command}")


def test_wrong_input_is_status_2_on_stderr():
    done = boa("run", "no_such_scenario")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("boa: error: unknown scenario") and done.stderr.count("\n") == 1


def test_a_closed_pipe_is_not_an_error(tmp_path):
    done = subprocess.run(
        f"{' '.join(BOA)} scenarios | true", shell=True, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.stderr == ""


@pytest.fixture
def running(tmp_path):
    """A long run, started in a folder of its own; ended at the latest with the test."""
    words = [*BOA, "run", "boa_circle", "--out", "results", "--no-report"]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_keeps_the_results_so_far(number, running, tmp_path):
    wait_for(lambda: any(path.stat().st_size > 1000 for path in tmp_path.rglob("*.mcap")))  # some ticks are in it
    running.send_signal(number)
    out, _ = running.communicate(timeout=120)
    assert "interrupted after" in out and "keeping the results" in out
    written = {path.name for path in (tmp_path / "results").iterdir()}
    assert written == {"bag", "metrics.json", "run.json", "scenario.yaml"}
    metrics = json.loads((tmp_path / "results" / "metrics.json").read_text())
    assert metrics["completed"] is False and metrics["duration_s"] > 0
    assert [path.name for path in tmp_path.iterdir()] == ["results"]
    assert boa("bag", "info", "results", cwd=tmp_path).returncode == 0


def test_interrupt_before_the_run_leaves_nothing(running, tmp_path):
    time.sleep(0.15)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=120)
    if "keeping the results" not in out:  # it may have come far enough on a quick machine
        assert list(tmp_path.iterdir()) == []
        assert running.returncode != 0


def test_interrupt_of_several_runs_leaves_nothing(tmp_path):
    words = [*BOA, "run", "boa_noise", "--seeds", "4", "--jobs", "2", "--out", "spread"]
    process = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        wait_for(lambda: any(tmp_path.iterdir()))
        time.sleep(2.0)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, err = process.communicate(timeout=120)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
    assert process.returncode == 130
    assert "nothing was written" in err and "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_termination_of_several_runs_ends_them_all(tmp_path):
    words = [*BOA, "run", "boa_noise", "--seeds", "2", "--jobs", "2", "--out", "spread"]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        words, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(scratch)}
    )
    try:
        wait_for(lambda: len(list(scratch.rglob("*.log"))) == 2)  # both have been started
        process.terminate()
        _, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert list(scratch.iterdir()) == [] and not (tmp_path / "spread").exists()
    wait_for(lambda: not any(str(scratch).encode() in contents(path) for path in Path("/proc").glob("[0-9]*/cmdline")))


def contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # that process has just ended
        return b""


def wait_for(condition, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "never happened"
        time.sleep(0.05)
