# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The runner with stand-ins for nodes: how they are started, shown, stopped, and what is said about
it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from boa_tools.bringup import child
from boa_tools.bringup.child import command, write_parameters
from boa_tools.bringup.description import NodeSpec
from boa_tools.bringup.runner import INTERRUPTED, Runner, ros_environment

pytestmark = pytest.mark.realtime

STAND_IN = """
import signal, sys, time, pathlib
name, what, everybody = "{name}", "{what}", {everybody}
log = pathlib.Path(r"{log}")
def note(text):
    with log.open("a") as file:
        file.write(name + " " + text + "\\n")
def stop(number, _):
    note("stopped")
    if what == "stubborn":
        return
    if what == "alarm":
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGALRM)
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
note("started")
print("hello from", name, flush=True)
def missing():
    return any(other + " started" not in log.read_text() for other in everybody)
while what in ("done", "dies") and missing():
    time.sleep(0.01)
if what == "done":
    sys.exit(0)
if what == "dies":
    print("something is broken", flush=True)
    sys.exit(3)
while True:
    time.sleep(0.05)
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def nodes(tmp_path: Path, log: Path):
    """Make stand-ins: name -> what they do (wait, done, dies, stubborn, alarm); ends come when all
    have started.
    """

    def make(stop_seconds: float = 600.0, **whats: str) -> tuple[NodeSpec, ...]:
        for name, what in whats.items():
            text = STAND_IN.format(name=name, what=what, everybody=list(whats), log=log)
            (tmp_path / f"stand_in_{name}.py").write_text(text)
        return tuple(
            NodeSpec(name, name, f"stand_in_{name}", stop_seconds=stop_seconds) for name in whats
        )

    return make


@pytest.fixture
def run(tmp_path: Path):
    def start(specs: tuple[NodeSpec, ...]) -> int:
        return Runner(specs, {**os.environ, "PYTHONPATH": str(tmp_path)}, tmp_path).run()

    return start


def wait_for(log: Path, text: str) -> None:
    end = time.monotonic() + 600.0
    while time.monotonic() < end:
        if log.exists() and text in log.read_text():
            return
        time.sleep(0.02)
    raise AssertionError(
        f"'{text}' did not happen; {log.read_text() if log.exists() else 'nothing did'}"
    )


def test_the_end_of_the_plant_is_the_end_of_the_run(nodes, run, log, capfd) -> None:
    assert run(nodes(plant="done", controller="wait", recorder="wait")) == 0
    shown = capfd.readouterr()
    assert "[plant     ] hello from plant" in shown.out and shown.err == ""
    assert log.read_text().split("\n")[-3:-1] == ["controller stopped", "recorder stopped"], (
        "one after the other"
    )


def test_a_node_that_dies_takes_the_run_down_and_is_named(nodes, run, log, capfd) -> None:
    assert run(nodes(plant="wait", controller="dies", recorder="wait")) == 1
    shown = capfd.readouterr()
    assert "something is broken" in shown.out
    assert "node controller failed: exit status 3" in shown.err
    assert log.read_text().split("\n")[-3:-1] == ["plant stopped", "recorder stopped"]


def test_a_display_that_dies_does_not_make_the_run_fail(nodes, run) -> None:
    plant, display = nodes(plant="done", display="dies")
    assert run((plant, replace(display, required=False))) == 0


def test_a_display_that_shall_start_again_does_so(run, tmp_path, log, capfd) -> None:
    """The plant ends once the display has started twice."""
    (tmp_path / "display.py").write_text(f"open({str(log)!r}, 'a').write('started ')")
    (tmp_path / "plant.py").write_text(
        "import pathlib, time\n"
        f"log = pathlib.Path({str(log)!r})\n"
        "while not (log.exists() and log.read_text() >= 'started started '): time.sleep(0.02)"
    )
    plant = NodeSpec("plant", "plant", "plant")
    display = NodeSpec("display", "display", "display", required=False, respawn=True)
    assert run((plant, display)) == 0
    assert "node display ended; it starts again" in capfd.readouterr().err


def test_a_node_that_ends_too_early_is_named(nodes, run, capfd) -> None:
    assert run(nodes(plant="wait", controller="done")) == 1
    assert "node controller ended before the run was over" in capfd.readouterr().err


def test_a_node_that_cannot_start_is_named(nodes, run, capfd) -> None:
    specs = (*nodes(plant="wait"), NodeSpec("controller", "controller", "no_such_module"))
    assert run(specs) == 1
    shown = capfd.readouterr()
    assert (
        "No module named no_such_module" in shown.out
        and "node controller failed: exit status 1" in shown.err
    )


def test_a_node_that_will_not_stop_is_killed(nodes, run, monkeypatch) -> None:
    monkeypatch.setattr(child, "SECOND_CHANCE", 0.3)
    specs = nodes(plant="done", controller="stubborn", stop_seconds=0.3)
    assert run(specs) == 0  # that was our doing, and the run itself had ended well


def test_a_node_that_ends_itself_in_tear_down_counts_as_stopped_and_is_named(
    nodes, run, capfd
) -> None:
    assert run(nodes(plant="done", controller="wait", recorder="alarm")) == 0
    said = capfd.readouterr().err
    assert "node recorder hung when it left ROS and ended itself" in said and "boa report" in said
    assert "controller" not in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_and_a_closed_terminal_stop_everything_in_order(
    number, nodes, run, log, capfd
) -> None:
    def unheeded(*_) -> None:
        raise AssertionError("nobody heeds it")

    before = signal.signal(signal.SIGHUP, unheeded)
    specs = nodes(plant="wait", controller="wait")

    def press() -> None:
        for name in ("plant", "controller"):
            wait_for(log, f"{name} started")
        os.kill(os.getpid(), number)

    threading.Thread(target=press).start()
    try:
        assert run(specs) == INTERRUPTED
    finally:
        signal.signal(signal.SIGHUP, before)
    assert log.read_text().split("\n")[-3:-1] == ["plant stopped", "controller stopped"]
    assert "stopped; torque is off" in capfd.readouterr().err


def test_nodes_do_not_outlive_a_runner_that_is_killed(nodes, tmp_path, log) -> None:
    nodes(plant="wait")
    code = (
        "import os, pathlib; from boa_tools.bringup.runner import Runner; from "
        "boa_tools.bringup.description import "
        f"NodeSpec; p = pathlib.Path(r'{tmp_path}'); Runner((NodeSpec('plant', 'plant', "
        f"'stand_in_plant'),), "
        "{**os.environ, 'PYTHONPATH': str(p)}, p).run()"
    )
    runner = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wait_for(log, "plant started")
    runner.kill()
    runner.wait()
    wait_for(log, "plant stopped")


def test_parameters_are_written_for_the_node_by_its_full_name(tmp_path: Path) -> None:
    values = {"text": "a: b # 'c' \"d\"", "flag": True, "number": 1.0, "whole": 3, "empty": ""}
    spec = NodeSpec("plant", "sim", "boa_sim.node", values, (Path("/somewhere/hoal.yaml"),))
    path = write_parameters(spec, tmp_path)
    assert yaml.safe_load(path.read_text()) == {"/boa/plant": {"ros__parameters": values}}
    words = command(spec, path)
    assert words[:3] == [sys.executable, "-m", "boa_sim.node"]
    files = [words[i + 1] for i, word in enumerate(words) if word == "--params-file"]
    assert files == ["/somewhere/hoal.yaml", str(path)], "the last one wins"


def test_nodes_of_one_process_keep_their_names_and_parameters(tmp_path: Path) -> None:
    second = NodeSpec("controller", "controller", "its.own", {"speed": 0.1}, namespace="/left")
    spec = NodeSpec("plant", "both", "both.of.them", {"seed": 3}, namespace="/left")
    spec = replace(spec, beside=(second,))
    path = write_parameters(spec, tmp_path)
    assert yaml.safe_load(path.read_text()) == {
        "/left/plant": {"ros__parameters": {"seed": 3}},
        "/left/controller": {"ros__parameters": {"speed": 0.1}},
    }
    words = command(spec, path)
    assert words[:3] == [sys.executable, "-m", "both.of.them"]
    assert not any(word.startswith("__node:=") for word in words), "it would rename them all"
    assert "__ns:=/left" in words


def test_a_process_that_fails_is_named_by_all_its_nodes(nodes, run, capfd) -> None:
    plant, recorder = nodes(plant="dies", recorder="wait")
    plant = replace(plant, beside=(NodeSpec("controller", "controller", "its.own"),))
    assert run((plant, recorder)) == 1
    shown = capfd.readouterr()
    assert "[plant+controller] something is broken" in shown.out
    assert "node plant+controller failed: exit status 3" in shown.err


def test_ros_traffic_stays_here_unless_the_user_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    monkeypatch.delenv("ROS_AUTOMATIC_DISCOVERY_RANGE", raising=False)
    environment = ros_environment("/scratch")
    assert environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert 1 <= int(environment["ROS_DOMAIN_ID"]) <= 100
    monkeypatch.setenv("ROS_DOMAIN_ID", "42")
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    environment = ros_environment("/scratch")
    assert (environment["ROS_DOMAIN_ID"], environment["ROS_AUTOMATIC_DISCOVERY_RANGE"]) == (
        "42",
        "SUBNET",
    )


def test_where_the_runner_itself_fails_nodes_are_stopped_and_not_killed(
    nodes, run, log, monkeypatch
) -> None:
    def gone(*_: object) -> None:
        wait_for(log, "plant started")
        raise BrokenPipeError

    monkeypatch.setattr(Runner, "_listen", gone)
    with pytest.raises(BrokenPipeError):
        run(nodes(plant="wait"))
    assert log.read_text().endswith("plant stopped\n")
